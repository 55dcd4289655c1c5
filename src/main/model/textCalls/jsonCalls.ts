import { isRecord } from '../transport/modelErrors.ts'
import { closingBracketEnd } from './jsonScan.ts'
import { isJson, incomplete, noMatch, skipSpace, type FoundCall, type ParseResult } from './dialect.ts'

const nameKeys = ['name', 'tool', 'tool_name', 'function']
const argumentKeys = ['arguments', 'parameters', 'args', 'input']
/** Keys allowed beside name and arguments. */
const otherKeys = ['id', 'type', 'tool_call_id']
/** Maximum nesting of arguments. More could overflow the stack when they are serialized. */
const maxDepth = 200

/** JSON as a model wrote it, possibly malformed, and the position after it. */
export interface JsonText {
  json: string
  end: number
}

/**
 * Reads the JSON value that starts with a bracket at `from`. It ends at its own closing bracket, whatever its strings
 * contain. If it is malformed or truncated, it ends before the first of `closers`.
 * @returns undefined while the end is unknown; never if `final`
 */
export function readValue(text: string, from: number, closers: readonly string[], final: true): JsonText
export function readValue(text: string, from: number, closers: readonly string[], final: boolean): JsonText | undefined
export function readValue(
  text: string,
  from: number,
  closers: readonly string[],
  final: boolean,
): JsonText | undefined {
  const end = closingBracketEnd(text, from)
  // A string or bracket is open, so a closer may be part of a file's text.
  if (end === undefined && !final) return undefined
  const value = end === undefined ? undefined : text.slice(from, end)
  if (end !== undefined && value !== undefined) {
    const next = skipSpace(text, end)
    if (isJson(value) || closers.some((closer) => text.startsWith(closer, next))) return { json: value, end }
  }
  const ends = closers.map((closer) => text.indexOf(closer, from)).filter((at) => at !== -1)
  if (ends.length === 0) return final ? { json: text.slice(from, end), end: end ?? text.length } : undefined
  const first = Math.min(...ends)
  return { json: text.slice(from, first).trimEnd(), end: first }
}

/**
 * Reads calls as consecutive JSON objects and lists. For a truncated answer, returns the complete calls and the start
 * of the last one.
 */
export function readJsonCalls(
  text: string,
  from: number,
  final: boolean,
  closers: readonly string[] = [],
): ParseResult {
  const calls: FoundCall[] = []
  let end = from
  for (;;) {
    const at = calls.length === 0 ? skipSpace(text, end) : end + (/^[\s,;]*/.exec(text.slice(end))?.[0].length ?? 0)
    if (!mayBeCall(text, at)) {
      if (calls.length > 0) return { kind: 'envelope', end, calls }
      return at >= text.length && !final ? incomplete : noMatch
    }
    const value = readValue(text, at, closers, final)
    if (!value) return incomplete
    const found = readJsonObjects(value.json, 0)
    if (found.calls.length === 0) return calls.length > 0 ? { kind: 'envelope', end, calls } : noMatch
    calls.push(...found.calls)
    end = value.end
  }
}

/** Whether JSON of calls may start here: `{` with a key, or a list of those. */
function mayBeCall(text: string, at: number): boolean {
  return (
    /^(?:\[\s*)*(?:\{\s*(?:["'}\w]|$)|\]|$)/.test(text.slice(at, at + maxDepth)) &&
    (text[at] === '{' || text[at] === '[')
  )
}

/** Reads consecutive JSON objects up to the first that is not a call, and the position after them. */
function readJsonObjects(text: string, from: number): { calls: FoundCall[]; end: number } {
  const calls: FoundCall[] = []
  for (let end = from; ;) {
    const at = end + (/^[\s,;[\]]*/.exec(text.slice(end))?.[0].length ?? 0)
    const close = text[at] === '{' ? (closingBracketEnd(text, at) ?? text.length) : at
    const call = callFrom(text.slice(at, close))
    if (!call) return { calls, end }
    calls.push(call)
    end = close
  }
}

/** Reads the call in one JSON object, possibly malformed. */
function callFrom(json: string): FoundCall | undefined {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    // Name and arguments are still recognizable. The executor repairs or rejects the arguments.
    return brokenCall(json)
  }
  return callFromValue(value)
}

/** Reads name and arguments of a call in one of the common formats; undefined for any other value. */
export function callFromValue(value: unknown): FoundCall | undefined {
  if (!isRecord(value)) return undefined
  const inner = isRecord(value['function']) ? value['function'] : value
  const name = first(inner, nameKeys)
  if (typeof name !== 'string' || name === '') return undefined
  const written = first(inner, argumentKeys)
  if (written === undefined || written === null) return { name, arguments: '{}' }
  const json = typeof written === 'string' ? written : argumentsText(written)
  return json === undefined ? undefined : { name, arguments: json }
}

/** Returns arguments as JSON; undefined if they are nested too deeply. */
export function argumentsText(value: unknown): string | undefined {
  return isDeep(value, maxDepth) ? undefined : JSON.stringify(value)
}

function isDeep(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return left === 0 || Object.values(value).some((inner) => isDeep(inner, left - 1))
}

/** Whether a JSON value is a call with arguments and nothing else, as required without an envelope. */
export function isBareCall(value: unknown): boolean {
  if (!isRecord(value)) return false
  const inner = isRecord(value['function']) ? value['function'] : value
  const known = [...nameKeys, ...argumentKeys, ...otherKeys]
  return (
    isRecord(first(inner, argumentKeys)) &&
    [...Object.keys(value), ...Object.keys(inner)].every((key) => known.includes(key))
  )
}

const brokenHead =
  /^\{\s*["']?(?:name|tool|tool_name|function)["']?\s*:\s*["']([\w.:/-]+)["']\s*,\s*["']?(?:arguments|parameters|args|input)["']?\s*:\s*/

/** Reads a call whose JSON is malformed. Keeps the arguments unchanged. */
function brokenCall(json: string): FoundCall | undefined {
  const head = brokenHead.exec(json)
  if (!head?.[1]) return undefined
  const at = head[0].length
  const end = closingBracketEnd(json, at)
  return { name: head[1], arguments: json.slice(at, end) || '{' }
}

function first(value: Record<string, unknown>, keys: readonly string[]): unknown {
  return keys.map((key) => value[key]).find((found) => found !== undefined)
}
