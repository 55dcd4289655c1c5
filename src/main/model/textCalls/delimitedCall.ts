import { incomplete, noMatch, skipSpace, type FoundCall, type ParseResult } from './dialect.ts'
import { readValue } from './jsonCalls.ts'

/** The tokens around a call, and between its name and arguments. */
export interface CallDelimiters {
  callBegin: string
  callEnd: string
  /** Between name and arguments. */
  separator: string
}

/** Maximum length of a name with its additions in a dialect, in characters. */
const maxHeadLength = 300

/**
 * Reads one call between tokens. Tokens around a list of calls are dropped separately.
 * @param nameOf returns the name before the separator and the position of the arguments; `incomplete` if they may still
 *   follow, `noMatch` if they cannot
 */
export function readDelimitedCall(
  text: string,
  { callBegin, callEnd, separator }: CallDelimiters,
  nameOf: (before: string, from: number) => { name: string; at: number } | 'incomplete' | 'noMatch',
  final: boolean,
): ParseResult {
  const from = callBegin.length
  const separated = text.slice(from, from + maxHeadLength).indexOf(separator)
  // A truncated name is useless.
  if (separated === -1) return !final && text.length < from + maxHeadLength ? incomplete : noMatch
  const head = nameOf(text.slice(from, from + separated).trim(), from + separated + separator.length)
  if (head === 'noMatch' || (head === 'incomplete' && final)) return noMatch
  if (head === 'incomplete') return incomplete
  const call = readArguments(text, head, callEnd, final)
  if (!call) return incomplete
  const tail = /^\s*(?:```)?\s*/.exec(text.slice(call.end))?.[0].length ?? 0
  const next = call.end + tail
  if (text.startsWith(callEnd, next)) return { kind: 'envelope', end: next + callEnd.length, calls: [call.call] }
  const isOpen =
    !final &&
    (callEnd.startsWith(text.slice(next, next + callEnd.length)) || '```'.startsWith(text.slice(next, next + 3)))
  return isOpen ? incomplete : { kind: 'envelope', end: call.end, calls: [call.call] }
}

function readArguments(
  text: string,
  { name, at }: { name: string; at: number },
  callEnd: string,
  final: boolean,
): { call: FoundCall; end: number } | undefined {
  const start = skipSpace(text, at)
  if (text[start] === '{') {
    const value = readValue(text, start, [callEnd], final)
    return value && { call: { name, arguments: withoutFence(value.json) }, end: value.end }
  }
  const end = text.indexOf(callEnd, at)
  if (end === -1 && !final) return undefined
  // Truncated before the arguments, perhaps in the fence around them.
  if (end === -1) return { call: { name, arguments: '{' }, end: text.length }
  return { call: { name, arguments: text.slice(start, end).trim() || '{' }, end }
}

/**
 * Removes a fence at the end. A regular expression for the space before it takes quadratic time on arguments full of
 * spaces.
 */
function withoutFence(json: string): string {
  return json.endsWith('```') ? json.slice(0, -'```'.length).trimEnd() : json
}
