import { create } from 'zustand'
import type { McpServerStatus, McpState } from '../../shared/mcp.ts'
import type { RequestName, RequestParams } from '../../shared/protocol.ts'
import { on, request } from './bridge/bridge.ts'
import { onAppState } from './appState.ts'
import { attempt, notify } from './notices.ts'

interface McpStore {
  /** Null until main answered for the first time. */
  state: McpState | null
  /** The server whose definition is being looked at before it is trusted. */
  reviewing: string | null
}

export const useMcp = create<McpStore>()(() => ({ state: null, reviewing: null }))

/** Keys of definitions that this window has asked about. */
const asked = new Set<string>()

function show(state: McpState): void {
  const { reviewing } = useMcp.getState()
  // A definition that changed while it was looked at is another one.
  useMcp.setState({ state, reviewing: state.servers.some(({ key }) => key === reviewing) ? reviewing : null })
  for (const server of state.servers.filter(({ state: stands, key }) => stands === 'untrusted' && !asked.has(key)))
    ask(server)
}

/** Says that a server waits for trust; nobody is stopped by it. */
function ask({ key, name, file, before }: McpServerStatus): void {
  asked.add(key)
  const what = before === undefined ? 'names' : 'has another definition of'
  notify(
    'warning',
    `${file ?? 'This folder'} ${what} the MCP server “${name}”. It is not started until you trust it.`,
    {
      actions: [{ label: 'Review…', run: () => review(key) }],
    },
  )
}

/** Opens the dialog that shows a definition whole. */
export function review(key: string | null): void {
  useMcp.setState({ reviewing: key })
}

type McpRequest = Exclude<Extract<RequestName, `mcp.${string}`>, 'mcp.state'>

/** Asks main for a change; the answer is how the servers stand then. @throws what main answers */
export async function changeMcp<N extends McpRequest>(method: N, params: RequestParams<N>): Promise<void> {
  // Every request of this kind is answered with the state.
  show((await request(method, params)) as McpState)
}

/** Follows main's servers from the window's start on. @returns stop */
export function registerMcp(): () => void {
  const stops = [on('mcp.changed', show), onAppState(() => attempt(async () => show(await request('mcp.state', {}))))]
  return () => stops.forEach((stop) => stop())
}
