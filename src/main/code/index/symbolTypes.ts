/** Kinds of symbols, as Zaguán Blade's index names them. */
export const symbolKinds = [
  'function',
  'method',
  'class',
  'struct',
  'interface',
  'type',
  'enum',
  'enum_member',
  'constant',
  'variable',
  'property',
  'module',
  'namespace',
  'import',
  'export',
  'trait',
  'impl',
] as const
export type SymbolKind = (typeof symbolKinds)[number]

/** Edges between symbols. `contains` follows from nesting and is not read from the text by itself. */
export const edgeKinds = ['call', 'import', 'export', 'extends', 'implements', 'contains', 'usage'] as const
export type EdgeKind = (typeof edgeKinds)[number]

/** Lines and columns are 1-based, the end inclusive in lines; columns count UTF-16 units. */
export interface TextRange {
  line: number
  column: number
  endLine: number
  endColumn: number
}

/** A definition found in one file. */
export interface FoundSymbol {
  kind: SymbolKind
  name: string
  /** Names of what encloses it and its own, joined by dots. */
  qualified: string
  range: TextRange
  /** What stands inside its braces or below its heading. */
  body?: TextRange
  /** Where its name stands. */
  nameLine: number
  nameColumn: number
  /** The text before its body on one line, shortened. */
  signature: string
  /** The comment above it or its documentation string, without comment marks. */
  doc: string
  exported: boolean
  /** Index of the enclosing symbol in `symbols`, which stands before it. */
  parent: number | null
}

/** A place that names something defined elsewhere. */
export interface FoundReference {
  kind: Exclude<EdgeKind, 'contains' | 'import' | 'export'>
  name: string
  /** What stands before the last dot: `this`, a module's or an object's name, or a longer expression. */
  receiver: string | null
  /** Where the receiver's value comes from (locals.ts); null where that is unknown. */
  origin: string | null
  line: number
  column: number
  /** Index of the innermost symbol around it. */
  from: number | null
}

/**
 * A name that enters or leaves a file. `local` is the name inside an importing file or outside an exporting one; `original` the name
 * at its source: `*` for the whole module, `default` for what it exports by default.
 */
export interface FoundLink {
  kind: 'import' | 'export'
  local: string
  original: string
  /** The module as written; null for an export of the file's own. */
  source: string | null
  line: number
  column: number
}

/** All that one file says. */
export interface Extraction {
  symbols: FoundSymbol[]
  references: FoundReference[]
  links: FoundLink[]
  /** The text has syntax errors, so something may be missing. */
  hasSyntaxErrors: boolean
  /** Keys of a data file beyond the most that are worth a symbol. */
  omittedKeys?: number
}
