import type { LineRange } from '../../../shared/diff/lineHunks.ts'
import type { ReviewFileHunks } from '../../../shared/review/review.ts'

export type InlineHunk = ReviewFileHunks['hunkList'][number]

/** A hunk's lines in the editor. A hunk that only removes lines is at the line after them. */
export interface HunkLines {
  first: number
  last: number
}

/** Pure: converts a range to lines in a text of `lineCount` lines. */
export function linesOf({ start, count }: LineRange, lineCount: number): HunkLines {
  const first = Math.max(1, Math.min(start, lineCount))
  return { first, last: count === 0 ? first : Math.min(lineCount, start + count - 1) }
}

/** Pure: returns the index of the hunk at a line, or -1. `lines` must be in order. */
export function hunkAt(lines: readonly HunkLines[], line: number): number {
  return lines.findIndex(({ first, last }) => first <= line && line <= last)
}

/**
 * Pure: returns the index of the next (1) or previous (-1) hunk from a line, or -1 if there is none. Skips a hunk that
 * contains the line.
 */
export function hunkBeside(lines: readonly HunkLines[], line: number, step: 1 | -1): number {
  return step === 1 ? lines.findIndex(({ first }) => first > line) : lines.findLastIndex(({ last }) => last < line)
}

/** Pure: finds a hunk after its text changed: the one with this id, or the only one that shares lines with `lines`. */
export function sameHunk(
  hunks: readonly InlineHunk[],
  id: string,
  lines: HunkLines,
  lineCount: number,
): InlineHunk | undefined {
  const same = hunks.find((hunk) => hunk.id === id)
  if (same) return same
  const overlapping = hunks.filter((hunk) => {
    const { first, last } = linesOf(hunk.current, lineCount)
    return first <= lines.last && lines.first <= last
  })
  return overlapping.length === 1 ? overlapping[0] : undefined
}
