import { expect, it } from 'vitest'
import { isLongForm, roundsOf, seededRandom } from './longForm.ts'

it('a random test runs a tenth of its rounds unless the long form is enabled', () => {
  expect(roundsOf(2000)).toBe(isLongForm ? 2000 : 200)
  expect(roundsOf(3)).toBe(isLongForm ? 3 : 1)
})

it('a seed yields the same numbers each time, and another seed yields others', () => {
  const numbers = (seed: number): number[] => Array.from({ length: 50 }, seededRandom(seed))
  expect(numbers(7)).toEqual(numbers(7))
  expect(numbers(7)).not.toEqual(numbers(8))
  expect(numbers(7).every((number) => number >= 0 && number < 1)).toBe(true)
})

it('eventually picks every choice, and nothing else', () => {
  const random = seededRandom(1)
  expect(new Set(Array.from({ length: 100 }, () => random.pick(['a', 'b', 'c'])))).toEqual(new Set(['a', 'b', 'c']))
  expect(() => random.pick([])).toThrow('at least one choice')
})
