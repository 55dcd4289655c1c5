import { expect, it } from 'vitest'
import { applyTextChanges } from './textChanges.ts'

it('applies each change to the result of the previous one', () => {
  expect(
    applyTextChanges('one two', [
      { offset: 0, length: 3, text: 'three' },
      { offset: 6, length: 3, text: '' },
    ]),
  ).toBe('three ')
})

it('returns null for a change out of range', () => {
  expect(applyTextChanges('abc', [{ offset: 2, length: 2, text: '' }])).toBeNull()
  expect(applyTextChanges('', [{ offset: 1, length: 0, text: 'x' }])).toBeNull()
})
