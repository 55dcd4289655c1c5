import { expect, it } from 'vitest'
import { applyTextChanges } from './textChanges.ts'

it('applies changes one after another, each to the text before it', () => {
  expect(
    applyTextChanges('one two', [
      { offset: 0, length: 3, text: 'three' },
      { offset: 6, length: 3, text: '' },
    ]),
  ).toBe('three ')
})

it('gives null for a change outside of the text', () => {
  expect(applyTextChanges('abc', [{ offset: 2, length: 2, text: '' }])).toBeNull()
  expect(applyTextChanges('', [{ offset: 1, length: 0, text: 'x' }])).toBeNull()
})
