import type { DebugSessionInfo } from '../../shared/debug/debug.ts'
import { request } from '../platform/bridge/bridge.ts'
import { runCommand, shortcutOf, type CommandId } from '../platform/commands.ts'
import { liveSessions, selectedSession, selectSession, useDebug } from '../platform/debug/debugStore.ts'
import { attempt } from '../platform/notices.ts'
import { Button, IconButton, Select } from '../ui/index.ts'
import { stopText } from './views/callStack.ts'
import './editor/debugEditor.css'

/** Toolbar above the editor that controls the selected debug session. */
export function DebugToolbar() {
  const sessions = useDebug((state) => state.sessions)
  const session = useDebug(selectedSession)
  const live = liveSessions(sessions)
  if (session === undefined || live.length === 0) return null
  const isStopped = session.state === 'stopped'
  const run = (id: CommandId) => ({ shortcut: shortcutOf(id), onClick: () => void runCommand(id) })
  return (
    <div className="debug-toolbar" role="toolbar" aria-label="Debugging">
      {live.length > 1 && (
        <Select
          label="Session"
          hideLabel
          value={session.id}
          options={live.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(event) => selectSession(event.target.value)}
        />
      )}
      {isStopped ? (
        <IconButton icon="debug-continue" label="Continue" {...run('debug.start')} />
      ) : (
        <IconButton
          icon="debug-pause"
          label="Pause"
          disabled={session.state !== 'running'}
          {...run('debug.pause')}
          shortcut={shortcutOf('region.next')}
        />
      )}
      <IconButton icon="debug-step-over" label="Step over" disabled={!isStopped} {...run('debug.stepOver')} />
      <IconButton icon="debug-step-into" label="Step into" disabled={!isStopped} {...run('debug.stepInto')} />
      <IconButton icon="debug-step-out" label="Step out" disabled={!isStopped} {...run('debug.stepOut')} />
      <IconButton icon="debug-restart" label="Restart" {...run('debug.restart')} />
      <IconButton icon="debug-stop" label="Stop" {...run('debug.stop')} />
      <Owner session={session} />
      <span className="debug-toolbar-note" role="status">
        {stateText(session)}
      </span>
    </div>
  )
}

/** Takes over a session from the agent, or hands it back. */
function Owner({ session }: { session: DebugSessionInfo }) {
  if (session.startedBy === 'user') return null
  const owner = session.owner === 'agent' ? 'user' : 'agent'
  const label = owner === 'user' ? 'Take over' : 'Hand back to the agent'
  return (
    <Button
      size="small"
      onClick={() =>
        attempt(
          () => request('debug.setOwner', { sessionId: session.id, owner }),
          'The session could not be handed over',
        )
      }
    >
      {label}
    </Button>
  )
}

/** Pure: describes the state of a session. */
function stateText(session: DebugSessionInfo): string {
  const { state, name, activity } = session
  switch (state) {
    case 'starting':
      return activity ?? `Starting ${name}…`
    case 'running':
      return `${name} is running`
    case 'stopped':
      return stopText(session)
    case 'ended':
      return `${name} has ended`
  }
}
