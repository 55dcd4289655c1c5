import { expect, it } from 'vitest'
import { commonLines } from './commonLines.ts'

it('counts no line for both ends', () => {
  expect(commonLines(['a', 'a'], ['a', 'a', 'a'])).toEqual({ head: 2, tail: 0 })
  expect(commonLines(['a', 'b', 'a'], ['a', 'a'])).toEqual({ head: 1, tail: 1 })
  expect(commonLines([], ['a'])).toEqual({ head: 0, tail: 0 })
})

it('stops at the limit', () => {
  expect(commonLines(['a', 'b', 'x', 'c', 'd'], ['a', 'b', 'y', 'c', 'd'], 1)).toEqual({ head: 1, tail: 1 })
})
