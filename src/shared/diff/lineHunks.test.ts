import { describe, expect, it } from 'vitest'
import { lineHunks } from './lineHunks.ts'

const hunks = (before: string, after: string) =>
  lineHunks(before.split(''), after.split('')).map(
    ({ original, modified }) => `${original.start},${original.count} ${modified.start},${modified.count}`,
  )

describe('hunks between two texts', () => {
  it('are changed, added and deleted runs of lines', () => {
    expect(hunks('abcdefg', 'aXcdYefg')).toEqual(['2,1 2,1', '5,0 5,1'])
    expect(hunks('abcdefg', 'abfg')).toEqual(['3,3 3,0'])
    expect(hunks('abc', 'abc')).toEqual([])
  })

  it('reach the ends of the texts', () => {
    expect(hunks('', 'ab')).toEqual(['1,0 1,2'])
    expect(hunks('abc', 'c')).toEqual(['1,2 1,0'])
    expect(hunks('abc', 'abcd')).toEqual(['4,0 4,1'])
  })

  it('between texts that have little in common are one hunk', () => {
    const before = Array.from({ length: 5000 }, (_, index) => `old ${index}`)
    const after = Array.from({ length: 4000 }, (_, index) => `new ${index}`)
    expect(lineHunks(['first', ...before], ['first', ...after])).toEqual([
      { original: { start: 2, count: 5000 }, modified: { start: 2, count: 4000 } },
    ])
  })
})
