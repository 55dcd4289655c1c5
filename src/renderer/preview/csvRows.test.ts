import { expect, it } from 'vitest'
import { csvTable, maxColumns, maxRows } from './csvRows.ts'

it('reads the delimiter from the first line, and quoted cells with line breaks', () => {
  expect(csvTable('\u{feff}a;b\n"1;2\n3";4\n').rows).toEqual([
    ['a', 'b'],
    ['1;2\n3', '4'],
  ])
  expect(csvTable('a\tb\n1\t2').rows[1]).toEqual(['1', '2'])
})

it('keeps rows of different lengths', () => {
  expect(csvTable('a,b\n1\n1,2,3\n')).toMatchObject({ columns: 3, truncated: false, problem: null })
})

it('keeps the rows before an error and says what is wrong', () => {
  const { rows, problem } = csvTable('a,b\n1,2\n"open,3\n')
  expect(rows).toEqual([
    ['a', 'b'],
    ['1', '2'],
  ])
  expect(problem).toMatch(/quote/i)
})

it('bounds rows and columns, and says so', () => {
  expect(csvTable('x\n'.repeat(maxRows + 5))).toMatchObject({ rows: { length: maxRows }, truncated: true })
  expect(csvTable('x,'.repeat(maxColumns + 5))).toMatchObject({ columns: maxColumns, truncated: true })
})

it('an empty text is an empty table', () => {
  expect(csvTable('')).toMatchObject({ rows: [], columns: 0, problem: null })
})
