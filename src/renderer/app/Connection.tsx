import { useMemo } from 'react'
import type { Failure } from '../../shared/errors.ts'
import { reclaimSession, useBridgeStatus } from '../platform/bridge/bridge.ts'
import { loadApp } from '../platform/appState.ts'
import { CopyButton } from '../platform/CopyButton.tsx'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { Button, EmptyState, Icon, Spinner } from '../ui/index.ts'

/** Bar shown while the connection to main is down. */
export function ConnectionBar() {
  const status = useBridgeStatus()
  if (status.kind === 'refused') {
    return (
      <div className="connection-bar" role="alert" data-level="error">
        <Icon name="debug-disconnect" />
        {` ${status.reason} Copy your unsaved text, then press Enter in the terminal that runs Tizona and open the new address.`}
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

/** Texts that exist only in this page, which "Use here" reloads. */
function UnsentTexts() {
  const texts = useMemo(() => documents.unsentTexts(), [])
  if (texts.length === 0) return null
  return (
    <>
      <p>The other window does not have the latest changes that you typed here. Copy what you need first:</p>
      <ul className="connection-texts" aria-label="Unsaved text of this window">
        {texts.map(({ path, text }) => (
          <li key={path}>
            <span>{path}</span>
            <CopyButton text={text} label={`Copy the text of ${path}`} />
          </li>
        ))}
      </ul>
    </>
  )
}

/** Replaces the workbench when the window cannot connect or another window has taken over. */
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
          <p>{reason}</p>
          <UnsentTexts />
        </EmptyState>
      </main>
    )
  }
  return (
    <main className="connection-page">
      <EmptyState icon="key" title="This page has no session">
        <p>{reason}</p>
        <p>
          Press Enter in the terminal that runs Tizona, then open the new address it prints. Each address works once.
        </p>
      </EmptyState>
    </main>
  )
}

/** Replaces the workbench when the first request for the application state fails. */
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
