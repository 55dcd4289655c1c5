import { expect, it } from 'vitest'
import { plural, pluralNoun } from './plural.ts'

it('uses the singular for one only', () => {
  expect([0, 1, 2, 1200].map((count) => plural(count, 'match', 'matches'))).toEqual([
    '0 matches',
    '1 match',
    '2 matches',
    '1,200 matches',
  ])
  expect([1, 2].map((count) => pluralNoun(count, 'line'))).toEqual(['line', 'lines'])
})
