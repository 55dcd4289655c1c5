import type { EdgeKind, SymbolKind } from './symbolTypes.ts'

// Rows of the code index, as its store returns them.

/** A definition, import or export in a file. Positions as in `FoundSymbol`. */
export interface SymbolRow {
  id: number
  symbol_id: string
  file: number
  path: string
  language: string
  parent: number | null
  kind: SymbolKind
  name: string
  qualified: string
  line: number
  column: number
  end_line: number
  end_column: number
  body_line: number | null
  body_end_line: number | null
  name_line: number
  name_column: number
  signature: string
  doc: string
  exported: number
}

/** A use of a name (`FoundReference`). `symbol` is the id of the innermost enclosing symbol. */
export interface ReferenceRow {
  id: number
  file: number
  path: string
  language: string
  symbol: number | null
  kind: EdgeKind
  name: string
  receiver: string | null
  origin: string | null
  line: number
  column: number
}

/** An imported or exported name (`FoundLink`). */
export interface LinkRow {
  id: number
  file: number
  path: string
  language: string
  kind: 'import' | 'export'
  local: string
  original: string
  source: string | null
  line: number
  column: number
}
