import { createHash } from 'node:crypto'
import type { Tool as ServerTool } from '@modelcontextprotocol/sdk/types.js'
import { risks, type Risk } from '../../shared/risk.ts'
import type { JsonSchema } from '../../shared/tool.ts'
import { withoutHiddenCharacters } from '../../shared/visibleText.ts'
import { plural } from '../../shared/plural.ts'

/** A server's tool as Tizona takes it: what another program wrote is bounded, and cleaned before a model reads it. */
export interface ToolDefinition {
  /** As the server calls it. */
  tool: string
  title: string
  /** For a model: without hidden characters, cut. */
  description: string
  /** For people: as it was given, cut. */
  givenDescription: string
  schema: JsonSchema
  /** Without a choice of the user's. */
  risk: Risk
  /** Of everything the server says about the tool: another one, another tool. */
  fingerprint: string
}

/** Characters of a description that a model reads. */
const maxDescription = 4000
/** Characters of a tool's parameters as JSON. */
const maxSchema = 32_000
const maxDepth = 24
const maxName = 200

/** @returns why a tool cannot be offered, in words, where it cannot */
export function toolDefinition(given: ServerTool, transport: 'stdio' | 'http'): ToolDefinition | { problem: string } {
  const { name, description = '', inputSchema, annotations } = given
  if (name.length > maxName)
    return { problem: `A tool with a name of ${plural(name.length, 'character')} is left out.` }
  const json = JSON.stringify(inputSchema)
  if (json.length > maxSchema || depthOf(inputSchema) > maxDepth) {
    return {
      problem: `The tool "${name}" is left out: its parameters are described in ${plural(json.length, 'character')}, or nested too deep.`,
    }
  }
  const title = sanitize(given.title ?? annotations?.title ?? name, 100)
  return {
    tool: name,
    title: title === '' ? name : title,
    description: sanitize(description, maxDescription) || title,
    givenDescription: description.slice(0, maxDescription).toWellFormed(),
    // Bounded in depth above; the SDK checked that it is an object.
    schema: sanitizeSchema(inputSchema) as JsonSchema,
    risk: riskOf(annotations ?? {}, transport),
    fingerprint: fingerprintOf([name, description, inputSchema, annotations ?? {}]),
  }
}

function fingerprintOf(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 32)
}

/**
 * Never below what the way to the server means: a process runs, a request leaves the machine. A server's hints are its own word
 * (the protocol calls them untrusted), so they only ever raise the risk; lowering it is the user's.
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

/** Texts cleaned, keys that only tell tools of the schema's kind left out. */
function sanitizeSchema(value: unknown): unknown {
  if (typeof value === 'string') return withoutHiddenCharacters(value)
  if (Array.isArray(value)) return value.map(sanitizeSchema)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([key]) => key !== '$schema')
  return Object.fromEntries(kept.map(([key, inner]) => [withoutHiddenCharacters(key), sanitizeSchema(inner)]))
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  // Not Math.max(...): an object may have more values than a call takes arguments.
  return 1 + Object.values(value).reduce<number>((deepest, inner) => Math.max(deepest, depthOf(inner)), 0)
}
