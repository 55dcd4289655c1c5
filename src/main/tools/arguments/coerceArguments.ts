import { z } from 'zod'
import { allFeatures, type Features } from '../../base/features.ts'
import { ToolError } from '../../../shared/errors.ts'
import { plural } from '../../../shared/text/plural.ts'
import { isStrayParameter } from './foreignTools.ts'
import { nearestNames } from './nearestName.ts'
import { isTruncatedJson, repairJson } from './repairJson.ts'
import { signature } from '../schema/toolSchema.ts'
import type { Tool } from '../common/toolDefinition.ts'
import { truncate } from '../../../shared/text/truncate.ts'

type Arguments = Record<string, unknown>
type RepairOptions = Pick<Features, 'repair' | 'coerce'>

/** Validated arguments with main names and defaults. */
export interface ParsedArguments {
  values: Arguments
  /** The arguments were invalid JSON or had wrong types, and were repaired. */
  repaired: boolean
}

/**
 * Parses the arguments of a call by the tool's schema, with main names and defaults. Repairs unambiguous mistakes of
 * models: JSON text instead of an object, `{}` before the real object, null for omitted values, broken JSON
 * (repairJson.ts), numbers, booleans or lists as text, one item instead of a list, and enum values in another case.
 * @param raw an object, or JSON text from a model
 * @param repairs enabled repairs. Benchmarks and tests turn some off.
 * @throws ToolError invalid_arguments with the field, the expected and actual value, and the correct signature
 */
export function readArguments(tool: Tool, raw: unknown, repairs: RepairOptions = allFeatures): ParsedArguments {
  const written = argumentsObject(tool, raw, repairs)
  const named = renameToMainNames(tool, written.values, repairs)
  const given = tool.complete?.(named) ?? named
  let attempt = tool.schema.safeParse(given)
  if (attempt.success) return { values: attempt.data, repaired: written.repaired }
  let values: unknown = given
  // Errors inside a list that was passed as text appear only after the list is parsed.
  for (let round = 0; repairs.coerce && round < 3 && !attempt.success; round++) {
    values = coerceAtIssues(values, attempt.error.issues)
    attempt = tool.schema.safeParse(values)
  }
  if (attempt.success) return { values: attempt.data, repaired: true }
  throw invalid(tool, attempt.error.issues.map((issue) => describeIssue(tool, issue, given)).join(' '))
}

/** Returns only the values of `readArguments`. */
export function parseArguments(tool: Tool, raw: unknown): Arguments {
  return readArguments(tool, raw).values
}

/** Returns the arguments as an object with the names as passed. @throws ToolError invalid_arguments */
export function argumentsObject(tool: Tool, raw: unknown, repairs: RepairOptions): ParsedArguments {
  const { value, repaired } = typeof raw === 'string' ? parseJson(tool, raw, repairs) : { value: raw, repaired: false }
  if (value === null || value === undefined) return { values: {}, repaired }
  if (typeof value !== 'object' || Array.isArray(value))
    throw invalid(tool, `The arguments must be an object, but are ${describeValue(value)}.`)
  return { values: Object.fromEntries(Object.entries(value)), repaired }
}

function parseJson(tool: Tool, text: string, repairs: RepairOptions): { value: unknown; repaired: boolean } {
  // Some models write an empty object before the real one.
  const json = text.trim().replace(/^(?:\{\s*\}\s*)+(?=\{)/, '')
  if (json === '') return { value: {}, repaired: false }
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    if (isTruncatedJson(json)) throw truncatedCall(tool)
    const found = repairs.repair ? repairJson(json) : undefined
    if (found?.kind === 'repaired') return { value: found.value, repaired: true }
    const reason = error instanceof Error ? error.message : String(error)
    throw invalid(tool, `The arguments are not valid JSON (${reason}). Call not run.`)
  }
  return typeof value === 'string' ? parseJson(tool, value, repairs) : { value, repaired: false }
}

function truncatedCall(tool: Tool): ToolError {
  return new ToolError(
    'invalid_arguments',
    'The call was cut off: its arguments are not valid JSON because their end is missing. Call not run.',
    `Call ${tool.name} again, in smaller pieces if the call is long.`,
  )
}

/** Renames aliases, removes nulls, which models use for omitted values, and refuses unknown names. */
function renameToMainNames(tool: Tool, given: Arguments, { repair }: RepairOptions): Arguments {
  const aliases = new Map<string, string>(Object.entries(tool.parameterAliases ?? {}))
  const names = Object.keys(tool.schema.shape)
  const open = allowsUnlistedNames(tool.schema)
  const written = new Map<string, string>()
  const result = new Map<string, unknown>()
  const unknown: string[] = []
  for (const [name, value] of Object.entries(given)) {
    const main =
      names.includes(name) || (open && !aliases.has(name))
        ? name
        : (aliases.get(name) ?? sameParameter(name, names, aliases))
    if (main === undefined) {
      if (!tool.ignoredParameters?.includes(name) && !(repair && isStray(tool, name, value))) unknown.push(name)
      continue
    }
    if (value === null || value === undefined || (repair && isOmitted(tool, main, value))) continue
    const other = written.get(main)
    if (other !== undefined && JSON.stringify(result.get(main)) !== JSON.stringify(value)) {
      throw invalid(tool, `"${other}" and "${name}" are names of the same parameter, but have different values.`)
    }
    written.set(main, name)
    result.set(main, value)
  }
  if (unknown.length > 0) throw invalid(tool, unknown.map((name) => unknownField(tool, name)).join(' '))
  return Object.fromEntries(result)
}

/** Parameters whose empty text is a value: an edit to nothing, an empty file. */
const emptyTexts: ReadonlySet<string> = new Set(['content', 'old_text', 'new_text', 'text_a', 'text_b', 'body'])

/** Whether a model wrote an empty text for an optional parameter that it does not use. */
function isOmitted(tool: Tool, name: string, value: unknown): boolean {
  if (value !== '' || tool.server !== undefined || emptyTexts.has(name)) return false
  const field: unknown = tool.schema.shape[name]
  return field instanceof z.ZodType && field.safeParse(undefined).success
}

/** MCP servers decide themselves which names they ignore. */
function isStray(tool: Tool, name: string, value: unknown): boolean {
  // The time limit of a command is never dropped.
  if (tool.server !== undefined || (tool.commandLine !== undefined && name === 'timeout')) return false
  return isStrayParameter(name, value)
}

/** Finds the parameter whose name differs only in case and punctuation: `filePath` and `file_path`. */
function sameParameter(
  name: string,
  names: readonly string[],
  aliases: ReadonlyMap<string, string>,
): string | undefined {
  const fold = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  const wanted = fold(name)
  const same = new Set([
    ...names.filter((own) => fold(own) === wanted),
    ...[...aliases].flatMap(([alias, main]) => (fold(alias) === wanted ? [main] : [])),
  ])
  return same.size === 1 ? [...same][0] : undefined
}

/** Returns whether the schema of an MCP tool allows names that it does not list. */
function allowsUnlistedNames({ def }: z.ZodObject): boolean {
  return def.catchall !== undefined && def.catchall._zod.def.type !== 'never'
}

/** Suggests only names in the tool's schema, as the model sees it. */
function unknownField(tool: Tool, name: string): string {
  const { parameterAliases: aliases = {}, unlistedParameters: unlisted = [] } = tool
  const offered = Object.keys(tool.schema.shape).filter((own) => !unlisted.includes(own))
  const [close] = nearestNames(name, [...offered, ...Object.keys(aliases)])
  const main = close === undefined || offered.includes(close) ? close : aliases[close]
  const found = main !== undefined && offered.includes(main) ? main : nearestNames(name, offered)[0]
  return `${tool.name} has no parameter "${truncate(name, 60)}"${found === undefined ? '.' : `; did you mean "${found}"?`}`
}

/** Returns a copy of the arguments with repairs where the schema reports issues. */
function coerceAtIssues(given: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  const copy = structuredClone(given)
  for (const issue of issues) {
    const parent = valueAt(copy, issue.path.slice(0, -1))
    const key = issue.path.at(-1)
    if (typeof parent !== 'object' || parent === null || key === undefined) continue
    const value: unknown = Reflect.get(parent, key)
    if (issue.code === 'invalid_value' && typeof value === 'string')
      Reflect.set(parent, key, matchEnumValue(value, issue.values))
    if (issue.code === 'unrecognized_keys') dropStrayKeys(value, issue.keys)
    if (issue.code !== 'invalid_type') continue
    if (value === null && !isListItem(issue)) Reflect.deleteProperty(parent, key)
    else if (typeof value === 'string') Reflect.set(parent, key, fromText(value, issue.expected, key))
    else if (issue.expected === 'string' && (typeof value === 'number' || typeof value === 'boolean'))
      Reflect.set(parent, key, String(value))
    else if (issue.expected === 'array' && typeof value === 'object' && value !== null)
      Reflect.set(parent, key, [value])
  }
  return copy
}

function dropStrayKeys(value: unknown, keys: readonly string[]): void {
  if (typeof value !== 'object' || value === null) return
  for (const key of keys) if (isStrayParameter(key, Reflect.get(value, key))) Reflect.deleteProperty(value, key)
}

/** Returns the enum value that differs only in case. */
function matchEnumValue(text: string, words: readonly z.core.util.Primitive[]): unknown {
  const folded = text.trim().toLowerCase()
  const same = words.filter((word) => typeof word === 'string' && word.toLowerCase() === folded)
  return same.length === 1 ? same[0] : text
}

/** Returns whether an issue is about a list item. A null item stays, because removing it would shift the others. */
function isListItem(issue: z.core.$ZodIssue): boolean {
  return typeof issue.path.at(-1) === 'number'
}

/** Reads "line 8" as a line number. */
const lineNumber = /^(?:at )?(?:line|l) ?(\d+)$/i

function fromText(text: string, expected: string, key: PropertyKey): unknown {
  const trimmed = text.trim()
  const line = /line|offset|start|end/.test(String(key)) ? lineNumber.exec(trimmed)?.[1] : undefined
  if ((expected === 'number' || expected === 'int') && line !== undefined) return Number(line)
  if ((expected === 'number' || expected === 'int') && /^-?\d+(\.\d+)?$/.test(trimmed)) return Number(trimmed)
  if (expected === 'boolean' && /^(true|false)$/i.test(trimmed)) return trimmed.toLowerCase() === 'true'
  if (
    (expected === 'array' && /^[[{]/.test(trimmed)) ||
    ((expected === 'object' || expected === 'record') && trimmed.startsWith('{'))
  ) {
    try {
      return JSON.parse(trimmed)
    } catch {
      // For example raw line breaks inside strings. If it cannot be repaired, its type is wrong.
      const repaired = repairJson(trimmed)
      return repaired.kind === 'repaired' ? repaired.value : text
    }
  }
  // A single text instead of a list becomes a list with one item. The schema refuses it if items have a different type.
  return expected === 'array' && trimmed !== '' && !/^[[{]/.test(trimmed) ? [text] : text
}

function describeIssue(tool: Tool, issue: z.core.$ZodIssue, given: Arguments): string {
  const field = fieldName(issue.path)
  const value = valueAt(given, issue.path)
  if ((issue.code === 'invalid_type' || issue.code === 'invalid_value') && (value === undefined || value === null)) {
    const aliases = issue.path.length === 1 ? aliasesOf(tool, String(issue.path[0])) : []
    const accepted = aliases.length > 0 ? ` (also accepted as ${aliases.map((alias) => `"${alias}"`).join(', ')})` : ''
    const values = issue.code === 'invalid_value' ? `; it must be ${oneOf(issue.values)}` : ''
    return `"${field}" is missing${accepted}${values}.`
  }
  switch (issue.code) {
    case 'invalid_type':
      return `"${field}" must be ${typeName(issue.expected)}, but is ${describeValue(value)}.`
    case 'invalid_value':
      return `"${field}" must be ${oneOf(issue.values)}, but is ${describeValue(value)}.`
    case 'too_small':
      return `"${field}" must ${describeBound(issue.origin, issue.minimum, 'at least')}, but is ${describeValue(value)}.`
    case 'too_big':
      return `"${field}" must ${describeBound(issue.origin, issue.maximum, 'at most')}, but is ${describeValue(value)}.`
    case 'unrecognized_keys':
      return `"${field}" has no field ${issue.keys.map((key) => `"${truncate(key, 60)}"`).join(', ')}.`
    default:
      return field === '' ? issue.message : `"${field}": ${issue.message}`
  }
}

function oneOf(values: readonly z.core.util.Primitive[]): string {
  return values.map((value) => (typeof value === 'string' ? `"${value}"` : String(value))).join(' or ')
}

function describeBound(origin: string, limit: number | bigint, relation: string): string {
  const unit = origin === 'string' ? 'character' : origin === 'array' ? 'item' : undefined
  if (unit !== undefined)
    return relation === 'at least' && limit === 1 ? 'not be empty' : `have ${relation} ${plural(Number(limit), unit)}`
  return `be ${relation} ${limit}`
}

function typeName(expected: string): string {
  const names: Record<string, string> = {
    string: 'a string',
    number: 'a number',
    int: 'an integer',
    boolean: 'true or false',
    array: 'a list',
    object: 'an object',
    record: 'an object',
  }
  return names[expected] ?? expected
}

function aliasesOf(tool: Tool, name: string): string[] {
  return Object.entries(tool.parameterAliases ?? {})
    .filter(([, main]) => main === name)
    .map(([alias]) => alias)
}

/** Formats a path for messages, e.g. `patches[0].old_text`. */
function fieldName(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index > 0 ? '.' : ''}${String(key)}`))
    .join('')
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = Reflect.get(value, key)
  }
  return value
}

/** Formats a value with its type for an error. */
function describeValue(value: unknown): string {
  if (value === null) return 'null'
  if (value === undefined) return 'nothing'
  if (typeof value === 'string') return `the string ${JSON.stringify(truncate(value, 60))}`
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object') return 'an object'
  return `the ${typeof value} ${JSON.stringify(value)}`
}

function invalid(tool: Tool, message: string): ToolError {
  const example = tool.examples?.[0]
  const shape = `${tool.name} takes ${signature(tool)}.`
  return new ToolError(
    'invalid_arguments',
    message,
    example ? `${shape} For example: ${JSON.stringify(example)}` : shape,
  )
}
