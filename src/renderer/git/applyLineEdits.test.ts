import { expect, it } from 'vitest'
import { applyLineEdits, type LineEdit } from './applyLineEdits.ts'

const applied = (text: string, ...edits: LineEdit[]) => {
  const lines = text.split('\n')
  return applyLineEdits(lines, edits) ? lines.join('\n') : null
}
const edit = (startLine: number, startColumn: number, endLine: number, endColumn: number, text: string): LineEdit => ({
  startLine,
  startColumn,
  endLine,
  endColumn,
  text,
})

it('edits of lines give the text of the editor', () => {
  expect(applied('one\ntwo\nthree', edit(2, 2, 2, 3, 'XY'))).toBe('one\ntXYo\nthree')
  expect(applied('one\ntwo\nthree', edit(1, 4, 3, 1, ''))).toBe('onethree')
  expect(applied('one\ntwo', edit(2, 4, 2, 4, '\r\nthree\n'))).toBe('one\ntwo\nthree\n')
  // Monaco sorts the edits of one event from the end to the start.
  expect(applied('a\nb\nc', edit(3, 1, 3, 2, 'C'), edit(1, 1, 1, 1, 'new\n'))).toBe('new\na\nb\nC')
})

it('a very long paste is inserted whole', () => {
  const pasted = Array.from({ length: 25_000 }, (_, index) => `${index}`).join('\n')
  expect(applied('a\nb', edit(1, 2, 2, 1, `\n${pasted}\n`))).toBe(`a\n${pasted}\nb`)
})

it('an edit outside of the text is detected', () => {
  expect(applied('a', edit(2, 1, 2, 1, 'x'))).toBeNull()
  expect(applied('a', edit(1, 3, 1, 3, 'x'))).toBeNull()
})
