import { expect, test } from 'vitest'
import { seededRandom } from '../testing/longForm.ts'
import { sortInParts } from './sortInParts.ts'

test('sorts like toSorted, and keeps the order of equal items', async () => {
  const random = seededRandom()
  const compare = (a: { key: number }, b: { key: number }) => a.key - b.key
  for (const count of [0, 1, 2000, 2001, 7999, 50_001]) {
    const items = Array.from({ length: count }, (_, at) => ({ key: random.integer(5000), at }))
    expect(await sortInParts(items, compare)).toEqual(items.toSorted(compare))
  }
})

test('lets other work run while a long list is sorted', async () => {
  let turns = 0
  const count = (): void => {
    turns += 1
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  await sortInParts(
    Array.from({ length: 50_000 }, (_, index) => 50_000 - index),
    (a, b) => a - b,
  )
  clearImmediate(timer)
  expect(turns).toBeGreaterThan(20)
})
