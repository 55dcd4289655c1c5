import type { McpServerStatus } from '../../shared/tools/mcp.ts'
import type { McpTool } from '../mcp/mcpTool.ts'
import type { Mcp } from '../mcp/mcpServers.ts'
import { adaptMcpTool } from './mcpToolAdapter.ts'
import type { Tool } from './common/toolDefinition.ts'

/** The tools of the open folder's MCP servers, for the registry and the agent. */
export interface McpToolProvider {
  /** Includes tools that are turned off. */
  list(): readonly Tool[]
  isOff(name: string): boolean
  /**
   * Starts trusted servers and waits at most `maxMs` milliseconds. Tools of slower servers appear later.
   * @param onWaiting called once if a server is not connected yet
   * @returns messages about servers whose tools are missing
   */
  ready(signal: AbortSignal, maxMs: number, onWaiting?: () => void): Promise<string[]>
  /** Starts trusted servers without waiting. @returns messages about servers whose tools are missing now */
  start(): string[]
}

/**
 * @param mcp servers of the open folder
 * @param onRedefined called with a tool's name if its server or definition changed, because grants apply to the old
 *   tool
 */
export function createMcpToolProvider(
  mcp: () => Mcp | undefined,
  onRedefined: (name: string) => void,
): McpToolProvider {
  // Cached per list, because parsing the schemas for each call is slow.
  let cached: { source: readonly McpTool[]; tools: readonly Tool[]; off: ReadonlySet<string> } = {
    source: [],
    tools: [],
    off: new Set(),
  }
  const known = new Map<string, string>()

  function current() {
    const source = mcp()?.tools() ?? []
    if (cached.source === source) return cached
    for (const { name, serverKey, fingerprint } of source) {
      const before = known.get(name)
      // The server key is included, because a different server may define a tool with the same name and description.
      const now = `${serverKey} ${fingerprint}`
      known.set(name, now)
      if (before !== undefined && before !== now) onRedefined(name)
    }
    cached = {
      source,
      tools: source.map(adaptMcpTool),
      off: new Set(source.filter(({ off }) => off).map(({ name }) => name)),
    }
    return cached
  }

  return {
    list: () => current().tools,
    isOff: (name) => current().off.has(name),
    async ready(signal, maxMs, onWaiting) {
      const open = mcp()
      if (!open) return []
      if (open.state().servers.some(({ state }) => state === 'idle' || state === 'starting')) onWaiting?.()
      const limit = AbortSignal.timeout(maxMs)
      await open.ready(AbortSignal.any([signal, limit])).catch((error: unknown) => {
        signal.throwIfAborted()
        if (!limit.aborted) throw error
      })
      return problems(open)
    },
    start() {
      const open = mcp()
      if (!open) return []
      open.start()
      return problems(open)
    },
  }
}

const problems = (open: Mcp): string[] => open.state().servers.flatMap((server) => problemOf(server) ?? [])

function problemOf({ name, state, problem, file }: McpServerStatus): string | undefined {
  if (state === 'untrusted')
    return `The MCP server "${name}" from ${file} was not started, because you have not trusted it yet.`
  if (state === 'restricted')
    return `The MCP server "${name}" from ${file} was not started, because this folder is not trusted.`
  if (state === 'idle' || state === 'starting')
    return `The MCP server "${name}" is still starting. Once it has started, its tools are available from your next message on.`
  return problem !== undefined && state !== 'connected'
    ? `The MCP server "${name}" is not connected. ${problem}`
    : undefined
}
