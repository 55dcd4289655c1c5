import { expect, it } from 'vitest'
import { formatAge } from './formatAge.ts'

const hour = 3_600_000
const day = 24 * hour

it('ages are rounded down to the largest unit', () => {
  const ages = [0, 5 * 60_000, 3 * hour, day, 20 * day, 70 * day, 800 * day].map((age) => formatAge(1e12 - age, 1e12))
  expect(ages).toEqual([
    'now',
    '5 minutes ago',
    '3 hours ago',
    'yesterday',
    '20 days ago',
    '2 months ago',
    '2 years ago',
  ])
})
