import { Component, type ErrorInfo, type ReactNode } from 'react'
import { logError } from './windowLog.ts'
import { isLoadError } from './layout/lazyView.tsx'
import { Button, EmptyState } from '../ui/index.ts'

interface ErrorBoundaryProps {
  /** Name of the view in the log. */
  name: string
  children: ReactNode
}

/** Catches rendering errors of its children and offers a button to render them again. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { problem: string | null }> {
  override state: { problem: string | null } = { problem: null }

  static getDerivedStateFromError(error: unknown): { problem: string } {
    return { problem: error instanceof Error ? error.message : String(error) }
  }

  override componentDidCatch(error: unknown, info: ErrorInfo): void {
    logError(`${this.props.name} failed`, error, info.componentStack ?? undefined)
  }

  override render(): ReactNode {
    const { problem } = this.state
    if (problem === null) return this.props.children
    const chunkMissing = isLoadError(problem)
    return (
      <EmptyState
        icon={chunkMissing ? 'sync' : 'bug'}
        title={chunkMissing ? 'This view could not be loaded' : 'This view stopped working'}
        actions={
          <>
            {chunkMissing && (
              <Button variant="primary" onClick={() => location.reload()}>
                Reload
              </Button>
            )}
            <Button icon="refresh" onClick={() => this.setState({ problem: null })}>
              Try again
            </Button>
          </>
        }
      >
        <p>{chunkMissing ? 'Tizona was updated. Reload the window.' : `This is a bug in Tizona: ${problem}`}</p>
        <p>
          {chunkMissing ? 'Unsaved text is kept.' : 'Unsaved text is kept. If it happens again, reload the window.'}
        </p>
      </EmptyState>
    )
  }
}
