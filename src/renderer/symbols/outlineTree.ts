import type { OutlineSymbol } from '../../shared/codeNavigation.ts'
import { fuzzyMatch } from '../platform/fuzzyMatch.ts'

/** A symbol in the outline. */
export interface OutlineRow {
  symbol: OutlineSymbol
  depth: number
  /** Whether the symbol is collapsed; null if it has no children. */
  expanded: boolean | null
  /** Whether the symbol itself matches the filter, not only a child. */
  matched: boolean
}

/**
 * Pure: the visible rows. A filter shows matching symbols and their parents, even if collapsed.
 * @param folded ids of collapsed symbols
 */
export function outlineRows(
  symbols: readonly OutlineSymbol[],
  filter: string,
  folded: ReadonlySet<string>,
): OutlineRow[] {
  const wanted = filter.trim()
  const matched = symbols.map(({ name }) => wanted === '' || fuzzyMatch(wanted, name) !== null)
  const shown = [...matched]
  const holding = new Set<number>()
  // Children come after their parents.
  for (let index = symbols.length - 1; index >= 0; index--) {
    const parent = symbols[index]?.parent ?? null
    if (parent === null || !shown[index]) continue
    shown[parent] = true
    holding.add(parent)
  }
  const depths: number[] = []
  const hidden: boolean[] = []
  return symbols.flatMap((symbol, index) => {
    const { parent } = symbol
    const around = parent === null ? undefined : symbols[parent]
    depths[index] = parent === null ? 0 : (depths[parent] ?? 0) + 1
    hidden[index] =
      wanted === '' && parent !== null && ((hidden[parent] ?? false) || (around !== undefined && folded.has(around.id)))
    if (!shown[index] || hidden[index]) return []
    const expanded = holding.has(index) ? wanted !== '' || !folded.has(symbol.id) : null
    return [{ symbol, depth: depths[index] ?? 0, expanded, matched: wanted !== '' && (matched[index] ?? false) }]
  })
}

/**
 * Pure: the row of the innermost symbol around a line; -1 where there is none. Where a symbol is out of sight the one around it is
 * found. Rows stand in the order of the text, so the last one around a line is the innermost.
 */
export function rowAtLine(rows: readonly OutlineRow[], line: number): number {
  return rows.findLastIndex(({ symbol }) => symbol.line <= line && line <= symbol.endLine)
}
