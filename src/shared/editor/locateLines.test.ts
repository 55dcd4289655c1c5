import { expect, it } from 'vitest'
import { locateLines } from './locateLines.ts'

const text = ['a', 'b', 'c', 'b', 'c', 'd'].join('\n')

it('finds lines that have moved, at the nearest place', () => {
  expect(locateLines(text, ['b', 'c'], 1)).toBe(2)
  expect(locateLines(text, ['b', 'c'], 6)).toBe(4)
  expect(locateLines(text, ['d'], 1)).toBe(6)
})

it('finds nothing where the lines have changed', () => {
  expect(locateLines(text, ['b', 'd'], 1)).toBeNull()
  expect(locateLines(text, [], 1)).toBeNull()
})
