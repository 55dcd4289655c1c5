import { fuzzyMatch } from './fuzzyMatch.ts'
import type { QuickPickItem } from './quickPick.ts'

export interface QuickPickRow {
  item: QuickPickItem
  /** Indices of the matched characters in the label, and in a file's description, which is its folder. */
  positions: number[]
  descriptionPositions?: number[]
  /** Heading of the item's group. */
  heading: string | undefined
}

/** Converts items to rows in the same order. A heading also applies to the items after it. */
export function rowsOf(items: readonly QuickPickItem[]): QuickPickRow[] {
  let heading: string | undefined
  return items.map((item) => {
    heading = item.heading ?? heading
    return { item, positions: [], heading }
  })
}

/** Highlights the characters that a query matches: in the label, or else in the path of folder and label. */
export function markRow(row: QuickPickRow, query: string): QuickPickRow {
  const { label, description } = row.item
  const inLabel = fuzzyMatch(query, label)
  if (inLabel) return { ...row, positions: inLabel.positions }
  if (description === undefined) return row
  const start = description.length + 1
  const inPath = fuzzyMatch(query.replaceAll('\\', '/'), `${description}/${label}`)
  return {
    ...row,
    positions: inPath?.positions.filter((at) => at >= start).map((at) => at - start) ?? [],
    descriptionPositions: inPath?.positions.filter((at) => at < start - 1) ?? [],
  }
}

/**
 * Filters items: first fuzzy matches of the label, best first, then items that contain all words in label, description,
 * keywords or heading. Keeps groups together, ordered by their best row.
 */
export function filterRows(query: string, items: readonly QuickPickItem[]): QuickPickRow[] {
  const rows = rowsOf(items)
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return rows
  const byLabel = rows
    .flatMap((row) => {
      const match = fuzzyMatch(query, row.item.label)
      return match ? [{ row: { ...row, positions: match.positions }, score: match.score }] : []
    })
    .toSorted((a, b) => b.score - a.score)
    .map(({ row }) => row)
  const taken = new Set(byLabel.map(({ item }) => item))
  const byText = rows.filter(({ item, heading }) => {
    const text = [item.label, item.description, item.keywords, heading].join(' ').toLowerCase()
    return !taken.has(item) && words.every((word) => text.includes(word))
  })
  return [...Map.groupBy([...byLabel, ...byText], ({ heading }) => heading).values()].flat()
}
