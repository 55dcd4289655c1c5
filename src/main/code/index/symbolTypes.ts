/** Symbol kinds, named as in Zaguán Blade's index. */
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

/** Kinds of symbols that have members. */
export const typeKinds: ReadonlySet<SymbolKind> = new Set(['class', 'struct', 'interface', 'trait', 'impl', 'enum'])

/** Edges between symbols. `contains` edges are derived from nesting. */
export const edgeKinds = ['call', 'import', 'export', 'extends', 'implements', 'contains', 'usage'] as const
export type EdgeKind = (typeof edgeKinds)[number]

/** Lines and columns are 1-based; `endLine` is inclusive; columns count UTF-16 units. */
export interface TextRange {
  line: number
  column: number
  endLine: number
  endColumn: number
}

/** A definition in a file. */
export interface FoundSymbol {
  kind: SymbolKind
  name: string
  /** Names of the enclosing symbols and its own, joined with dots. */
  qualified: string
  range: TextRange
  /** Content of the braces, or the text below a heading. */
  body?: TextRange
  /** Position of the name. */
  nameLine: number
  nameColumn: number
  /** The text before the body on one line, truncated. */
  signature: string
  /** Comment above the definition or its docstring, without comment markers. */
  doc: string
  exported: boolean
  /** Index of the enclosing symbol in `symbols`. Parents precede their children. */
  parent: number | null
}

/** A use of a symbol that is defined elsewhere. */
export interface FoundReference {
  kind: Exclude<EdgeKind, 'contains' | 'import' | 'export'>
  name: string
  /** Text before the last dot: `this`, a module or object name, or a longer expression. */
  receiver: string | null
  /** Origin of the receiver's value (localVariables.ts); null if unknown. */
  origin: string | null
  line: number
  column: number
  /** Index of the innermost enclosing symbol. */
  from: number | null
}

/**
 * A name that a file imports or exports. `local` is the name in the importing file, or outside the exporting one;
 * `original` is the name in the source module: `*` for the whole module, `default` for the default export.
 */
export interface FoundLink {
  kind: 'import' | 'export'
  local: string
  original: string
  /** Module specifier as written; null for a file's own exports. */
  source: string | null
  line: number
  column: number
}

/** Everything extracted from one file. */
export interface Extraction {
  symbols: FoundSymbol[]
  references: FoundReference[]
  links: FoundLink[]
  /** The text has syntax errors, so symbols may be missing. */
  hasSyntaxErrors: boolean
  /** Number of keys of a data file beyond the limit. */
  omittedKeys?: number
}
