import { useApp } from '../platform/appState.ts'

/** Whether commands can run in a sandbox on this machine, and what to do if not. */
export function SandboxNote() {
  const state = useApp((store) => store.state?.sandbox)
  if (state?.kind === 'available')
    return <p className="settings-text">The sandbox is available on this computer ({state.program}).</p>
  if (state?.kind !== 'unavailable') return null
  return (
    <p className="settings-text" role="status">
      The sandbox is not available: {state.reason}. {state.hint}
    </p>
  )
}
