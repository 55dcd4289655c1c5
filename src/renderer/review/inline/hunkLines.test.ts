import { describe, expect, it } from 'vitest'
import { hunkAt, hunkBeside, linesOf, sameHunk, type InlineHunk } from './hunkLines.ts'

const hunk = (id: string, start: number, count: number): InlineHunk => ({
  id,
  base: { start, count: 1 },
  current: { start, count },
  turn: null,
  baseLines: ['old'],
})

describe('the lines of a hunk', () => {
  it('are its current lines', () => expect(linesOf({ start: 3, count: 2 }, 10)).toEqual({ first: 3, last: 4 }))
  it('are the line after removed lines', () =>
    expect(linesOf({ start: 3, count: 0 }, 10)).toEqual({ first: 3, last: 3 }))
  it('are the last line if lines were removed at the end', () => {
    expect(linesOf({ start: 11, count: 0 }, 10)).toEqual({ first: 10, last: 10 })
  })
})

describe('moving between hunks', () => {
  const lines = [
    { first: 2, last: 4 },
    { first: 9, last: 9 },
  ]
  it('skips the hunk at the cursor', () => {
    expect(hunkBeside(lines, 3, 1)).toBe(1)
    expect(hunkBeside(lines, 9, -1)).toBe(0)
  })
  it('ends at the first and the last hunk', () => {
    expect(hunkBeside(lines, 3, -1)).toBe(-1)
    expect(hunkBeside(lines, 9, 1)).toBe(-1)
  })
  it('finds the hunk at a line', () => {
    expect(hunkAt(lines, 4)).toBe(0)
    expect(hunkAt(lines, 5)).toBe(-1)
  })
})

describe('a hunk whose text changed since it was drawn', () => {
  it('is found by its id', () => {
    expect(sameHunk([hunk('a', 1, 1), hunk('b', 5, 1)], 'b', { first: 1, last: 1 }, 10)?.id).toBe('b')
  })
  it('is the only hunk at its lines', () => {
    expect(sameHunk([hunk('x', 1, 1), hunk('y', 5, 2)], 'b', { first: 6, last: 6 }, 10)?.id).toBe('y')
  })
  it('is not found if several hunks are at its lines', () => {
    expect(sameHunk([hunk('x', 5, 1), hunk('y', 7, 1)], 'b', { first: 5, last: 7 }, 10)).toBeUndefined()
  })
})
