import type { OutlineSymbol } from '../../shared/language/codeNavigation.ts'
import { fuzzyMatch } from '../platform/quickPick/fuzzyMatch.ts'

export interface OutlineRow {
  symbol: OutlineSymbol
  depth: number
  /** Whether the symbol is expanded; null if it has no children. */
  expanded: boolean | null
  /** Whether the symbol itself matches the filter, not only a child. */
  matched: boolean
}

/**
 * Pure: builds the visible rows. A filter shows matching symbols and their parents, even if collapsed.
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
  const hasShownChild = new Set<number>()
  // Children come after their parents.
  for (let index = symbols.length - 1; index >= 0; index--) {
    const parent = symbols[index]?.parent ?? null
    if (parent === null || !shown[index]) continue
    shown[parent] = true
    hasShownChild.add(parent)
  }
  const depths: number[] = []
  const hidden: boolean[] = []
  return symbols.flatMap((symbol, index) => {
    const { parent } = symbol
    const parentSymbol = parent === null ? undefined : symbols[parent]
    depths[index] = parent === null ? 0 : (depths[parent] ?? 0) + 1
    hidden[index] =
      wanted === '' &&
      parent !== null &&
      ((hidden[parent] ?? false) || (parentSymbol !== undefined && folded.has(parentSymbol.id)))
    if (!shown[index] || hidden[index]) return []
    const expanded = hasShownChild.has(index) ? wanted !== '' || !folded.has(symbol.id) : null
    return [{ symbol, depth: depths[index] ?? 0, expanded, matched: wanted !== '' && (matched[index] ?? false) }]
  })
}

/** Pure: index of the row of the innermost visible symbol that contains a line; -1 if there is none. */
export function rowAtLine(rows: readonly OutlineRow[], line: number): number {
  return rows.findLastIndex(({ symbol }) => symbol.line <= line && line <= symbol.endLine)
}
