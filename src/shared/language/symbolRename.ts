/** An occurrence that a rename can change. Lines and columns are 1-based; columns count UTF-16 units. */
export interface RenameOccurrence {
  line: number
  column: number
  /**
   * `definition` and `reference` are resolved through scopes and imports. `mention` is the same word in a comment or
   * string, or the name of another symbol.
   */
  kind: 'definition' | 'reference' | 'mention'
  /** Text of the line, truncated if long. */
  lineText: string
  /** The replaced text, if it is not the symbol's name. */
  replaced?: string
  /** Text that replaces the name here. */
  replacement: string
}

export interface RenameFile {
  path: string
  /** `textHash` of the text that contains the occurrences. */
  textHash: string
  occurrences: RenameOccurrence[]
}

/** All changes of a rename in the folder, including changes to unsaved text. */
export interface RenamePlan {
  name: string
  newName: string
  /** Files with changes. The file that contains the definition is first. */
  files: RenameFile[]
  /** Paths of files that already contain the new name. */
  taken: string[]
  /** Number of mentions that are not listed, because there are too many. */
  moreMentions: number
  /** Whether a language server computed the plan, so that no occurrence is a guess. */
  certain?: boolean
}
