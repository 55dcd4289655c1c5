/** What the window knows of the code index. Lines and columns are 1-based, columns in UTF-16 units. */

/** A definition. */
export interface CodeSymbol {
  /** As the symbol tools name it. */
  id: string
  /** One of the index's kinds: function, method, class, … (main/code/index/symbolTypes.ts). */
  kind: string
  name: string
  /** What encloses it, joined by dots; '' at a file's top level. */
  container: string
  path: string
  /** Of the whole definition; the end is inclusive in lines. */
  line: number
  column: number
  endLine: number
  endColumn: number
  /** Where its name stands. */
  nameLine: number
  nameColumn: number
  /** The text before its body on one line. */
  signature: string
}

/** A symbol of an outline. Its parent stands before it. */
export interface OutlineSymbol extends CodeSymbol {
  /** Index of what encloses it in `symbols`. */
  parent: number | null
}

export interface CodeOutline {
  path: string
  /** Null for a kind of file that is not in the table of languages. */
  language: string | null
  /** Files of this language have symbols. */
  supported: boolean
  /** Why symbols may be missing; '' when nothing is known against it. */
  problem: string
  symbols: OutlineSymbol[]
}

/** Where something is defined or named. */
export interface CodePlace {
  path: string
  line: number
  column: number
  /** The name that stands there, as long as it is; '' for a whole file. */
  name: string
}

export interface CodeDefinitions {
  /** Best first. */
  places: CodePlace[]
  /** Scopes and imports led there; otherwise the places merely have the name. */
  resolved: boolean
  /** What was asked about, in the text that was asked about. */
  name: string
  column: number
}

export interface CodeReferences {
  /** Definitions first, then what was resolved, then places that merely have the name. */
  places: (CodePlace & { resolved: boolean; definition: boolean })[]
  /** How many there are; more than `places` holds when the limit was reached. */
  total: number
}

export interface CodeHover {
  /** Several where it may be any of them. */
  symbols: (CodeSymbol & { doc: string; language: string })[]
  resolved: boolean
  /** Where the name begins that was asked about. */
  column: number
  name: string
}

/** How far the index is while it is built. */
export interface IndexProgress {
  done: number
  total: number
}
