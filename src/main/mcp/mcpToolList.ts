import type { McpChoice, McpToolStatus } from '../../shared/tools/mcp.ts'
import type { Connection } from './serverConnection.ts'
import type { McpTool } from './mcpTool.ts'
import { toolDefinition, type ToolDefinition } from './mcpToolDefinition.ts'
import { toolNames } from './mcpToolNames.ts'

interface Server {
  key: string
  name: string
  definition: { type: 'stdio' | 'http' }
  connection?: Connection
}

/** A tool of a server, for the executor and for the window. */
export interface ListedTool<S extends Server> {
  owner: S
  tool: McpTool
  status: McpToolStatus
}

/**
 * Lists the tools of all servers under unique names, ordered by server and tool name. Deterministic.
 * @param onProblem called for tools that cannot be used
 */
export function listServerTools<S extends Server>(
  servers: readonly S[],
  choice: (server: S) => McpChoice | undefined,
  onProblem: (server: S, problem: string) => void,
): ListedTool<S>[] {
  const defined = servers.flatMap((owner) =>
    definitionsOf(owner, onProblem).map((definition) => ({ owner, definition })),
  )
  const names = toolNames(defined.map(({ owner, definition }) => ({ server: owner.name, tool: definition.tool })))
  return defined.map(({ owner, definition }, index) => {
    const {
      tool,
      title,
      description,
      originalDescription: givenDescription,
      schema,
      risk: ownRisk,
      fingerprint,
    } = definition
    const name = names[index] ?? tool
    const tools = choice(owner)?.tools ?? {}
    const chosen = Object.hasOwn(tools, tool) ? tools[tool] : undefined
    // A tool with a changed declaration may be a different tool, so an earlier risk choice does not apply.
    const risk = chosen?.fingerprint === fingerprint ? (chosen.risk ?? ownRisk) : ownRisk
    const off = chosen?.off ?? false
    return {
      owner,
      tool: {
        name,
        tool,
        title,
        description,
        schema,
        risk,
        off,
        fingerprint,
        server: owner.name,
        serverKey: owner.key,
        call: (args, options) => connectionOf(owner).call(tool, args, options),
      },
      status: { name, tool, title, description: givenDescription, risk, ownRisk, off, fingerprint },
    }
  })
}

function definitionsOf<S extends Server>(owner: S, onProblem: (server: S, problem: string) => void): ToolDefinition[] {
  const found = new Map<string, ToolDefinition>()
  for (const given of owner.connection?.tools() ?? []) {
    const defined = toolDefinition(given, owner.definition.type)
    if ('problem' in defined) onProblem(owner, defined.problem)
    else if (found.has(defined.tool))
      onProblem(owner, `The tool "${defined.tool}" is listed twice; the first one is used.`)
    else found.set(defined.tool, defined)
  }
  return [...found.values()].toSorted((one, other) => (one.tool < other.tool ? -1 : 1))
}

function connectionOf({ connection, name }: Server): Connection {
  if (!connection) throw new Error(`The server ${name} has tools but no connection.`)
  return connection
}
