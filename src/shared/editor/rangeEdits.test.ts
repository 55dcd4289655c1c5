import { expect, it } from 'vitest'
import type { RangeEdit } from '../language/languageServers.ts'
import { applyRangeEdits } from './rangeEdits.ts'

const edit = (startLine: number, startColumn: number, endLine: number, endColumn: number, text: string): RangeEdit => ({
  range: { startLine, startColumn, endLine, endColumn },
  text,
})

it('edits refer to the text before all of them, in any order', () => {
  const edits = [edit(2, 1, 2, 4, 'dos'), edit(1, 1, 1, 1, 'import x\n'), edit(1, 4, 2, 1, ' ')]
  expect(applyRangeEdits('one\ntwo\n', edits)).toBe('import x\none dos\n')
})

it('insertions at one place keep their order, and a place beyond the end is the end', () => {
  expect(applyRangeEdits('ab', [edit(1, 2, 1, 2, '1'), edit(1, 2, 1, 2, '2'), edit(9, 9, 9, 9, '!')])).toBe('a12b!')
  expect(applyRangeEdits('ab\ncd', [edit(1, 99, 1, 99, '!')])).toBe('ab!\ncd')
})

it('refuses edits that overlap', () => {
  expect(() => applyRangeEdits('abcdef', [edit(1, 1, 1, 4, 'x'), edit(1, 3, 1, 5, 'y')])).toThrow('overlap')
})
