import { Component, type ErrorInfo, type ReactNode } from 'react'
import { logError } from './windowLog.ts'
import { isLoadError } from './layout/lazyView.tsx'
import { Button, EmptyState, Icon } from '../ui/index.ts'

interface ErrorBoundaryProps {
  /** Name of the view in the log. */
  name: string
  /** For a part within a view: shows this sentence in one line, and the view stays. */
  line?: string
  /** Shown above the line in place of the part. */
  instead?: ReactNode
  /** Another value renders the children again after a failure. */
  resetOn?: string
  children: ReactNode
}

interface ErrorBoundaryState {
  problem: string | null
  resetOn: string | undefined
}

/** Catches rendering errors of its children and offers a button to render them again. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { problem: null, resetOn: this.props.resetOn }

  static getDerivedStateFromProps({ resetOn }: ErrorBoundaryProps, state: ErrorBoundaryState) {
    return resetOn === state.resetOn ? null : { problem: null, resetOn }
  }

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
    const actions = (size?: 'small') => (
      <>
        {chunkMissing && (
          <Button variant="primary" size={size} onClick={() => location.reload()}>
            Reload
          </Button>
        )}
        <Button icon="refresh" size={size} onClick={() => this.setState({ problem: null })}>
          Try again
        </Button>
      </>
    )
    if (this.props.line !== undefined)
      return (
        <>
          {this.props.instead}
          <div className="ui-failure" role="alert" title={problem}>
            <Icon name="warning" />
            <span>{this.props.line}</span>
            {actions('small')}
          </div>
        </>
      )
    return (
      <EmptyState
        icon={chunkMissing ? 'sync' : 'bug'}
        title={chunkMissing ? 'This view could not be loaded' : 'This view stopped working'}
        actions={actions()}
      >
        <p>{chunkMissing ? 'Tizona was updated. Reload the window.' : `This is a bug in Tizona: ${problem}`}</p>
        <p>
          {chunkMissing ? 'Unsaved text is kept.' : 'Unsaved text is kept. If it happens again, reload the window.'}
        </p>
      </EmptyState>
    )
  }
}
