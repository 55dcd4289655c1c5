/** A file's shape on disk that an edit must keep. */
export interface TextFormat {
  encoding: 'utf8' | 'utf8bom' | 'utf16le' | 'utf16be'
  eol: '\n' | '\r\n'
}

/** Tells two states of a file apart without reading it. Opaque to a window: it only hands it back. */
export type FileStamp = string

export interface FileEntry {
  name: string
  /** Relative to the workspace, `/` separated. */
  path: string
  type: 'file' | 'directory' | 'symlink' | 'other'
  /** For symlinks: the target is a directory inside the workspace. */
  directory: boolean
  /** Ignored by git. */
  ignored: boolean
}

export interface OpenedFile {
  path: string
  /** With `\n` line ends; `format.eol` tells what stands on disk. */
  text: string
  format: TextFormat
  stamp: FileStamp
  readonly: boolean
}

export interface FileChange {
  /** Relative to the workspace, `/` separated. */
  path: string
  change: 'created' | 'changed' | 'deleted'
  directory: boolean
}

/** A folder of the machine, for the folder picker. */
export interface FolderListing {
  path: string
  parent?: string
  folders: { name: string; path: string }[]
}

/** Whether a file or folder was moved to the system's trash, or why not. */
export type TrashOutcome = { trashed: true } | { trashed: false; reason: string }

/** What an absolute path of this machine is. */
export interface LocatedPath {
  path: string
  kind: 'folder' | 'file' | 'missing'
  /** The path relative to the open folder; null for one outside of it. */
  inWorkspace: string | null
}
