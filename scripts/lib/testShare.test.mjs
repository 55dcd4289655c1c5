import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from './paths.mjs'
import { leftOut, readDurations } from './testShare.mjs'

const durations = { unit: Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`${index}`, 10])), story: {} }
function ran(seed) {
  const out = new Set(leftOut('unit', seed, durations))
  return Object.keys(durations.unit).filter((file) => !out.has(file))
}

it('a share is the same for a seed, fits the budget, and differs with another seed', () => {
  expect(ran('a')).toEqual(ran('a'))
  expect(ran('a')).not.toEqual(ran('b'))
  expect(ran('a').length).toBeGreaterThan(10)
  expect(ran('a').length).toBeLessThan(150)
})

it('a hundred shares have run every test file', () => {
  expect(new Set(Array.from({ length: 100 }, (_, seed) => ran(`${seed}`)).flat()).size).toBe(300)
})

it('a file that takes longer than the whole share has its turn too', () => {
  const slow = { unit: { ...durations.unit, slow: 10_000 }, story: {} }
  const seeds = Array.from({ length: 2000 }, (_, seed) => `${seed}`)
  expect(seeds.some((seed) => !leftOut('unit', seed, slow).includes('slow'))).toBe(true)
})

it('without a seed nothing is left out', () => {
  expect(leftOut('unit', '')).toEqual([])
  expect(leftOut('story', '')).toEqual([])
})

it('the table of durations names only files that exist', () => {
  const { unit, story } = readDurations()
  expect([...Object.keys(unit), ...Object.keys(story)].filter((file) => !existsSync(join(root, file)))).toEqual([])
})
