import { describe, expect, it } from 'vitest'
import { groupOf, neighborOf, splitBeside, withoutUnknown } from './splits.ts'

describe('terminals side by side', () => {
  it('open to the right of the one that was split', () => {
    const first = splitBeside([], 'a', 'b')
    expect(first).toEqual([['a', 'b']])
    expect(splitBeside(first, 'a', 'c')).toEqual([['a', 'c', 'b']])
    expect(splitBeside(first, 'x', 'y')).toEqual([
      ['a', 'b'],
      ['x', 'y'],
    ])
  })

  it('are alone again when their neighbors are gone', () => {
    expect(withoutUnknown([['a', 'b', 'c']], (id) => id !== 'b')).toEqual([['a', 'c']])
    expect(withoutUnknown([['a', 'b']], (id) => id === 'a')).toEqual([])
    expect(groupOf([], 'a')).toEqual(['a'])
  })

  it('are passed in a circle', () => {
    const splits = [['a', 'b', 'c']]
    expect(neighborOf(splits, 'c', 1)).toBe('a')
    expect(neighborOf(splits, 'a', -1)).toBe('c')
    expect(neighborOf(splits, 'alone', 1)).toBe('alone')
  })
})
