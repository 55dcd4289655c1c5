import { expect, it } from 'vitest'
import { changedSpan } from '../../shared/editor/changedSpan.ts'
import { LineText } from './lineText.ts'

const linesOf = (lines: LineText): string[] => Array.from({ length: lines.lineCount }, (_, index) => lines.line(index))

it.each([
  ['a\nb\nc', 'a\nbx\nc'],
  ['a\nb\nc', 'a\nc'],
  ['a\nb\nc', 'a\nb\n\nb\nc'],
  ['a\nb\n', ''],
  ['', '\n\n'],
  ['a\n\n\nb', 'a\n\nb'],
  ['abc', 'a\nbc\n'],
  ['a\nb', '\na\nb'],
])('a changed text has the lines of its text: %j and %j', (before, after) => {
  const lines = new LineText(before)
  expect(lines.lineCount).toBe(before.split('\n').length)
  const edited = lines.edited(after, changedSpan(before, after))
  expect(linesOf(edited)).toEqual(after.split('\n'))
  expect(edited.placeOf(after.length)).toEqual({ line: edited.lineCount - 1, column: after.split('\n').at(-1)?.length })
})

it('many random changes keep the lines', () => {
  let lines = new LineText('start\n')
  expect(lines.lineCount).toBe(2)
  let seed = 1
  const random = (below: number): number => (seed = (seed * 16_807) % 2_147_483_647) % below
  for (let step = 0; step < 500; step += 1) {
    const { text } = lines
    const at = random(text.length + 1)
    const inserted = ['x', '\n', 'a\nb', ''][random(4)] ?? ''
    const after = text.slice(0, at) + inserted + text.slice(Math.min(text.length, at + random(4)))
    lines = lines.edited(after, changedSpan(text, after))
    expect(linesOf(lines)).toEqual(after.split('\n'))
  }
})

it('an offset is that of a line and column', () => {
  const lines = new LineText('ab\nc\n')
  expect([lines.offsetOf({ line: 1, column: 3 }), lines.offsetOf({ line: 2, column: 1 })]).toEqual([2, 3])
  expect(lines.offsetOf({ line: 9, column: 1 })).toBe(5)
})
