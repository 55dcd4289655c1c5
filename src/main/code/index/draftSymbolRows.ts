import type { SymbolRow } from './indexRows.ts'
import { createSymbolIds } from './symbolIds.ts'
import type { FoundSymbol } from './symbolTypes.ts'

/** Converts symbols of a draft to rows with the ids they would have in the index. */
export function toDraftRows(path: string, language: string, symbols: readonly FoundSymbol[]): SymbolRow[] {
  const idOf = createSymbolIds(path)
  const rows = symbols.map((symbol, index): SymbolRow => ({
    id: index,
    symbol_id: idOf(symbol.qualified, symbol.kind),
    file: 0,
    path,
    language,
    parent: symbol.parent,
    kind: symbol.kind,
    name: symbol.name,
    qualified: symbol.qualified,
    line: symbol.range.line,
    column: symbol.range.column,
    end_line: symbol.range.endLine,
    end_column: symbol.range.endColumn,
    body_line: symbol.body?.line ?? null,
    body_end_line: symbol.body?.endLine ?? null,
    name_line: symbol.nameLine,
    name_column: symbol.nameColumn,
    signature: symbol.signature,
    doc: symbol.doc,
    exported: symbol.exported ? 1 : 0,
  }))
  // Same order as `outline` of the index.
  return rows.toSorted((a, b) => a.line - b.line || a.column - b.column || b.end_line - a.end_line || a.id - b.id)
}
