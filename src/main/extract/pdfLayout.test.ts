import { expect, test } from 'vitest'
import { textOfRuns, type TextRun } from './pdfLayout.ts'

/** Cells of one line, each as its text, left edge and width. */
const line = (y: number, ...cells: readonly (readonly [text: string, x: number, width: number])[]): TextRun[] =>
  cells.map(([text, x, width]) => ({ text, x, y, width, height: 10 }))

test('keeps the table borders in a header with narrow gaps', () => {
  const page = [
    ...line(120, ['Name of the ship', 10, 84], ['Tonnage in tons', 100, 74], ['Year', 180, 20]),
    ...line(108, ['Ada', 10, 20], ['1,200', 100, 25], ['1999', 180, 20]),
    ...line(96, ['Bea', 10, 20], ['900', 100, 15], ['2004', 180, 20]),
  ]
  expect(textOfRuns(page)).toBe('Name of the ship | Tonnage in tons | Year\nAda | 1,200 | 1999\nBea | 900 | 2004')
})

test('aligns number columns and the total below them', () => {
  const page = [
    ...line(120, ['Item', 10, 80], ['Amount', 98, 42]),
    ...line(108, ['Rope', 10, 20], ['12', 130, 10]),
    ...line(96, ['Total of all items', 10, 80], ['1,000,000', 96, 44]),
  ]
  expect(textOfRuns(page)).toBe('Item | Amount\nRope | 12\nTotal of all items | 1,000,000')
})

test('does not split a sentence next to a table', () => {
  const page = [
    ...line(130, ['The table', 10, 40], ['below', 53, 22], ['lists all ships that are here', 78, 130]),
    ...line(118, ['Ada', 10, 20], ['1,200', 100, 25], ['1999', 180, 20]),
  ]
  expect(textOfRuns(page)).toBe('The table below lists all ships that are here\nAda | 1,200 | 1999')
})
