import { useWorkspace } from '../../platform/appState.ts'
import { Button, Icon, Spinner } from '../../ui/index.ts'
import { McpServerForm } from './McpServerForm.tsx'
import { McpServerRow } from './McpServerRow.tsx'
import { useMcp } from '../../platform/mcpStore.ts'
import { useOpenForm } from '../useOpenForm.ts'
import './mcp.css'

/** Lists the MCP servers with their status, tools and logs, and the form to add or edit one. */
export function McpServers() {
  const state = useMcp((store) => store.state)
  const workspace = useWorkspace()
  /** Key of the server being edited, or `new`. */
  const { editing, open, close, opener } = useOpenForm()
  if (!state) return <Spinner label="Loading the MCP servers" />
  return (
    <div className="mcp">
      {state.servers.length === 0 && editing === null && (
        <p className="endpoints-none">
          No MCP servers yet. Add one here, or define servers for a project in its <code>.mcp.json</code>. Those start
          after you trust them.
        </p>
      )}
      {state.problems.map((problem) => (
        <p key={problem} className="mcp-problem" role="alert">
          <Icon name="warning" />
          {problem}
        </p>
      ))}
      <ul className="endpoints-list">
        {state.servers.map((server) => (
          <li key={server.key}>
            {editing === server.key ? (
              <McpServerForm server={server} onDone={close} />
            ) : (
              <McpServerRow
                server={server}
                folderOpen={workspace !== null}
                openerRef={opener(server.key)}
                onEdit={() => open(server.key)}
              />
            )}
          </li>
        ))}
      </ul>
      {editing === 'new' ? (
        <McpServerForm onDone={close} />
      ) : (
        <div className="endpoints-actions">
          <Button ref={opener('new')} icon="add" onClick={() => open('new')}>
            Add MCP server
          </Button>
        </div>
      )}
    </div>
  )
}
