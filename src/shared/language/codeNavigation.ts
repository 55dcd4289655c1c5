import type { TextRange } from './languageServers.ts'

// Results of the code index and of language servers for the window. Lines and columns are 1-based; columns count
// UTF-16 units.

/** A definition in the code index. */
export interface CodeSymbol {
  /** The id that the symbol tools use. */
  id: string
  /** Symbol kind such as `function`, `method` or `class` (main/code/index/symbolTypes.ts). */
  kind: string
  name: string
  /** Names of the enclosing symbols, joined by dots; '' at the top level. */
  container: string
  path: string
  /** Range of the definition, from here to `endLine` inclusive. */
  line: number
  column: number
  endLine: number
  endColumn: number
  /** Position of the name. */
  nameLine: number
  nameColumn: number
  /** The declaration without its body, on one line. */
  signature: string
}

/** A symbol in a file's outline. Parents precede their children. */
export interface OutlineSymbol extends CodeSymbol {
  /** Index of the enclosing symbol in `CodeOutline.symbols`; null at the top level. */
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
  /** Identifies this state of the outline, which the next request can name. */
  revision?: string
}

/** Position of a definition or reference. */
export interface CodeLocation {
  path: string
  line: number
  column: number
  /** The name at this position; '' if the location is a whole file. */
  name: string
}

/** A range in a library or toolchain file outside the workspace. The window shows it read-only. */
export interface LibraryLocation {
  /** Identifies the file for `language.libraryFile`. */
  id: string
  /** Absolute path, for the user. */
  path: string
  range: TextRange
}

export interface CodeDefinitions {
  /** Best first. */
  places: CodeLocation[]
  /** Definitions outside the workspace. Only language servers know them. */
  libraries?: LibraryLocation[]
  /** Absolute paths of definitions outside both the workspace and libraries. The window does not show them. */
  outside?: string[]
  /** Whether scopes and imports lead to these definitions. Otherwise only the name matches. */
  resolved: boolean
  /** The name at the requested position, and the column where it starts. */
  name: string
  column: number
}

export interface CodeReferences {
  /** Definitions first, then references resolved through scopes and imports, then occurrences of the same name. */
  places: (CodeLocation & { resolved: boolean; definition: boolean })[]
  /** Number of references found. Exceeds the length of `places` if the request's limit was reached. */
  total: number
}

export interface CodeHover {
  /** Text from a language server. If present, `symbols` is empty. */
  markdown?: string[]
  /** More than one symbol if the name is ambiguous. */
  symbols: (CodeSymbol & { doc: string; language: string })[]
  resolved: boolean
  /** Column where the requested name starts. */
  column: number
  name: string
}

export const callDirections = ['incoming', 'outgoing'] as const
/** `incoming`: the callers of a function. `outgoing`: the functions that it calls. */
export type CallDirection = (typeof callDirections)[number]

export interface CallHierarchyItem {
  name: string
  /** As in `CodeSymbol`. */
  kind: string
  /** Its container, such as a class; '' if there is none. */
  detail: string
  /** Relative to the workspace; absolute for a library. */
  path: string
  range: TextRange
  /** Id of the library file (see `LibraryLocation`); absent for workspace files. */
  library?: string
}

export interface CallHierarchy {
  item: CallHierarchyItem
  calls: {
    /** The caller or the called function. */
    item: CallHierarchyItem
    /** Positions of the calls, in the caller's file. */
    ranges: TextRange[]
    /** Whether the call leads to this function. Otherwise only the name matches. */
    certain: boolean
  }[]
  /** Number of functions that are not listed, because there are too many. */
  more: number
}

/** Number of indexed files, and of files to index. */
export interface IndexProgress {
  done: number
  total: number
}

/** A symbol that a text mentions by name. */
export interface LocatedSymbol {
  name: string
  path: string
  line: number
  column: number
  /** Whether other symbols have the same name. */
  several: boolean
}
