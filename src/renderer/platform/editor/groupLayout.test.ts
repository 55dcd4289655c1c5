import { expect, test } from 'vitest'
import { checkedLayout, layoutOf, neighborOf, withSplit, type GroupLayout } from './groupLayout.ts'

const row = (...children: GroupLayout[]): GroupLayout => ({ orientation: 'horizontal', children })
const column = (...children: GroupLayout[]): GroupLayout => ({ orientation: 'vertical', children })

test('a split along the row adds to it, and across makes a column', () => {
  expect(withSplit(1, 1, 2, 'right')).toEqual(row(1, 2))
  expect(withSplit(row(1, 2), 1, 3, 'right')).toEqual(row(1, 3, 2))
  expect(withSplit(row(1, 2), 2, 3, 'down')).toEqual(row(1, column(2, 3)))
})

test('a split to the left and up puts the new group first', () => {
  expect(withSplit(1, 1, 2, 'left')).toEqual(row(2, 1))
  expect(withSplit(row(1, 2), 2, 3, 'left')).toEqual(row(1, 3, 2))
  expect(withSplit(row(1, 2), 2, 3, 'up')).toEqual(row(1, column(3, 2)))
})

test('neighbors are on the left and right, across columns', () => {
  const layout = row(1, column(2, row(3, 4)), 5)
  const right = [1, 2, 3, 4, 5].map((group) => neighborOf(layout, group, 'right'))
  const left = [1, 2, 3, 4, 5].map((group) => neighborOf(layout, group, 'left'))
  expect(right).toEqual([2, 5, 4, 5, undefined])
  expect(left).toEqual([undefined, 1, 1, 3, 2])
  expect(neighborOf(column(1, 2), 1, 'right')).toBeUndefined()
})

test('without a group, lines of one and rows in rows disappear', () => {
  const layout = row(1, column(2, row(3, 4)))
  expect(layoutOf(layout, (group) => group !== 2)).toEqual(row(1, 3, 4))
  expect(layoutOf(layout, (group) => group === 4)).toBe(4)
  expect(layoutOf(layout, () => false)).toBeNull()
})

test.each([
  [column(1, 2), column(1, 2)],
  [row(1, 7, 2), row(1, 2)],
  [row(1, 1), row(1, 2)],
  [{ orientation: 'diagonal', children: [1, 2] }, row(1, 2)],
  [undefined, row(1, 2)],
  ['x', row(1, 2)],
])('a stored layout that does not fit the groups becomes a row (%j)', (stored, expected) => {
  expect(checkedLayout(stored, [1, 2])).toEqual(expected)
})
