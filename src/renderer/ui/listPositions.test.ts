import { expect, it } from 'vitest'
import { listPositions } from './listPositions.ts'

const positionsOf = (levels: number[]) => listPositions(levels).map(({ position, size }) => `${position}/${size}`)

it('counts the rows of a flat list', () => {
  expect(positionsOf([1, 1, 1])).toEqual(['1/3', '2/3', '3/3'])
})

it('counts siblings below each parent of a tree', () => {
  expect(positionsOf([1, 2, 2, 3, 1, 2])).toEqual(['1/2', '1/2', '2/2', '1/1', '2/2', '1/1'])
})

it('counts rows that are deeper than the first of their parent', () => {
  expect(positionsOf([2, 1, 3, 2])).toEqual(['1/1', '1/1', '1/1', '1/1'])
})
