import { expect, test } from 'vitest'
import { randomCode, randomNumbers } from './random.ts'

test('a seed gives the same varied numbers in each run, and another seed other ones', () => {
  const numbersOf = (seed: number): number[] => Array.from({ length: 20 }, randomNumbers(seed))
  expect(new Set(numbersOf(1)).size).toBe(20)
  expect(numbersOf(1)).toEqual(numbersOf(1))
  expect(numbersOf(2)).not.toEqual(numbersOf(1))
  expect(randomCode(randomNumbers(1))).toMatch(/^[A-Z]{2}-[2-9]{4}$/)
})
