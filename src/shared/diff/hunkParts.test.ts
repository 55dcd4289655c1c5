import { describe, expect, it } from 'vitest'
import { hunkPart, touchesLines } from './hunkParts.ts'
import type { LineHunk } from './lineHunks.ts'

/** Takes the first and last line on both sides. A last line of 0 is the position after the first. */
const change = (...[from, to, start, end]: [number, number, number, number]): LineHunk => ({
  original: to === 0 ? { start: from + 1, count: 0 } : { start: from, count: to - from + 1 },
  modified: end === 0 ? { start: start + 1, count: 0 } : { start, count: end - start + 1 },
})

describe('lines of a hunk', () => {
  it('removed lines are touched by the lines before and after them', () => {
    const { modified } = change(2, 3, 1, 0)
    expect([1, 2, 3].map((line) => touchesLines(modified, line, line))).toEqual([true, true, false])
  })

  it('selected lines of an insertion are inserted alone', () => {
    expect(hunkPart(change(3, 0, 4, 8), 5, 6)).toEqual({
      original: { start: 4, count: 0 },
      modified: { start: 5, count: 2 },
    })
  })

  it('with as many lines on both sides, selected lines replace those at their position', () => {
    expect(hunkPart(change(10, 12, 20, 22), 21, 30)).toEqual({
      original: { start: 11, count: 2 },
      modified: { start: 21, count: 2 },
    })
  })

  it('otherwise the last line of the shorter side corresponds to the rest of the longer one', () => {
    // Old 10 and 11, new 20, 21 and 22: 22 is an insertion.
    expect(hunkPart(change(10, 11, 20, 22), 21, 21)).toEqual({
      original: { start: 11, count: 1 },
      modified: { start: 21, count: 1 },
    })
    expect(hunkPart(change(10, 11, 20, 22), 22, 22)).toEqual({
      original: { start: 12, count: 0 },
      modified: { start: 22, count: 1 },
    })
    // Old 10, 11 and 12, new 20 and 21: 21 replaces 11 and 12.
    expect(hunkPart(change(10, 12, 20, 21), 20, 20)).toEqual({
      original: { start: 10, count: 1 },
      modified: { start: 20, count: 1 },
    })
    expect(hunkPart(change(10, 12, 20, 21), 21, 21)).toEqual({
      original: { start: 11, count: 2 },
      modified: { start: 21, count: 1 },
    })
    expect(hunkPart(change(10, 11, 20, 22), 1, 19)).toBeNull()
  })
})
