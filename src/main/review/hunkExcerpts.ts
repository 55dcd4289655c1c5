import { markChangedParts, noFinalNewline, type DiffLine } from '../../shared/diff/hunkRows.ts'
import { maxExcerpts, type ReviewExcerpt } from '../../shared/review/review.ts'
import type { LocatedHunk } from './layerDescription.ts'

/** Maximum number of unchanged lines before and after a hunk. */
const context = 3
/** Maximum number of removed lines in an excerpt, and of added ones. */
const maxLines = 60

/**
 * Returns the first hunks of a file with surrounding lines. Reads only these lines, so that a small change to a large
 * file is cheap.
 * @param text current text of the file
 */
export function excerptsOf(text: string, hunks: readonly LocatedHunk[]): ReviewExcerpt[] {
  return hunks.slice(0, maxExcerpts).map((located, index) => {
    const { hunk, view, baseLines } = located
    const { base, current } = view
    const previous = hunks[index - 1]?.view.current
    const next = hunks[index + 1]?.view.current
    const gapBefore = current.start - (previous ? previous.start + previous.count : 1)
    const gapAfter = next ? next.start - (current.start + current.count) : context
    // The lines between two hunks are shown once, after the first one where possible.
    const shown = previous ? Math.min(context, gapBefore) : 0
    const before = linesBefore(text, hunk.start, Math.min(context, gapBefore - shown))
    const after = linesAfter(text, hunk.end, Math.min(context, gapAfter))
    const removed = baseLines.slice(0, maxLines)
    const added = linesAfter(text, hunk.start, Math.min(maxLines, current.count))
    const oldStart = base.start - before.length
    const newStart = current.start - before.length
    const row = (kind: DiffLine['kind'], line: string, numbers: { oldNumber?: number; newNumber?: number }) => ({
      kind,
      text: line,
      ...numbers,
    })
    const contextRows = (lines: readonly string[], oldFirst: number, newFirst: number) =>
      lines.map((line, at) => row('context', line, { oldNumber: oldFirst + at, newNumber: newFirst + at }))
    const changed = markChangedParts([
      ...removed.map((line, at) => row('removed', line, { oldNumber: base.start + at })),
      ...added.map((line, at) => row('added', line, { newNumber: current.start + at })),
    ])
    const hidden = base.count - removed.length + current.count - added.length
    // A final line break on only one side is part of the change.
    const [oldEnds, newEnds] = [hunk.lines.removed, hunk.lines.added].map((side) => side === '' || side.endsWith('\n'))
    const note = (missing: boolean) => (missing && hidden === 0 ? [row('note', noFinalNewline, {})] : [])
    const lines = [
      ...contextRows(before, oldStart, newStart),
      ...changed.slice(0, removed.length),
      ...note(!oldEnds && newEnds === true),
      ...changed.slice(removed.length),
      ...note(!newEnds && oldEnds === true),
      ...contextRows(after, base.start + base.count, current.start + current.count),
    ]
    return { ...view, lines: { oldStart, newStart, section: '', lines }, hidden }
  })
}

/** Returns up to `count` lines that end before an offset, which is the start of a line. */
function linesBefore(text: string, end: number, count: number): string[] {
  let start = end
  for (let line = 0; line < count && start > 0; line++) start = text.lastIndexOf('\n', start - 2) + 1
  return splitLines(text.slice(start, end))
}

/** Returns up to `count` lines from an offset, which is the start of a line. */
function linesAfter(text: string, start: number, count: number): string[] {
  let end = start
  for (let line = 0; line < count && end < text.length; line++) {
    const newline = text.indexOf('\n', end)
    end = newline === -1 ? text.length : newline + 1
  }
  return splitLines(text.slice(start, end))
}

const splitLines = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))
