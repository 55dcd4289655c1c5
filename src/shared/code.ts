/** Types of the code index that the window uses. Lines and columns are 1-based; columns count UTF-16 units. */

/** A definition. */
export interface CodeSymbol {
  /** The id that the symbol tools use. */
  id: string
  /** One of the index's kinds: function, method, class, … (main/code/index/symbolTypes.ts). */
  kind: string
  name: string
  /** Names of the enclosing symbols, joined by dots; '' at the top level. */
  container: string
  path: string
  /** Range of the definition. `endLine` is inclusive. */
  line: number
  column: number
  endLine: number
  endColumn: number
  /** Position of the name. */
  nameLine: number
  nameColumn: number
  /** The text before the body, on one line. */
  signature: string
}

/** A symbol of an outline. Its parent precedes it. */
export interface OutlineSymbol extends CodeSymbol {
  /** Index of the enclosing symbol in `symbols`. */
  parent: number | null
}

export interface CodeOutline {
  path: string
  /** Null for an unknown file type. */
  language: string | null
  /** Whether the index extracts symbols of this language. */
  supported: boolean
  /** Why symbols may be missing, or ''. */
  problem: string
  symbols: OutlineSymbol[]
}

/** Position of a definition or reference. */
export interface CodePlace {
  path: string
  line: number
  column: number
  /** The name at this position; '' for a whole file. */
  name: string
}

export interface CodeDefinitions {
  /** Best first. */
  places: CodePlace[]
  /** The places were resolved through scopes and imports; otherwise they only match by name. */
  resolved: boolean
  /** The name at the requested position, and the column where it starts. */
  name: string
  column: number
}

export interface CodeReferences {
  /** Definitions first, then resolved references, then name-only matches. */
  places: (CodePlace & { resolved: boolean; definition: boolean })[]
  /** Total number, which exceeds the length of `places` if the limit was reached. */
  total: number
}

export interface CodeHover {
  /** Several symbols if the name is ambiguous. */
  symbols: (CodeSymbol & { doc: string; language: string })[]
  resolved: boolean
  /** Column where the requested name starts. */
  column: number
  name: string
}

/** Progress of building the index, in files. */
export interface IndexProgress {
  done: number
  total: number
}
