import { describe, expect, it } from 'vitest'
import { addedHunk, hunkOf, indexAfterStep } from './diffPosition.ts'

describe('hunks of the diff editor', () => {
  it('have no lines in the original for an insertion, at the position after its start line', () => {
    const change = {
      originalStartLineNumber: 3,
      originalEndLineNumber: 0,
      modifiedStartLineNumber: 4,
      modifiedEndLineNumber: 5,
    }
    expect(hunkOf(change)).toEqual({ original: { start: 4, count: 0 }, modified: { start: 4, count: 2 } })
  })

  it('are all lines of an added file, without the empty one after the last line break', () => {
    const text = (...lines: string[]) => ({
      getLineCount: () => lines.length,
      getLineLength: (line: number) => lines[line - 1]?.length ?? 0,
    })
    const hunk = (count: number) => ({ original: { start: 1, count: 0 }, modified: { start: 1, count } })
    expect(addedHunk(text('a', 'b', ''))).toEqual(hunk(2))
    expect(addedHunk(text('a', 'b'))).toEqual(hunk(2))
    expect(addedHunk(text(''))).toEqual(hunk(1))
  })

  it('are stepped through from the cursor, around the ends', () => {
    const hunks = [10, 20, 30].map((start) => ({ original: { start, count: 1 }, modified: { start, count: 1 } }))
    const at = (line: number, step: 1 | -1) =>
      indexAfterStep(
        { hunks, current: hunks.findIndex(({ modified }) => modified.start === line), line, selected: null },
        step,
      )
    expect([at(1, 1), at(10, 1), at(15, 1), at(30, 1), at(40, 1)]).toEqual([0, 1, 1, 0, 0])
    expect([at(1, -1), at(10, -1), at(15, -1), at(30, -1), at(40, -1)]).toEqual([2, 2, 0, 1, 2])
    expect(indexAfterStep({ hunks: [], current: -1, line: 1, selected: null }, 1)).toBe(-1)
  })
})
