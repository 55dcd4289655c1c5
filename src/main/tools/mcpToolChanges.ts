import type { McpServerStatus } from '../../shared/mcp.ts'
import type { McpTool } from '../mcp/mcpTool.ts'
import type { Mcp } from '../mcp/mcpServers.ts'
import { mcpTool } from './mcpTools.ts'
import type { Tool } from './tool.ts'

/** The tools of the open folder's MCP servers, as the registry and the agent take them. */
export interface ServerTools {
  /** Those that are switched off among them. */
  list(): readonly Tool[]
  isOff(name: string): boolean
  /**
   * Starts the servers that may be started and waits for them, `maxMs` at most: one that takes longer comes later.
   * @param onWaiting told once where there is something to wait for
   * @returns what is wrong with servers whose tools are missing, in words
   */
  ready(signal: AbortSignal, maxMs: number, onWaiting?: () => void): Promise<string[]>
}

/**
 * @param mcp of the open folder
 * @param onRedefined told of a tool's name when another server has it, or its server describes it in other words: what was allowed of it was
 * allowed of another tool
 */
export function createServerTools(mcp: () => Mcp | undefined, onRedefined: (name: string) => void): ServerTools {
  // Made once for each list: parsing a server's schemas anew for every call would be waste.
  let made: { of: readonly McpTool[]; tools: readonly Tool[]; off: ReadonlySet<string> } = {
    of: [],
    tools: [],
    off: new Set(),
  }
  const known = new Map<string, string>()

  function current() {
    const of = mcp()?.tools() ?? []
    if (made.of === of) return made
    for (const { name, serverKey, fingerprint } of of) {
      const before = known.get(name)
      // A server of another definition may give its tool the same name and words.
      const now = `${serverKey} ${fingerprint}`
      known.set(name, now)
      if (before !== undefined && before !== now) onRedefined(name)
    }
    made = { of, tools: of.map(mcpTool), off: new Set(of.filter(({ off }) => off).map(({ name }) => name)) }
    return made
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
      return open.state().servers.flatMap((server) => problemOf(server) ?? [])
    },
  }
}

function problemOf({ name, state, problem, file }: McpServerStatus): string | undefined {
  if (state === 'untrusted')
    return `The MCP server "${name}", which ${file} names, waits for your trust and was not started.`
  return problem !== undefined && state !== 'connected'
    ? `The MCP server "${name}" is not connected. ${problem}`
    : undefined
}
