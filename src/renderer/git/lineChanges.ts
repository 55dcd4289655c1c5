import type { LineHunk, LineRange } from '../../shared/diff/lineHunks.ts'
import type { GitLineChange } from '../../shared/git.ts'

/** A change as Monaco's diff editor reports it. An end of 0 means that the side has no lines after its start line. */
export interface DiffChange {
  originalStartLineNumber: number
  originalEndLineNumber: number
  modifiedStartLineNumber: number
  modifiedEndLineNumber: number
}

const span = (start: number, end: number): LineRange =>
  end === 0 ? { start: start + 1, count: 0 } : { start, count: end - start + 1 }

/** Converts a change of Monaco to spans. A span without lines is the position before its start line. */
export function spansOf(change: DiffChange): LineHunk {
  return {
    original: span(change.originalStartLineNumber, change.originalEndLineNumber),
    modified: span(change.modifiedStartLineNumber, change.modifiedEndLineNumber),
  }
}

/**
 * Whether a span contains or touches lines. A span without lines is where its removed lines were, between two lines.
 */
export function touches({ start, count }: LineRange, first: number, last: number): boolean {
  return count === 0 ? start >= first && start - 1 <= last : start <= last && start + count - 1 >= first
}

/**
 * Returns the part of a change for a selection of lines of the modified side; null if the selection does not touch it.
 * If both sides have as many lines, they correspond by position. Otherwise the last line of the shorter side
 * corresponds to the rest of the longer one.
 */
export function partOf({ original, modified }: LineHunk, first: number, last: number): LineHunk | null {
  if (!touches(modified, first, last)) return null
  if (modified.count === 0) return { original, modified }
  const start = Math.max(first, modified.start)
  const end = Math.min(last, modified.start + modified.count - 1)
  const part = { start, count: end - start + 1 }
  const skipped = Math.min(start - modified.start, original.count)
  const isLast = end === modified.start + modified.count - 1
  const until = isLast ? original.count : Math.min(skipped + part.count, original.count)
  return { original: { start: original.start + skipped, count: until - skipped }, modified: part }
}

/** Adds the lines of both sides for `git.applyLines`. @param originalLine, modifiedLine return a line, 1-based */
export function lineChangeOf(
  { original, modified }: LineHunk,
  originalLine: (line: number) => string,
  modifiedLine: (line: number) => string,
): GitLineChange {
  const linesOf = ({ start, count }: LineRange, lineAt: (line: number) => string) => ({
    line: start,
    text: Array.from({ length: count }, (_, index) => lineAt(start + index)),
  })
  return { before: linesOf(original, originalLine), after: linesOf(modified, modifiedLine) }
}
