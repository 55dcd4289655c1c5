import { maxExcerpts, type ReviewFile } from '../../shared/review/review.ts'

/** A row of the review: a file, one of its hunks, or the number of hunks that are not shown. */
export type ReviewItem =
  | { kind: 'file'; file: ReviewFile; key: string; expanded: boolean }
  | { kind: 'hunk'; file: ReviewFile; key: string; index: number }
  | { kind: 'more'; file: ReviewFile; key: string; count: number }

/** Whether a file has lines to show. */
export const hasHunks = (file: ReviewFile): boolean => file.content === 'text' && file.hunks > 0

/** Pure: returns the rows of files. Hunks are keyed by position, so the next one takes the position of a kept one. */
export function itemsOf(files: readonly ReviewFile[], isExpanded: (file: ReviewFile) => boolean): ReviewItem[] {
  return files.flatMap((file): ReviewItem[] => {
    const { path: key } = file
    const expanded = hasHunks(file) && isExpanded(file)
    const row: ReviewItem = { kind: 'file', file, key, expanded }
    if (!expanded) return [row]
    const shown = Math.min(file.hunks, maxExcerpts)
    const hunks = Array.from({ length: shown }, (_, index): ReviewItem => ({
      kind: 'hunk',
      file,
      key: `${key}\n${index}`,
      index,
    }))
    const count = file.hunks - shown
    return count === 0 ? [row, ...hunks] : [row, ...hunks, { kind: 'more', file, key: `${key}\nmore`, count }]
  })
}

/** Pure: returns the index of the file row that a row belongs to. */
export function fileRowOf(items: readonly ReviewItem[], index: number): number {
  return items.findLastIndex(({ kind }, at) => at <= index && kind === 'file')
}

/**
 * Pure: returns the row to select after the list has changed: the selected one, or else the one at its position among
 * its file's hunks, or else the one at its position in the list.
 */
export function activeRow(items: readonly ReviewItem[], key: string | null, lastIndex: number): number {
  const found = items.findIndex((item) => item.key === key)
  if (found >= 0) return found
  const path = key?.split('\n')[0]
  const last = items.findLastIndex((item) => item.kind === 'hunk' && item.file.path === path)
  return last >= 0 ? last : Math.min(lastIndex, items.length - 1)
}
