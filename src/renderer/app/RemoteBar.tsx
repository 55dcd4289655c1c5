import { visibleText } from '../../shared/text/visibleText.ts'
import { request } from '../platform/bridge/bridge.ts'
import { useApp } from '../platform/appState.ts'
import { runCommand } from '../platform/commands.ts'
import { attempt } from '../platform/notices.ts'
import { Button, Icon, Spinner } from '../ui/index.ts'
import { useConnecting } from '../welcome/connectToHost.ts'
import { StatusItem } from './StatusItem.tsx'

/** Bars about other machines: an attempt to connect, and a connection that broke. */
export function RemoteBars() {
  const remote = useApp((store) => store.state?.remote)
  const connecting = useConnecting((state) => state.connecting)
  return (
    <>
      {connecting !== null && (
        <div className="connection-bar" role="status">
          <Spinner label="Connecting" /> {connecting.text ?? `Connecting to ${connecting.address}…`}
          <Button
            size="small"
            onClick={() => attempt(() => request('remote.cancel', { operation: connecting.operation }))}
          >
            Cancel
          </Button>
        </div>
      )}
      {remote?.connection === 'reconnecting' && (
        <div className="connection-bar" role="status">
          <Spinner label="Reconnecting" />
          {remote.opening === undefined
            ? ` The connection to ${remote.host.label} was lost. Reconnecting… What you type is kept and sent then.`
            : ` Connecting to ${remote.host.label} to open ${visibleText(remote.opening)} again…`}
          <Button size="small" onClick={() => runCommand('remote.reconnect')}>
            {remote.opening === undefined ? 'Reconnect now' : 'Connect now'}
          </Button>
        </div>
      )}
      {remote?.connection === 'lost' && (
        <div className="connection-bar" role="alert" data-level="error">
          <Icon name="debug-disconnect" />
          {` ${remote.problem ?? `The connection to ${remote.host.label} was lost.`} `}
          {remote.opening === undefined && 'What you type is kept.'}
          <Button size="small" onClick={() => runCommand('remote.reconnect')}>
            {remote.opening === undefined ? 'Reconnect' : 'Connect'}
          </Button>
        </div>
      )}
    </>
  )
}

/** Names the host of the window in the status bar. */
export function RemoteItem() {
  const remote = useApp((store) => store.state?.remote)
  if (!remote) return null
  const { host, connection } = remote
  return (
    <StatusItem
      command="remote.connect"
      label={
        connection === 'connected'
          ? `Connected to ${host.label}. Connect to another host.`
          : `Not connected to ${host.label}. Connect to another host.`
      }
      className={connection === 'connected' ? '' : 'status-warning'}
    >
      <Icon name={connection === 'connected' ? 'remote' : 'debug-disconnect'} /> {host.label}
    </StatusItem>
  )
}
