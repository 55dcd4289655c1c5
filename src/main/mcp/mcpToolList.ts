import { createHash } from 'node:crypto'
import type { Tool as ServerTool } from '@modelcontextprotocol/sdk/types.js'
import { plural } from '../../shared/text/plural.ts'
import { withoutHiddenCharacters } from '../../shared/text/visibleText.ts'
import type { McpChoice, McpToolStatus } from '../../shared/tools/mcp.ts'
import { risks, type Risk } from '../../shared/tools/risk.ts'
import type { JsonSchema } from '../../shared/tools/tool.ts'
import type { McpTool } from './mcpTool.ts'
import { toolNames } from './mcpToolNames.ts'
import type { Connection } from './serverConnection.ts'
import { truncate } from '../../shared/text/truncate.ts'

/** A server's tool after its texts are limited and sanitized. */
interface ToolDefinition {
  /** Name used by the server. */
  tool: string
  title: string
  /** For the model: truncated, without hidden characters. */
  description: string
  /** For the user: truncated, otherwise unchanged. */
  originalDescription: string
  schema: JsonSchema
  /** Default risk, unless the user chooses another one. */
  risk: Risk
  /** Hash of everything the server declares about the tool; a changed tool has a new fingerprint. */
  fingerprint: string
}

/** Maximum characters of a description for the model. */
const maxDescription = 4000
/** Maximum characters of a parameter schema as JSON. */
const maxSchema = 32_000
const maxDepth = 24
const maxName = 200

/** @returns the definition, or why the tool cannot be used */
function toolDefinition(given: ServerTool, transport: 'stdio' | 'http'): ToolDefinition | { problem: string } {
  const { name, description = '', inputSchema, annotations } = given
  if (name.length > maxName) return { problem: `A tool with a name of ${plural(name.length, 'character')} is ignored.` }
  const json = JSON.stringify(inputSchema)
  if (json.length > maxSchema || depthOf(inputSchema) > maxDepth) {
    return {
      problem: `The tool "${name}" is ignored: its parameter schema has ${plural(json.length, 'character')} or is nested too deeply.`,
    }
  }
  const title = sanitize(given.title ?? annotations?.title ?? name, 100)
  return {
    tool: name,
    title: title === '' ? name : title,
    description: sanitize(description, maxDescription) || title,
    originalDescription: description.slice(0, maxDescription).toWellFormed(),
    // The depth is limited above, and the SDK has checked that it is an object.
    schema: sanitizeSchema(inputSchema) as JsonSchema,
    risk: riskOf(annotations ?? {}, transport),
    fingerprint: fingerprintOf([name, description, inputSchema, annotations ?? {}]),
  }
}

function fingerprintOf(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 32)
}

/**
 * Returns the default risk. The transport sets the minimum: a process executes code, a request uses the network. Hints
 * from the server are untrusted, so they can only raise the risk; only the user can lower it.
 */
function riskOf(hints: NonNullable<ServerTool['annotations']>, transport: 'stdio' | 'http'): Risk {
  const base: Risk = transport === 'stdio' ? 'execute' : 'network'
  if (hints.readOnlyHint === true) return base
  if (hints.destructiveHint === true) return 'destructive'
  return hints.openWorldHint === true && risks.indexOf('network') > risks.indexOf(base) ? 'network' : base
}

function sanitize(text: string, max: number): string {
  const clean = withoutHiddenCharacters(text.slice(0, 2 * max)).trim()
  return truncate(clean, max)
}

/** Sanitizes texts and removes `$schema`, which only schema tools need. */
function sanitizeSchema(value: unknown): unknown {
  if (typeof value === 'string') return withoutHiddenCharacters(value)
  if (Array.isArray(value)) return value.map(sanitizeSchema)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([key]) => key !== '$schema')
  return Object.fromEntries(kept.map(([key, inner]) => [withoutHiddenCharacters(key), sanitizeSchema(inner)]))
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  // Not Math.max(...): an object can have more values than a call allows arguments.
  return 1 + Object.values(value).reduce<number>((deepest, inner) => Math.max(deepest, depthOf(inner)), 0)
}

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
