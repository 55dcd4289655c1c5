import { expect, it } from 'vitest'
import { revertEdit, unstagedParts } from './hunkActions.ts'
import { lineHunks } from '../../shared/diff/lineHunks.ts'

/** Applies the edits of all hunks, from the last to the first. */
function reverted(head: string, current: string): string {
  let lines = current.split('\n')
  const headLines = head.split('\n')
  for (const hunk of lineHunks(headLines, lines).toReversed()) {
    const before = headLines.slice(hunk.original.start - 1, hunk.original.start - 1 + hunk.original.count)
    const { range, text } = revertEdit(hunk, before, {
      lineCount: lines.length,
      lengthOf: (line) => (lines[line - 1]?.length ?? 0) + 1,
    })
    const offset = (line: number, column: number) =>
      lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0) + column - 1
    const whole = lines.join('\n')
    lines = `${whole.slice(0, offset(range.startLineNumber, range.startColumn))}${text}${whole.slice(
      offset(range.endLineNumber, range.endColumn),
    )}`.split('\n')
  }
  return lines.join('\n')
}

it.each([
  ['changed, added and deleted lines', 'a\nb\nc\nd\ne\n', 'a\nB\nc\nnew\nd\n'],
  ['a first line', 'a\nb\n', 'b\n'],
  ['a last line without a line break', 'a\nb', 'a'],
  ['added last lines', 'a', 'a\nb\nc'],
  ['everything', '', 'a\nb\n'],
])('reverting all hunks restores %s', (_what, head, current) => {
  expect(reverted(head, current)).toBe(head)
})

it('a hunk that is partly staged has only the rest to stage', () => {
  const [head, index, current] = [
    ['a', 'b', 'c'],
    ['a', 'B', 'c'],
    ['a', 'B', 'C'],
  ]
  const hunks = { head: lineHunks(head, current), index: lineHunks(index, current) }
  expect(hunks.head.map((hunk) => unstagedParts({ hunks }, hunk))).toEqual([
    [{ original: { start: 3, count: 1 }, modified: { start: 3, count: 1 } }],
  ])
})
