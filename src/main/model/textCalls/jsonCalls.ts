import { isRecord } from '../errors.ts'
import { balancedEnd } from '../jsonScan.ts'
import { none, more, type FoundCall, type Reading } from './dialect.ts'

const nameKeys = ['name', 'tool', 'tool_name', 'function']
const argumentKeys = ['arguments', 'parameters', 'args', 'input']
/** What may stand beside name and arguments. */
const otherKeys = ['id', 'type', 'tool_call_id']

/**
 * Calls as JSON from `from` on: one object, or a list of them.
 * A list or object that the answer's end cut off gives the calls before the cut and the beginning of the last.
 */
export function readJson(text: string, from: number, final: boolean): Reading {
  const start = from + (/^\s*/.exec(text.slice(from))?.[0].length ?? 0)
  if (start === text.length) return final ? none : more
  if (text[start] !== '{' && text[start] !== '[') return none
  const end = balancedEnd(text, start)
  if (end === undefined && !final) return more
  const { calls } = readObjects(text.slice(start, end), 0)
  return calls.length > 0 ? { kind: 'envelope', end: end ?? text.length, calls } : none
}

/** The calls in JSON objects that stand one after another, as many as are written like calls from the first on, and where they end. */
export function readObjects(text: string, from: number): { calls: FoundCall[]; end: number } {
  const calls: FoundCall[] = []
  for (let end = from; ; ) {
    const at = end + (/^[\s,;[\]]*/.exec(text.slice(end))?.[0].length ?? 0)
    const close = text[at] === '{' ? (balancedEnd(text, at) ?? text.length) : at
    const call = callFrom(text.slice(at, close))
    if (!call) return { calls, end }
    calls.push(call)
    end = close
  }
}

/** The call that one JSON object writes, well-formed or not. */
export function callFrom(json: string): FoundCall | undefined {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    // Name and arguments can still be told apart; whether the arguments can be repaired is for the executor to say.
    return brokenCall(json)
  }
  return callOf(value)
}

/** Name and arguments of a call in one of the usual shapes; undefined for any other value. */
export function callOf(value: unknown): FoundCall | undefined {
  if (!isRecord(value)) return undefined
  const inner = isRecord(value['function']) ? value['function'] : value
  const name = first(inner, nameKeys)
  if (typeof name !== 'string' || name === '') return undefined
  const given = first(inner, argumentKeys)
  if (given === undefined || given === null) return { name, arguments: '{}' }
  return { name, arguments: typeof given === 'string' ? given : JSON.stringify(given) }
}

/** Whether a JSON value is a call with its arguments and nothing else: what stands there without an envelope must be. */
export function isPlainCall(value: unknown): boolean {
  if (!isRecord(value)) return false
  const inner = isRecord(value['function']) ? value['function'] : value
  const known = [...nameKeys, ...argumentKeys, ...otherKeys]
  return isRecord(first(inner, argumentKeys)) && [...Object.keys(value), ...Object.keys(inner)].every((key) => known.includes(key))
}

const brokenHead = /^\{\s*["']?(?:name|tool|tool_name|function)["']?\s*:\s*["']([\w.:/-]+)["']\s*,\s*["']?(?:arguments|parameters|args|input)["']?\s*:\s*/

/** The arguments as they were written, with nothing put right. */
function brokenCall(json: string): FoundCall | undefined {
  const head = brokenHead.exec(json)
  if (!head?.[1]) return undefined
  const at = head[0].length
  const end = balancedEnd(json, at)
  return { name: head[1], arguments: json.slice(at, end) || '{' }
}

function first(value: Record<string, unknown>, keys: readonly string[]): unknown {
  return keys.map((key) => value[key]).find((found) => found !== undefined)
}
