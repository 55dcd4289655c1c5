import { expect, it } from 'vitest'
import { parseNotebook, type NotebookCell } from '../../shared/notebook/notebook.ts'
import { findRanCell } from './ranCell.ts'

function cellsOf(...cells: { source: string; id?: string }[]): readonly NotebookCell[] {
  const listed = cells.map((cell) => ({ cell_type: 'code', metadata: {}, outputs: [], execution_count: null, ...cell }))
  const notebook = parseNotebook(JSON.stringify({ cells: listed, metadata: {}, nbformat: 4, nbformat_minor: 5 }))
  if ('problem' in notebook) throw new Error(notebook.problem)
  return notebook.cells
}

it('finds a cell with an id, also if its text has changed', () => {
  const cells = cellsOf({ source: 'a', id: 'x' }, { source: 'b', id: 'y' })
  expect(findRanCell(cells, { key: 'id-y', code: 'before', index: 0 })).toBe(cells[1])
})

it('finds a cell without an id by its text or its position', () => {
  const cells = cellsOf({ source: 'a' }, { source: 'b' }, { source: 'b' })
  const key = cells[0]?.key ?? ''
  expect(findRanCell(cells, { key, code: 'a' })).toBe(cells[0])
  expect(findRanCell(cells, { key, code: 'edited meanwhile', index: 0 })).toBe(cells[0])
  expect(findRanCell(cells, { key: 'of another window', code: 'a' })).toBe(cells[0])
})

it('takes no other cell', () => {
  const cells = cellsOf({ source: 'a' }, { source: 'b' }, { source: 'b' })
  const key = cells[0]?.key ?? ''
  expect(findRanCell(cells, { key, code: 'removed', index: 2 })).toBeUndefined()
  expect(findRanCell(cells, { key: 'of another window', code: 'b' })).toBeUndefined()
})
