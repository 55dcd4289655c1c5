import { hash } from 'node:crypto'
import type { EntryChange } from './callChanges.ts'
import type { Content } from './reviewContent.ts'
import type { FolderState } from './folderState.ts'
import type { ReviewedFiles } from './reviewedFiles.ts'
import type { ReviewDeps } from './reviewTypes.ts'

/** The parts of a review needed to list and act on changes. */
export interface ReviewState {
  deps: ReviewDeps
  files: ReviewedFiles
  folder: FolderState
  /** Records changes on disk as the user's. */
  recordUser(changes: readonly EntryChange[]): Promise<void>
  /** Applies a file's current text, unsaved or on disk, as a user change. */
  followDisk(path: string): Promise<void>
  /** Whether a running call may be changing a path. */
  isChanging(path: string): boolean
  save(): Promise<void>
}

/** Replaces the text in content with the unsaved text of its tab. */
export function withUnsaved(content: Content, text: string): Content {
  if (content.kind === 'text')
    return content.text === text ? content : { ...content, text, hash: undefined, from: content.hash ?? content.from }
  return { kind: 'text', text, format: { encoding: 'utf8', eol: '\n' }, mode: 0o644 }
}

/** Returns the id of hunk text. */
export function shortHash(text: string): string {
  return hash('sha256', text).slice(0, 12)
}
