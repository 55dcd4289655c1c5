import { expect, it } from 'vitest'
import { truncate } from './truncate.ts'

it('leaves a short text, and ends a long one with an ellipsis', () => {
  expect(truncate('short', 5)).toBe('short')
  expect(truncate('longer', 5)).toBe('longe…')
})

it('half of an emoji is never shown', () => {
  expect(truncate('ab😀cd', 3).isWellFormed()).toBe(true)
})
