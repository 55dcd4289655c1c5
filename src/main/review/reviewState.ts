import { hash } from 'node:crypto'
import type { EntryChange } from './callChanges.ts'
import type { Content } from './fileReview.ts'
import type { FolderState } from './folderState.ts'
import type { ReviewedFiles } from './reviewedFiles.ts'
import type { ReviewDeps } from './reviewTypes.ts'

/** What listing and acting on changes need of a review. */
export interface ReviewState {
  deps: ReviewDeps
  files: ReviewedFiles
  folder: FolderState
  /** Records changes on disk as those of the user. */
  recordUser(changes: readonly EntryChange[]): Promise<void>
  /** Applies the present text of a file, unsaved or on disk, as a change of the user. */
  followDisk(path: string): Promise<void>
  /** Whether a running call may be changing a path. */
  isChanging(path: string): boolean
  save(): Promise<void>
}

/** Replaces the text of a content by the unsaved text of its tab. */
export function withUnsaved(content: Content, text: string): Content {
  if (content.kind === 'text')
    return content.text === text ? content : { ...content, text, hash: undefined, from: content.hash ?? content.from }
  return { kind: 'text', text, format: { encoding: 'utf8', eol: '\n' }, mode: 0o644 }
}

/** Returns the id of a text in hunks. */
export function shortHash(text: string): string {
  return hash('sha256', text).slice(0, 12)
}
