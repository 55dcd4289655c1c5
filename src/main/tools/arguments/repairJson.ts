import { jsonrepair } from 'jsonrepair'
import { closingBracketEnd } from '../../model/textCalls/jsonScan.ts'

/** What a model wrote where an object in JSON was wanted. */
export type Repaired =
  | { kind: 'repaired'; value: unknown }
  /** It ends in the middle: what is missing cannot be known. */
  | { kind: 'cut' }
  /** Nothing that could be repaired without guessing. */
  | { kind: 'broken' }

/**
 * Repairs what models often get wrong in JSON: commas, quotes, raw line breaks in texts, code fences, comments, Python's literals,
 * a backslash that was not doubled (`"\d+"`). Never completes what was cut off, and never drops what the model left out with "...".
 */
export function repairJson(text: string): Repaired {
  const json = doubledBackslashes(withoutFence(text))
  if (!/^[{[]/.test(json)) return { kind: 'broken' }
  if (closingBracketEnd(json) === undefined) return { kind: 'cut' }
  try {
    const repaired = jsonrepair(json)
    if (count(repaired, '...') < count(json, '...')) return { kind: 'broken' }
    return { kind: 'repaired', value: JSON.parse(repaired) }
  } catch {
    // That it cannot be repaired is an answer here; the caller reports what JSON.parse said of the text itself.
    return { kind: 'broken' }
  }
}

/** Whether a JSON text ends before its value does. */
export function isCut(text: string): boolean {
  const json = withoutFence(text)
  return /^[{[]/.test(json) && closingBracketEnd(doubledBackslashes(json)) === undefined
}

function withoutFence(text: string): string {
  const opened = text.trim().replace(/^```\w*\s*/, '')
  return (opened.endsWith('```') ? opened.slice(0, -3) : opened).trim()
}

/** The library would drop the backslash of an escape that JSON does not know; in a pattern or a path it is meant. */
function doubledBackslashes(text: string): string {
  return text.replaceAll(/\\(u[\dA-Fa-f]{4}|[^u]|u)/gs, (whole, escaped: string) =>
    /^(["'\\/bfnrt\n`]|u.)/.test(escaped) ? whole : `\\${whole}`,
  )
}

function count(text: string, part: string): number {
  return text.split(part).length - 1
}
