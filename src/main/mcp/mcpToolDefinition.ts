import { createHash } from 'node:crypto'
import type { Tool as ServerTool } from '@modelcontextprotocol/sdk/types.js'
import { risks, type Risk } from '../../shared/tools/risk.ts'
import type { JsonSchema } from '../../shared/tools/tool.ts'
import { withoutHiddenCharacters } from '../../shared/text/visibleText.ts'
import { plural } from '../../shared/text/plural.ts'

/** A server's tool after its texts are limited and sanitized. */
export interface ToolDefinition {
  /** Name used by the server. */
  tool: string
  title: string
  /** For the model: truncated, without hidden characters. */
  description: string
  /** For the user: truncated, otherwise unchanged. */
  originalDescription: string
  schema: JsonSchema
  /** Default risk, before the user's choice. */
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
export function toolDefinition(given: ServerTool, transport: 'stdio' | 'http'): ToolDefinition | { problem: string } {
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
  return clean.length > max ? `${clean.slice(0, max).toWellFormed()}…` : clean
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
