import { jsonrepair } from 'jsonrepair'
import { closingBracketEnd } from '../../model/textCalls/jsonScan.ts'

/** Result of repairing JSON. */
export type Repaired =
  | { kind: 'repaired'; value: unknown }
  /** The text ends early, and the missing part is unknown. */
  | { kind: 'truncated' }
  /** The text cannot be repaired without guessing. */
  | { kind: 'broken' }

/**
 * Repairs frequent JSON mistakes of models: commas, quotes, raw line breaks in strings, code fences, comments, Python
 * literals, and unescaped backslashes (`"\d+"`). Never completes truncated text, and never drops a "..." that replaces
 * omitted values.
 */
export function repairJson(text: string): Repaired {
  const json = doubledBackslashes(withoutFence(text))
  if (!/^[{[]/.test(json)) return { kind: 'broken' }
  if (closingBracketEnd(json) === undefined) return { kind: 'truncated' }
  try {
    const repaired = jsonrepair(json)
    if (count(repaired, '...') < count(json, '...')) return { kind: 'broken' }
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

function count(text: string, substring: string): number {
  return text.split(substring).length - 1
}
