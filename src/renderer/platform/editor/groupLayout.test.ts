import { expect, test } from 'vitest'
import { checkedLayout, layoutOf, withSplit, type GroupLayout } from './groupLayout.ts'

const row = (...children: GroupLayout[]): GroupLayout => ({ orientation: 'horizontal', children })
const column = (...children: GroupLayout[]): GroupLayout => ({ orientation: 'vertical', children })

test('a split along the row adds to it, and across makes a column', () => {
  expect(withSplit(1, 1, 2, 'right')).toEqual(row(1, 2))
  expect(withSplit(row(1, 2), 1, 3, 'right')).toEqual(row(1, 3, 2))
  expect(withSplit(row(1, 2), 2, 3, 'down')).toEqual(row(1, column(2, 3)))
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
