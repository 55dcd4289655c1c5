import type { OutlineSymbol } from '../../shared/code.ts'
import { fuzzyMatch } from '../platform/fuzzyMatch.ts'

/** A symbol as the outline draws it. */
export interface OutlineRow {
  symbol: OutlineSymbol
  depth: number
  /** Null where it holds nothing that could be folded. */
  expanded: boolean | null
  /** It answers the filter itself, and is not only around something that does. */
  matched: boolean
}

/**
 * Pure: the rows in sight. With a filter those whose name answers it and what encloses them, whatever is folded.
 * @param folded ids of symbols whose content is hidden
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
  // What is enclosed stands behind what encloses it.
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
