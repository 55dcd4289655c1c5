import type { LineHunk, LineRange } from '../../shared/diff/lineHunks.ts'
import type { GitLineChange } from '../../shared/git/git.ts'

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
