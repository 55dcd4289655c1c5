import type { Replacement } from '../../shared/tools/tool.ts'

/** A hit in ripgrep's output. Offsets are bytes of UTF-8. */
export interface Submatch {
  start: number
  /** Missing in a long message that is not parsed completely. */
  end?: number
  replacement?: { text?: string; bytes?: string }
}

/** Longer messages from ripgrep, in bytes, are not parsed for replacements. */
export const maxReplacementLine = 1024 * 1024
/** Maximum UTF-16 units of a hit and of its replacement. */
const maxHit = 20_000
const maxContext = 200

/**
 * Returns the hits in a line with their replacements. Empty if the line cannot be replaced exactly.
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
    // Skips empty hits inside the line ending.
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

/**
 * Truncates a line to at most `max` UTF-16 units around an index, with `…` at each truncated end.
 * @param at index that stays visible
 */
export function truncateAround(line: string, at: number, max: number): string {
  if (line.length <= max) return line
  // A quarter of the length precedes the index, because the text after it is more informative.
  const from = Math.max(0, Math.min(at - Math.floor(max / 4), line.length - max))
  const start = splitsPair(line, from) ? from + 1 : from
  const end = splitsPair(line, from + max) ? from + max - 1 : from + max
  return `${start > 0 ? '…' : ''}${line.slice(start, end)}${end < line.length ? '…' : ''}`
}

function splitsPair(text: string, index: number): boolean {
  return index > 0 && index < text.length && isHigh(text.charCodeAt(index - 1)) && isLow(text.charCodeAt(index))
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/** Converts a UTF-8 byte offset to a UTF-16 index. */
export function utf16Index(text: string, byteOffset: number): number {
  let bytes = 0
  let index = 0
  while (index < text.length && bytes < byteOffset) {
    const unit = text.charCodeAt(index)
    if (isHigh(unit) && isLow(text.charCodeAt(index + 1))) {
      bytes += 4
      index += 2
    } else {
      bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3
      index++
    }
  }
  return index
}
