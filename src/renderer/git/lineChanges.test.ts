import { describe, expect, it } from 'vitest'
import { lineChangeOf, partOf, spansOf, touches } from './lineChanges.ts'

const change = (
  originalStartLineNumber: number,
  originalEndLineNumber: number,
  modifiedStartLineNumber: number,
  modifiedEndLineNumber: number,
) => spansOf({ originalStartLineNumber, originalEndLineNumber, modifiedStartLineNumber, modifiedEndLineNumber })

describe('lines of a change', () => {
  it('an insertion has no lines in the original, at the position after its start line', () => {
    expect(change(3, 0, 4, 5)).toEqual({ original: { start: 4, count: 0 }, modified: { start: 4, count: 2 } })
  })

  it('removed lines are touched by the lines before and after them', () => {
    const { modified } = change(2, 3, 1, 0)
    expect([1, 2, 3].map((line) => touches(modified, line, line))).toEqual([true, true, false])
  })

  it('selected lines of an insertion are inserted alone', () => {
    expect(partOf(change(3, 0, 4, 8), 5, 6)).toEqual({
      original: { start: 4, count: 0 },
      modified: { start: 5, count: 2 },
    })
  })

  it('with as many lines on both sides, selected lines replace those at their position', () => {
    expect(partOf(change(10, 12, 20, 22), 21, 30)).toEqual({
      original: { start: 11, count: 2 },
      modified: { start: 21, count: 2 },
    })
  })

  it('otherwise the last line of the shorter side corresponds to the rest of the longer one', () => {
    // Old 10 and 11, new 20, 21 and 22: 22 is an insertion.
    expect(partOf(change(10, 11, 20, 22), 21, 21)).toEqual({
      original: { start: 11, count: 1 },
      modified: { start: 21, count: 1 },
    })
    expect(partOf(change(10, 11, 20, 22), 22, 22)).toEqual({
      original: { start: 12, count: 0 },
      modified: { start: 22, count: 1 },
    })
    // Old 10, 11 and 12, new 20 and 21: 21 replaces 11 and 12.
    expect(partOf(change(10, 12, 20, 21), 20, 20)).toEqual({
      original: { start: 10, count: 1 },
      modified: { start: 20, count: 1 },
    })
    expect(partOf(change(10, 12, 20, 21), 21, 21)).toEqual({
      original: { start: 11, count: 2 },
      modified: { start: 21, count: 1 },
    })
    expect(partOf(change(10, 11, 20, 22), 1, 19)).toBeNull()
  })

  it('carries the text of both sides', () => {
    const at = (name: string) => (line: number) => `${name}${line}`
    expect(lineChangeOf(change(1, 1, 1, 2), at('old'), at('new'))).toEqual({
      before: { line: 1, text: ['old1'] },
      after: { line: 1, text: ['new1', 'new2'] },
    })
  })
})
