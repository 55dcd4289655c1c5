import { expect, it } from 'vitest'
import { placeOf } from './chatTour.ts'

it('finds the place of a text, 1-based', () => {
  expect(placeOf('one\ntwo three\n', 'three')).toEqual({ line: 2, column: 5 })
  expect(placeOf('one', 'one')).toEqual({ line: 1, column: 1 })
  expect(placeOf('one', 'four')).toBeUndefined()
})
