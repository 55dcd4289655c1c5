import type { Replacement } from '../../shared/tools/tool.ts'
import { utf16Index } from './truncateAround.ts'

/** A hit in ripgrep's output. Offsets are bytes of UTF-8. */
export interface Submatch {
  start: number
  /** Missing in a long message that is not parsed completely. */
  end?: number
  replacement?: { text?: string; bytes?: string }
}

/** Longer messages of ripgrep, in bytes, are not parsed for replacements. */
export const maxReplacementLine = 1024 * 1024
/** Maximum size of a hit and its replacement, in UTF-16 units. */
const maxHit = 20_000
const maxContext = 200

/**
 * Pure: returns the hits of a line with their replacements. Empty if the line cannot be replaced exactly.
 * @param text the line without its line ending
 */
export function replacementsOf(text: string, submatches: readonly Submatch[]): Replacement[] {
  const found: Replacement[] = []
  // Converts offsets in one pass over the line.
  let bytes = 0
  let index = 0
  const indexOf = (offset: number): number => {
    index += utf16Index(text.slice(index), offset - bytes)
    bytes = offset
    return index
  }
  const length = Buffer.byteLength(text)
  for (const { start, end, replacement } of submatches) {
    // Empty hits within the line ending are left out.
    if (start > length) break
    if (replacement?.text === undefined || end === undefined) return []
    const from = indexOf(start)
    const to = indexOf(Math.min(end, length))
    if (to - from + replacement.text.length > maxHit) return []
    found.push({
      column: from + 1,
      oldText: text.slice(from, to),
      newText: replacement.text,
      before: text.slice(Math.max(0, from - maxContext), from),
      after: text.slice(to, to + maxContext),
    })
  }
  return found
}
