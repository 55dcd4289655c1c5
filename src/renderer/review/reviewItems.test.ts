import { describe, expect, it } from 'vitest'
import { maxExcerpts, type ReviewFile } from '../../shared/review/review.ts'
import { activeRow, fileRowOf, itemsOf } from './reviewItems.ts'

const file = (path: string, hunks: number): ReviewFile => ({
  path,
  change: 'changed',
  content: 'text',
  added: 1,
  removed: 1,
  hunks,
  revision: 1,
})
const rows = (...files: ReviewFile[]) => itemsOf(files, ({ path }) => path !== 'folded')

describe('the rows of the review', () => {
  it('are the files, and the hunks of expanded ones', () => {
    expect(rows(file('a', 2), file('folded', 3), file('none', 0)).map(({ key }) => key)).toEqual([
      'a',
      'a\n0',
      'a\n1',
      'folded',
      'none',
    ])
  })

  it('are limited for a file with very many hunks', () => {
    const items = rows(file('a', maxExcerpts + 5))
    expect(items).toHaveLength(maxExcerpts + 2)
    expect(items.at(-1)).toMatchObject({ kind: 'more', count: 5 })
  })

  it('lead from a hunk to its file', () => expect(fileRowOf(rows(file('a', 1), file('b', 2)), 4)).toBe(2))
})

describe('the selected row', () => {
  it('is the last hunk of the file if the selected one was the last and is gone', () => {
    expect(activeRow(rows(file('a', 1), file('b', 1)), 'a\n1', 2)).toBe(1)
  })
  it('is the row at the same place if the file is gone', () => {
    expect(activeRow(rows(file('b', 1)), 'a\n0', 1)).toBe(1)
    expect(activeRow(rows(file('b', 1)), 'a\n0', 9)).toBe(1)
  })
})
