import type { FileStamp } from '../../shared/files/files.ts'
import type { TextFormat } from '../../shared/files/textFormat.ts'

/** A text file as the user sees it: its unsaved text if any, otherwise the text on disk. */
export interface TextDocument {
  /** Relative to the workspace. */
  path: string
  absolute: string
  /** Line endings are `\n`; no BOM. */
  text: string
  format: TextFormat
  /** Empty for unsaved text whose file was deleted. */
  stamp: FileStamp
  /** Size on disk in bytes. */
  size: number
  /** Whether `text` is the unsaved text of a tab. */
  unsaved: boolean
}

export interface WriteOutcome {
  path: string
  created: boolean
  /** Previous text; null for a new file. */
  before: string | null
  after: string
  /** Whether only the open tab was changed. Its changes stay unsaved, and nothing was written to disk. */
  unsaved: boolean
}

export type PlannedWrite = Pick<WriteOutcome, 'path' | 'before' | 'after'>

export interface SaveOptions {
  /** Stamp of the version that the window last read. */
  stamp?: FileStamp
  /** Overwrites any version of the file. */
  force?: boolean
}
