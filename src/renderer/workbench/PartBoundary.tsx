import { Component, type ErrorInfo, type ReactNode } from 'react'
import { Button, EmptyState } from './ui/index.ts'

interface PartBoundaryProps {
  /** Starts the sentence that says what failed, e.g. `The chat`. */
  name: string
  children: ReactNode
}

/** A bug in one part of the window must not take the others with it: the part says so and can be drawn anew. */
export class PartBoundary extends Component<PartBoundaryProps, { problem: string | null }> {
  override state: { problem: string | null } = { problem: null }

  static getDerivedStateFromError(error: unknown): { problem: string } {
    return { problem: error instanceof Error ? error.message : String(error) }
  }

  override componentDidCatch(error: unknown, info: ErrorInfo): void {
    console.error(`${this.props.name} failed:`, error, info.componentStack)
  }

  override render(): ReactNode {
    const { problem } = this.state
    if (problem === null) return this.props.children
    return (
      <EmptyState
        icon="bug"
        title={`${this.props.name} stopped working`}
        actions={
          <Button icon="refresh" onClick={() => this.setState({ problem: null })}>
            Show it again
          </Button>
        }
      >
        <p>This is a bug in Tizona: {problem}</p>
        <p>Unsaved text is kept. If it happens again, reload the window.</p>
      </EmptyState>
    )
  }
}
