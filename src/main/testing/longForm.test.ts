import { expect, it } from 'vitest'
import { chosenCases, isLongForm, roundsOf, seededRandom } from './longForm.ts'

it('a random test runs a tenth of its rounds unless the long form is enabled', () => {
  expect(roundsOf(2000)).toBe(isLongForm ? 2000 : 200)
  expect(roundsOf(3)).toBe(isLongForm ? 3 : 1)
})

it('a table of long tests runs a seeded choice of its cases unless the long form is enabled', () => {
  const cases = Array.from({ length: 20 }, (_, index) => index)
  const chosen = chosenCases(cases, 3)
  expect(chosen).toHaveLength(isLongForm ? 20 : 3)
  expect(chosen).toEqual(cases.filter((each) => chosen.includes(each)))
  expect(chosenCases(cases, 3)).toEqual(chosen)
  expect(chosenCases(cases, 30)).toEqual(cases)
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
