import { expect, it, vi } from 'vitest'
import { memoizeTexts } from './memoize.ts'

const long = (letter: string) => letter.repeat(200)

it('computes the result of a long text once', () => {
  const compute = vi.fn((text: string) => text.length)
  const remembered = memoizeTexts(compute)
  expect([remembered(long('a')), remembered(long('a')), remembered(long('b'))]).toEqual([200, 200, 200])
  expect(compute).toHaveBeenCalledTimes(2)
})

it('forgets all texts at the limit', () => {
  const compute = vi.fn((text: string) => text.length)
  const remembered = memoizeTexts(compute, 300)
  remembered(long('a'))
  remembered(long('b'))
  remembered(long('b'))
  remembered(long('a'))
  expect(compute).toHaveBeenCalledTimes(3)
})
