/** A place where a renaming would change a name. Lines and columns are 1-based, columns in UTF-16 units. */
export interface RenameOccurrence {
  line: number
  column: number
  /**
   * `definition` and `reference`: scopes and imports lead to the symbol. `mention`: the same word, in a comment, a string, or as the
   * name of something else.
   */
  kind: 'definition' | 'reference' | 'mention'
  /** The line it is in, cut where it is long. */
  lineText: string
  /** What takes the name's place. */
  replacement: string
}

export interface RenameFile {
  path: string
  occurrences: RenameOccurrence[]
}

/** What renaming a symbol would change in the whole folder, unsaved text included. */
export interface RenamePlan {
  name: string
  newName: string
  /** The file of the definition first. */
  files: RenameFile[]
  /** Files that have the new name already. */
  taken: string[]
  /** Mentions that are not listed, because there are too many. */
  moreMentions: number
}
