import type { Failure } from '../../shared/errors.ts'
import { reclaimSession, useBridgeStatus } from '../platform/bridge/bridge.ts'
import { loadApp } from '../platform/appState.ts'
import { Button, EmptyState, Icon, Spinner } from '../ui/index.ts'

/** A bar that is shown while the connection is down. */
export function ConnectionBar() {
  const status = useBridgeStatus()
  if (status.kind === 'refused') {
    return (
      <div className="connection-bar" role="alert" data-level="error">
        <Icon name="debug-disconnect" /> {status.reason} Copy what is unsaved here, then open the fresh address that
        Enter prints in Tizona's terminal.
      </div>
    )
  }
  if (status.kind !== 'reconnecting') return null
  return (
    <div className="connection-bar" role="status">
      <Spinner label="Reconnecting" /> The connection to Tizona was lost. Reconnecting… Unsaved text stays in this
      window.
    </div>
  )
}

/** Replaces the window if it cannot or must not connect. */
export function ConnectionPage({ kind, reason }: { kind: 'refused' | 'detached'; reason: string }) {
  if (kind === 'detached') {
    return (
      <main className="connection-page">
        <EmptyState
          icon="multiple-windows"
          title="Tizona is open in another window"
          actions={
            <Button variant="primary" onClick={reclaimSession}>
              Use here
            </Button>
          }
        >
          {reason}
        </EmptyState>
      </main>
    )
  }
  return (
    <main className="connection-page">
      <EmptyState icon="key" title="This page has no session">
        <p>{reason}</p>
        <p>
          Press Enter in the terminal that runs Tizona, then open the fresh address it prints. Each address works once.
        </p>
      </EmptyState>
    </main>
  )
}

/** Replaces the window if the first request for its state failed. */
export function StartFailure({ failure }: { failure: Failure }) {
  return (
    <EmptyState
      icon="error"
      title="The window could not be loaded"
      actions={
        <Button variant="primary" onClick={loadApp}>
          Try again
        </Button>
      }
    >
      <p>{failure.message}</p>
      <p>{failure.next}</p>
    </EmptyState>
  )
}
