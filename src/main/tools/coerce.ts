import type { z } from 'zod'
import { ToolError } from '../../shared/errors.ts'
import { nearest } from './nearest.ts'
import { signature } from './schema.ts'
import type { Tool } from './tool.ts'

type Arguments = Record<string, unknown>

/**
 * A call's arguments as the tool's schema types them: aliases by their main names, defaults filled in.
 * Forgives what models often get wrong without doubt about what they mean: JSON text instead of an object, `{}` before the real
 * object, null for what was left out, a number, boolean or list written as text.
 * @param raw an object, or the JSON text a model wrote
 * Throws `invalid_arguments` naming the field, what was expected and what was given, and showing the right shape.
 */
export function parseArguments(tool: Tool, raw: unknown): Arguments {
  const given = withMainNames(tool, argumentObject(tool, raw))
  const first = tool.schema.safeParse(given)
  if (first.success) return first.data
  const second = tool.schema.safeParse(coerced(given, first.error.issues))
  if (second.success) return second.data
  throw invalid(tool, second.error.issues.map((issue) => problem(tool, issue, given)).join(' '))
}

function argumentObject(tool: Tool, raw: unknown): Arguments {
  const value = typeof raw === 'string' ? parseJson(tool, raw) : raw
  if (value === null || value === undefined) return {}
  if (typeof value !== 'object' || Array.isArray(value)) throw invalid(tool, `The arguments must be an object, but are ${shown(value)}.`)
  return Object.fromEntries(Object.entries(value))
}

function parseJson(tool: Tool, text: string): unknown {
  // Some models write an empty object first and the real one after it.
  const json = text.trim().replace(/^(?:\{\s*\}\s*)+(?=\{)/, '')
  if (json === '') return {}
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'string' ? parseJson(tool, value) : value
  } catch (error) {
    if (error instanceof ToolError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw invalid(tool, `The arguments are not valid JSON (${reason}), so nothing was done.`)
  }
}

/** Aliases renamed; nulls, by which models mean "nothing", left out; unknown names refused. */
function withMainNames(tool: Tool, given: Arguments): Arguments {
  const aliases = new Map<string, string>(Object.entries(tool.parameterAliases ?? {}))
  const names = Object.keys(tool.schema.shape)
  const written = new Map<string, string>()
  const result = new Map<string, unknown>()
  const unknown: string[] = []
  for (const [name, value] of Object.entries(given)) {
    const main = names.includes(name) ? name : aliases.get(name)
    if (main === undefined) {
      if (!tool.ignoredParameters?.includes(name)) unknown.push(name)
      continue
    }
    if (value === null || value === undefined) continue
    const other = written.get(main)
    if (other !== undefined && JSON.stringify(result.get(main)) !== JSON.stringify(value)) {
      throw invalid(tool, `"${other}" and "${name}" are two names for the same parameter, but have different values.`)
    }
    written.set(main, name)
    result.set(main, value)
  }
  if (unknown.length > 0) throw invalid(tool, unknown.map((name) => unknownField(tool, name, [...names, ...aliases.keys()])).join(' '))
  return Object.fromEntries(result)
}

function unknownField(tool: Tool, name: string, valid: readonly string[]): string {
  const close = nearest(name, valid)
  return `${tool.name} has no parameter "${shortened(name)}"${close.length > 0 ? `; did you mean "${close[0]}"?` : '.'}`
}

/** The same arguments with texts turned into what the schema expects at the places where it complained. */
function coerced(given: Arguments, issues: readonly z.core.$ZodIssue[]): unknown {
  const copy = structuredClone(given)
  for (const issue of issues) {
    if (issue.code !== 'invalid_type') continue
    const parent = valueAt(copy, issue.path.slice(0, -1))
    const key = issue.path.at(-1)
    if (typeof parent !== 'object' || parent === null || key === undefined) continue
    const value: unknown = Reflect.get(parent, key)
    if (value === null && !isNullFatal(issue)) Reflect.deleteProperty(parent, key)
    else if (typeof value === 'string') Reflect.set(parent, key, fromText(value, issue.expected))
  }
  return copy
}

/** A null inside a list is an item; leaving it out would shift the others. */
function isNullFatal(issue: z.core.$ZodIssue): boolean {
  return typeof issue.path.at(-1) === 'number'
}

function fromText(text: string, expected: string): unknown {
  const trimmed = text.trim()
  if ((expected === 'number' || expected === 'int') && /^-?\d+(\.\d+)?$/.test(trimmed)) return Number(trimmed)
  if (expected === 'boolean' && /^(true|false)$/i.test(trimmed)) return trimmed.toLowerCase() === 'true'
  if ((expected === 'array' && trimmed.startsWith('[')) || ((expected === 'object' || expected === 'record') && trimmed.startsWith('{'))) {
    try {
      return JSON.parse(trimmed)
    } catch {
      // Not JSON after all: the schema names the wrong type.
    }
  }
  return text
}

function problem(tool: Tool, issue: z.core.$ZodIssue, given: Arguments): string {
  const field = fieldName(issue.path)
  const value = valueAt(given, issue.path)
  if ((issue.code === 'invalid_type' || issue.code === 'invalid_value') && (value === undefined || value === null)) {
    const aliases = issue.path.length === 1 ? aliasesOf(tool, String(issue.path[0])) : []
    const accepted = aliases.length > 0 ? ` (also accepted as ${aliases.map((alias) => `"${alias}"`).join(', ')})` : ''
    const values = issue.code === 'invalid_value' ? `; it must be ${oneOf(issue.values)}` : ''
    return `"${field}" is missing${accepted}${values}.`
  }
  switch (issue.code) {
    case 'invalid_type': return `"${field}" must be ${typeName(issue.expected)}, but is ${shown(value)}.`
    case 'invalid_value': return `"${field}" must be ${oneOf(issue.values)}, but is ${shown(value)}.`
    case 'too_small': return `"${field}" must ${bound(issue.origin, issue.minimum, 'at least')}, but is ${shown(value)}.`
    case 'too_big': return `"${field}" must ${bound(issue.origin, issue.maximum, 'at most')}, but is ${shown(value)}.`
    case 'unrecognized_keys': return `"${field}" has no field ${issue.keys.map((key) => `"${shortened(key)}"`).join(', ')}.`
    default: return field === '' ? issue.message : `"${field}": ${issue.message}`
  }
}

function oneOf(values: readonly z.core.util.Primitive[]): string {
  return values.map((value) => (typeof value === 'string' ? `"${value}"` : String(value))).join(' or ')
}

function bound(origin: string, limit: number | bigint, relation: string): string {
  const unit = origin === 'string' ? 'character' : origin === 'array' ? 'item' : undefined
  if (unit !== undefined) return relation === 'at least' && limit === 1 ? 'not be empty' : `have ${relation} ${limit} ${limit === 1 ? unit : `${unit}s`}`
  return `be ${relation} ${limit}`
}

function typeName(expected: string): string {
  const names: Record<string, string> = {
    string: 'a text',
    number: 'a number',
    int: 'a whole number',
    boolean: 'true or false',
    array: 'a list',
    object: 'an object',
    record: 'an object',
  }
  return names[expected] ?? expected
}

function aliasesOf(tool: Tool, name: string): string[] {
  return Object.entries(tool.parameterAliases ?? {}).filter(([, main]) => main === name).map(([alias]) => alias)
}

/** `patches[0].old_text` */
function fieldName(path: readonly PropertyKey[]): string {
  return path.map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index > 0 ? '.' : ''}${String(key)}`)).join('')
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = Reflect.get(value, key)
  }
  return value
}

/** A value as an error shows it, with its type. */
function shown(value: unknown): string {
  if (value === null) return 'null'
  if (value === undefined) return 'nothing'
  if (typeof value === 'string') return `the text ${JSON.stringify(shortened(value))}`
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object') return 'an object'
  return `the ${typeof value} ${JSON.stringify(value)}`
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text
}

function invalid(tool: Tool, message: string): ToolError {
  const example = tool.examples?.[0]
  const shape = `${tool.name} takes ${signature(tool)}.`
  return new ToolError('invalid_arguments', message, example ? `${shape} For example: ${JSON.stringify(example)}` : shape)
}
