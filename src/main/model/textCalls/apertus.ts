import { isRecord } from '../transport/modelErrors.ts'
import { closingBracketEnd } from './jsonScan.ts'
import { skipClosingTag, incomplete, noMatch, skipSpace, type Dialect, type FoundCall } from './dialect.ts'
import { argumentsText, callFromValue, readValue } from './jsonCalls.ts'

const open = '<|tools_prefix|>'
const close = '<|tools_suffix|>'

/**
 * `<|tools_prefix|>[{"NAME": {…}}, …]<|tools_suffix|>` of Apertus, with the name as the only key of each object.
 * Sources: vLLM's parser `apertus`, SGLang's `apertus2509_detector.py`.
 */
export const apertus: Dialect = {
  name: 'Apertus',
  openers: [open],
  closers: [close],
  parse(text, final) {
    const start = skipSpace(text, open.length)
    if (start === text.length) return final ? noMatch : incomplete
    if (text[start] !== '[' && text[start] !== '{') return noMatch
    const value = readValue(text, start, [close], final)
    if (!value) return incomplete
    const calls = callsIn(value.json)
    if (calls.length === 0) return noMatch
    const end = skipClosingTag(text, value.end, close, final)
    return end === undefined ? incomplete : { kind: 'envelope', end, calls }
  },
}

function callsIn(json: string): FoundCall[] {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return brokenCalls(json)
  }
  const objects: unknown[] = Array.isArray(value) ? value : [value]
  const calls = objects.map(namedCall)
  return calls.every((call) => call !== undefined) ? calls : []
}

function namedCall(value: unknown): FoundCall | undefined {
  if (!isRecord(value)) return undefined
  const [entry, ...others] = Object.entries(value)
  if (!entry || others.length > 0 || !isRecord(entry[1])) return callFromValue(value)
  const json = argumentsText(entry[1])
  return json === undefined ? undefined : { name: entry[0], arguments: json }
}

/** Returns the calls in malformed or truncated JSON. The last one may be incomplete. */
function brokenCalls(json: string): FoundCall[] {
  const head = /[\s,[]*\{\s*"([\w.:/-]{1,128})"\s*:\s*(?=\{)/y
  const calls: FoundCall[] = []
  for (;;) {
    const name = head.exec(json)?.[1]
    if (!name) return calls
    const at = head.lastIndex
    const end = closingBracketEnd(json, at)
    calls.push({ name, arguments: json.slice(at, end) })
    if (end === undefined || json[skipSpace(json, end)] !== '}') return calls
    head.lastIndex = skipSpace(json, end) + 1
  }
}
