import { diffArrays } from 'diff'
import { commonLines } from '../text/commonLines.ts'

/** A range of lines, 1-based. If `count` is 0, the position before line `start`. */
export interface LineRange {
  start: number
  count: number
}

/** Adjacent lines that differ between two texts. */
export interface LineHunk {
  original: LineRange
  modified: LineRange
}

/** Limits of a comparison, which takes quadratic time. */
export interface CompareLimits {
  /** Maximum number of changed lines. Default: 2000. */
  maxEdits?: number
  milliseconds?: number
}

const defaultMaxEdits = 2000

/**
 * Compares two texts by lines. Views, tools, review and git all use this comparison.
 * @returns hunks in order, separated by at least one common line. Beyond the limits: one hunk from the first to the
 * last difference.
 */
export function lineHunks(
  before: readonly string[],
  after: readonly string[],
  { maxEdits = defaultMaxEdits, milliseconds }: CompareLimits = {},
): LineHunk[] {
  const { head, tail } = commonLines(before, after)
  const oldLines = before.slice(head, before.length - tail)
  const newLines = after.slice(head, after.length - tail)
  if (oldLines.length === 0 && newLines.length === 0) return []
  const whole = [hunkAt(head, oldLines.length, head, newLines.length)]
  if (oldLines.length === 0 || newLines.length === 0) return whole
  const limits = milliseconds === undefined ? {} : { timeout: milliseconds }
  const parts = diffArrays(oldLines, newLines, { maxEditLength: maxEdits, ...limits })
  if (!parts) return whole

  const hunks: LineHunk[] = []
  let oldAt = head
  let newAt = head
  let open: LineHunk | null = null
  for (const { added, removed, count } of parts) {
    if (!added && !removed) {
      oldAt += count
      newAt += count
      open = null
      continue
    }
    if (open === null) {
      open = hunkAt(oldAt, 0, newAt, 0)
      hunks.push(open)
    }
    if (added) {
      open.modified.count += count
      newAt += count
    } else {
      open.original.count += count
      oldAt += count
    }
  }
  return hunks
}

function hunkAt(oldAt: number, oldCount: number, newAt: number, newCount: number): LineHunk {
  return { original: { start: oldAt + 1, count: oldCount }, modified: { start: newAt + 1, count: newCount } }
}

export type HunkKind = 'added' | 'changed' | 'removed'

/** The kind of a hunk with these line counts, which selects its gutter mark. */
export function hunkKind(originalCount: number, modifiedCount: number): HunkKind {
  if (modifiedCount === 0) return 'removed'
  return originalCount === 0 ? 'added' : 'changed'
}

/** Splits a text into lines including their line breaks, so that a missing final line break counts as a difference. */
export function linesWithEnds(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}
