import { create } from 'zustand'
import type { McpServerStatus, McpState } from '../../shared/mcp.ts'
import type { RequestName, RequestParams } from '../../shared/protocol.ts'
import { on, request } from './bridge/bridge.ts'
import { onAppState } from './appState.ts'
import { attempt, notify } from './notices.ts'

interface McpStore {
  /** Null until main has answered. */
  state: McpState | null
  /** Key of the server whose definition the trust dialog shows. */
  reviewing: string | null
}

export const useMcp = create<McpStore>()(() => ({ state: null, reviewing: null }))

/** Keys of definitions that this window has shown a notice for. */
const asked = new Set<string>()

function show(state: McpState): void {
  const { reviewing } = useMcp.getState()
  // Close the dialog if the definition changed meanwhile: it has another key.
  useMcp.setState({ state, reviewing: state.servers.some(({ key }) => key === reviewing) ? reviewing : null })
  for (const server of state.servers.filter(({ state: stands, key }) => stands === 'untrusted' && !asked.has(key)))
    ask(server)
}

/** Shows a notice that a server is not trusted yet. */
function ask({ key, name, file, before }: McpServerStatus): void {
  asked.add(key)
  const what = before === undefined ? 'names' : 'has another definition of'
  notify(
    'warning',
    `${file ?? 'This folder'} ${what} the MCP server “${name}”. It is not started until you trust it.`,
    {
      actions: [{ label: 'Review…', run: () => reviewServer(key) }],
    },
  )
}

/** Opens the dialog with the full definition of a server; null closes it. */
export function reviewServer(key: string | null): void {
  useMcp.setState({ reviewing: key })
}

type McpRequest = Exclude<Extract<RequestName, `mcp.${string}`>, 'mcp.state'>

/** Requests a change and takes over the state that main returns. @throws ToolError if main refuses the change */
export async function changeMcp<N extends McpRequest>(method: N, params: RequestParams<N>): Promise<void> {
  // Every request of this kind returns the state.
  show((await request(method, params)) as McpState)
}

/** Follows the state of the MCP servers. @returns stop */
export function registerMcp(): () => void {
  const stops = [on('mcp.changed', show), onAppState(() => attempt(async () => show(await request('mcp.state', {}))))]
  return () => stops.forEach((stop) => stop())
}
