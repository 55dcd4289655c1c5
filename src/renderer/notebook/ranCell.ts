import type { NotebookCell } from '../../shared/notebook/notebook.ts'

/** A cell as it was when it was run. */
export interface RanCell {
  key: string
  code: string
  /** Position, from 0. Undefined: another window ran it. */
  index?: number | undefined
}

/**
 * Finds the cell that was run, for its outputs. Without an id, its key can have come to another cell, so its text or its
 * position must be the same.
 */
export function findRanCell(cells: readonly NotebookCell[], { key, code, index }: RanCell): NotebookCell | undefined {
  const codeCells = cells.filter(({ type }) => type === 'code')
  const known = codeCells.find((cell) => cell.key === key)
  if (known && (known.id !== undefined || known.source === code || cells[index ?? -1] === known)) return known
  const same = codeCells.filter(({ source, id }) => source === code && id === undefined)
  return same.length === 1 ? same[0] : undefined
}
