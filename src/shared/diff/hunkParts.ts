import type { LineHunk, LineRange } from './lineHunks.ts'

/**
 * Whether a range contains or touches lines. An empty range is the position between two lines where lines were removed.
 */
export function touchesLines({ start, count }: LineRange, first: number, last: number): boolean {
  return count === 0 ? start >= first && start - 1 <= last : start <= last && start + count - 1 >= first
}

/**
 * Returns the part of a hunk that a selection of modified lines covers; null if the selection does not touch it. Sides
 * with equally many lines correspond line by line. Otherwise the last line of the shorter side corresponds to the rest
 * of the longer one.
 */
export function hunkPart({ original, modified }: LineHunk, first: number, last: number): LineHunk | null {
  if (!touchesLines(modified, first, last)) return null
  if (modified.count === 0) return { original, modified }
  const start = Math.max(first, modified.start)
  const end = Math.min(last, modified.start + modified.count - 1)
  const part = { start, count: end - start + 1 }
  const skipped = Math.min(start - modified.start, original.count)
  const isLast = end === modified.start + modified.count - 1
  const until = isLast ? original.count : Math.min(skipped + part.count, original.count)
  return { original: { start: original.start + skipped, count: until - skipped }, modified: part }
}
