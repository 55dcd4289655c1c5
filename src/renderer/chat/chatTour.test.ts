import { expect, it } from 'vitest'
import { positionOf } from './chatTour.ts'

it('finds the 1-based position of a text', () => {
  expect(positionOf('one\ntwo three\n', 'three')).toEqual({ line: 2, column: 5 })
  expect(positionOf('one', 'one')).toEqual({ line: 1, column: 1 })
  expect(positionOf('one', 'four')).toBeUndefined()
})
