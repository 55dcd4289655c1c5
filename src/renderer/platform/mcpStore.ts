import { create } from 'zustand'
import type { McpServerStatus, McpState } from '../../shared/tools/mcp.ts'
import type { RequestName, RequestParams } from '../../shared/bridge/protocol.ts'
import { on, request } from './bridge/bridge.ts'
import { onAppState } from './appState.ts'
import { attempt, notify } from './notices.ts'

interface McpStore {
  /** Null until main has responded. */
  state: McpState | null
  /** Key of the server whose definition the trust dialog shows. */
  reviewing: string | null
}

export const useMcp = create<McpStore>()(() => ({ state: null, reviewing: null }))

/** Servers whose notice this window has shown, by key. */
const notified = new Set<string>()

function applyState(state: McpState): void {
  const { reviewing } = useMcp.getState()
  // A changed definition has a different key. Close the dialog that shows the old one.
  useMcp.setState({ state, reviewing: state.servers.some(({ key }) => key === reviewing) ? reviewing : null })
  for (const server of state.servers)
    if (server.state === 'untrusted' && !notified.has(server.key)) notifyUntrusted(server)
}

/** Shows a notice that a server needs the user's trust. */
function notifyUntrusted({ key, name, file, before }: McpServerStatus): void {
  notified.add(key)
  const source = file ?? 'This folder'
  const message =
    before === undefined
      ? `${source} defines the MCP server "${name}". It does not start until you trust it.`
      : `${source} changed the MCP server "${name}". It does not start until you trust it.`
  notify('warning', message, { actions: [{ label: 'Review…', run: () => reviewServer(key) }] })
}

/** Opens a server's trust dialog; null closes it. */
export function reviewServer(key: string | null): void {
  useMcp.setState({ reviewing: key })
}

type McpRequest = Exclude<Extract<RequestName, `mcp.${string}`>, 'mcp.state' | 'mcp.findSignIn' | 'mcp.prompt'>

/** Requests a change and applies the state that main returns. @throws ToolError if the request fails */
export async function changeMcp<N extends McpRequest>(method: N, params: RequestParams<N>): Promise<void> {
  // Every `mcp` change request returns the state.
  applyState((await request(method, params)) as McpState)
}

/** Subscribes to the state of the MCP servers. @returns a function that unsubscribes */
export function registerMcp(): () => void {
  const stops = [
    on('mcp.changed', applyState),
    onAppState(() => attempt(async () => applyState(await request('mcp.state', {})))),
  ]
  return () => stops.forEach((stop) => stop())
}
