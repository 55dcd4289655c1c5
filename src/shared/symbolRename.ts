/** An occurrence that a rename would change. Lines and columns are 1-based; columns count UTF-16 units. */
export interface RenameOccurrence {
  line: number
  column: number
  /**
   * `definition` and `reference`: resolved through scopes and imports. `mention`: the same word in a comment, in a string, or as
   * the name of another symbol.
   */
  kind: 'definition' | 'reference' | 'mention'
  /** Text of the line, truncated if long. */
  lineText: string
  /** Replacement for the name. */
  replacement: string
}

export interface RenameFile {
  path: string
  occurrences: RenameOccurrence[]
}

/** The changes of a rename in the whole folder, including unsaved text. */
export interface RenamePlan {
  name: string
  newName: string
  /** Files with changes, the file of the definition first. */
  files: RenameFile[]
  /** Files that already contain the new name. */
  taken: string[]
  /** Number of mentions beyond the limit, which are not listed. */
  moreMentions: number
}
