import { expect, test } from 'vitest'
import { seededRandom } from '../testing/longForm.ts'
import { Smallest } from './smallestOf.ts'

test('keeps the smallest items regardless of their order', () => {
  const random = seededRandom()
  for (const limit of [0, 1, 7, 100, 5000]) {
    const numbers = Array.from({ length: 1000 }, () => random.integer(10_000))
    const kept = new Smallest<number>(limit, (a, b) => a - b)
    for (const number of numbers) kept.add(number)
    const expected = numbers.toSorted((a, b) => a - b).slice(0, limit)
    expect(kept.sorted()).toEqual(expected)
    expect(kept.largest).toBe(limit > 1000 ? undefined : expected.at(-1))
  }
})
