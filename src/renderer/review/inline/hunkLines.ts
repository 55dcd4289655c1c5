import type { LineRange } from '../../../shared/diff/lineHunks.ts'
import type { ReviewFileHunks } from '../../../shared/review/review.ts'

export type InlineHunk = ReviewFileHunks['hunkList'][number]

/** Lines of a hunk in the editor. A hunk that only removes lines is at the line before which they were. */
export interface HunkLines {
  first: number
  last: number
}

/** Pure: returns the lines of a range in a text of `lineCount` lines. */
export function linesOf({ start, count }: LineRange, lineCount: number): HunkLines {
  const first = Math.max(1, Math.min(start, lineCount))
  return { first, last: count === 0 ? first : Math.min(lineCount, start + count - 1) }
}

/** Pure: returns the index of the hunk at a line, or -1. `lines` are in order. */
export function hunkAt(lines: readonly HunkLines[], line: number): number {
  return lines.findIndex(({ first, last }) => first <= line && line <= last)
}

/**
 * Pure: returns the index of the next (1) or previous (-1) hunk from a line, or -1 if there is none. A hunk that
 * contains the line does not count.
 */
export function hunkBeside(lines: readonly HunkLines[], line: number, step: 1 | -1): number {
  return step === 1 ? lines.findIndex(({ first }) => first > line) : lines.findLastIndex(({ last }) => last < line)
}

/**
 * Pure: returns the hunk with this id, or the only one that shares lines with `lines` after the text of the hunk
 * changed.
 */
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
