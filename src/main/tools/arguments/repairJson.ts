import { jsonrepair } from 'jsonrepair'
import { closingBracketEnd } from '../../model/textCalls/jsonScan.ts'

/** Result of repairing JSON. */
export type RepairResult =
  | { kind: 'repaired'; value: unknown }
  /** The text ends early, and the missing part is unknown. */
  | { kind: 'truncated' }
  /** The text cannot be repaired without guessing. */
  | { kind: 'broken' }

/** Maximum characters of a text to repair. Repairing takes quadratic time. */
const maxRepaired = 100_000

/**
 * Repairs frequent JSON mistakes of models: commas, quotes, raw line breaks in strings, code fences, comments, Python
 * literals, and unescaped backslashes (`"\d+"`). Never completes truncated text, and never drops a "..." that replaces
 * omitted values.
 */
export function repairJson(text: string): RepairResult {
  const json = doubledBackslashes(withoutFence(text))
  if (!/^[{[]/.test(json)) return { kind: 'broken' }
  if (closingBracketEnd(json) === undefined) return { kind: 'truncated' }
  if (json.length > maxRepaired) return { kind: 'broken' }
  try {
    const repaired = jsonrepair(json)
    if (count(repaired, '...') < count(json, '...') || losesStrings(json, repaired)) return { kind: 'broken' }
    return { kind: 'repaired', value: JSON.parse(repaired) }
  } catch {
    // The caller reports the JSON.parse error of the original text.
    return { kind: 'broken' }
  }
}

/** Returns whether a JSON text ends before its value is complete. */
export function isTruncatedJson(text: string): boolean {
  const json = withoutFence(text)
  return /^[{[]/.test(json) && closingBracketEnd(doubledBackslashes(json)) === undefined
}

function withoutFence(text: string): string {
  const opened = text.trim().replace(/^```\w*\s*/, '')
  return (opened.endsWith('```') ? opened.slice(0, -3) : opened).trim()
}

/** Doubles backslashes of unknown escapes, which jsonrepair would drop. In patterns and paths they are intended. */
function doubledBackslashes(text: string): string {
  return text.replaceAll(/\\(u[\dA-Fa-f]{4}|[^u]|u)/gs, (whole, escaped: string) =>
    /^(["'\\/bfnrt\n`]|u.)/.test(escaped) ? whole : `\\${whole}`,
  )
}

/**
 * Returns whether a correctly quoted string differs after a repair. jsonrepair splits some strings that contain
 * brackets: `[{"a": "b{0 "}]` becomes two objects.
 */
function losesStrings(json: string, repaired: string): boolean {
  const written = stringsIn(json)
  if (written === undefined) return false
  const kept = stringsIn(repaired) ?? []
  let at = 0
  return written.some((text) => {
    at = kept.indexOf(text, at) + 1
    return at === 0
  })
}

/**
 * Returns the double-quoted strings of a text; undefined if one is not where JSON allows a string, because quotes may
 * be broken.
 */
function stringsIn(json: string): string[] | undefined {
  const found: string[] = []
  let end = 0
  for (let start = json.indexOf('"'); start >= 0; start = json.indexOf('"', end)) {
    const between = json.slice(end, start).trim()
    if (!/[{[,:]$/.test(between) || (end > 0 && !/^[,:}\]]/.test(between))) return undefined
    end = endOfString(json, start)
    if (end < 0) return undefined
    const literal = json.slice(start, end)
    try {
      // Raw line breaks and tabs are invalid in JSON, but models write them.
      found.push(String(JSON.parse(literal.replaceAll(/\p{Cc}/gu, (char) => JSON.stringify(char).slice(1, -1)))))
    } catch {
      // An unknown escape.
      return undefined
    }
  }
  return end === 0 || /^\s*[,:}\]]/.test(json.slice(end)) ? found : undefined
}

/** Returns the position after a string that starts at `start`; -1 if it does not end. */
function endOfString(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    if (json[at] === '\\') at++
    else if (json[at] === '"') return at + 1
  }
  return -1
}

function count(text: string, substring: string): number {
  return text.split(substring).length - 1
}
