import type { Encoding } from './encodings.ts'
import type { Failure } from '../errors.ts'
import type { TextFormat } from './textFormat.ts'

/** Identifies a version of a file without reading it. Opaque to the window. */
export type FileStamp = string

export interface FileEntry {
  name: string
  /** Relative to the workspace, `/` separated. */
  path: string
  type: 'file' | 'directory' | 'symlink' | 'other'
  /** For symlinks: whether the target is a directory in the workspace. */
  directory: boolean
  /** Whether git ignores it. */
  ignored: boolean
}

export interface OpenedFile {
  path: string
  /** Text with `\n` line endings. `format.eol` is the line ending on disk. */
  text: string
  format: TextFormat
  stamp: FileStamp
  readonly: boolean
  /** Language id from the setting `files.associations`. */
  language?: string
}

/** Maximum number of files that the window reads or writes with one request. */
export const maxBatchFiles = 32
/** Characters of text after which a batch ends. A single longer file is a batch of its own. */
export const maxBatchCharacters = 4 * 1024 * 1024

/** Result for one file of a batch. */
export type FileOutcome<T> = { ok: true; file: T } | { ok: false; error: Failure }

/** Maximum number of bytes that the window reads from a file at once. */
export const maxPreviewBytes = 16 * 1024 * 1024

/** Part of a file as bytes. */
export interface FileBytes {
  base64: string
  /** Size of the whole file in bytes. */
  size: number
}

/** One megabyte of a text file, in whole lines. */
export interface FileText {
  /** Line endings are `\n`. */
  text: string
  encoding: Encoding
  /** Size of the whole file in bytes. */
  size: number
  parts: number
}

export interface FileChange {
  /** Relative to the workspace, `/` separated. */
  path: string
  change: 'created' | 'changed' | 'deleted'
  directory: boolean
}

/** A folder on this computer, for the folder picker. */
export interface FolderListing {
  path: string
  parent?: string
  folders: { name: string; path: string }[]
  /** The files that were requested. */
  files?: { name: string; path: string }[]
}

/** How to undo a deletion (`files.restoreDeleted`), or why it cannot be undone. */
export type KeptEntry = { id: string } | { reason: string }

/** Whether a file or folder was moved to the system's trash, or why not. */
export type TrashOutcome = { trashed: true; kept: KeptEntry } | { trashed: false; reason: string }

/** The kind of an absolute path on this computer. */
export interface LocatedPath {
  path: string
  kind: 'folder' | 'file' | 'missing'
  /** Path relative to the open folder; null if outside it. */
  inWorkspace: string | null
}

/** Maximum bytes of a file per upload request. */
export const uploadPieceBytes = 1024 * 1024
