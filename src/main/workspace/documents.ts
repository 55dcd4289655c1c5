import type { FileStamp, TextFormat } from '../../shared/files.ts'

/** A text file as the user sees it: the open buffer where it has unsaved changes, else the disk. */
export interface TextDocument {
  /** Relative to the workspace. */
  path: string
  absolute: string
  /** `\n` line ends, no BOM. */
  text: string
  format: TextFormat
  stamp: FileStamp
  /** Bytes on disk. */
  size: number
  /** The text is that of a tab with unsaved changes and not what stands on disk. */
  unsaved: boolean
}

export interface WriteOutcome {
  path: string
  created: boolean
  /** The text before, null for a new file. */
  before: string | null
  after: string
  /** The change stands in the open tab only: the user's unsaved changes are kept and nothing was written to disk. */
  unsaved: boolean
}

export interface Documents {
  /** Throws `not_found`, `is_directory`, `binary_file`, `too_large`, `permission_denied`, `invalid_encoding`. */
  read(path: string, signal?: AbortSignal): Promise<TextDocument>
  /**
   * New text for a file derived from `base`. Refused with `changed_on_disk` when the file is another by now. Under unsaved
   * changes the tab's buffer is edited and stays unsaved (`outcome.unsaved`).
   */
  edit(base: TextDocument, text: string, signal?: AbortSignal): Promise<WriteOutcome>
  /**
   * A whole file, created with its parents or overwritten in its format. Refused with `unsaved_changes` where an open tab
   * would lose the user's typing.
   */
  write(path: string, text: string, signal?: AbortSignal): Promise<WriteOutcome>
}
