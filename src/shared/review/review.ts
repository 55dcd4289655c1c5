import type { DiffHunk } from '../diff/hunkRows.ts'
import type { LineRange } from '../diff/lineHunks.ts'

/** Lines that differ between the base and the current text of a file. */
export interface ReviewHunk {
  /** Stays the same while the lines of the hunk stay the same. */
  id: string
  base: LineRange
  current: LineRange
  /** User message whose turn made the change; null if several did or none is known. */
  turn: string | null
}

/**
 * Which changes to show. `pending`: all that were neither kept nor undone. `turn`: pending changes of this user
 * message's turn only. `since`: pending changes since this message. `conversation`: pending changes of this
 * conversation's turns only. `checkpoint`: all differences from a checkpoint.
 */
export type ReviewScope =
  | { kind: 'pending' }
  | { kind: 'turn' | 'since'; conversation: string; message: string }
  | { kind: 'conversation'; conversation: string }
  | { kind: 'checkpoint'; checkpoint: number }

export interface ReviewCounts {
  files: number
  added: number
  removed: number
}

/** Summary at the end of a turn, stored in its last answer. */
export interface TurnReview extends ReviewCounts {
  /** Id of the turn's user message. */
  message: string
}

export interface ReviewFile {
  /** Relative to the workspace. */
  path: string
  change: 'created' | 'changed' | 'deleted' | 'renamed'
  /** Earlier path of a renamed file. */
  renamedFrom?: string
  /** `binary`: also links and text in unknown encodings. They are kept or undone as a whole. */
  content: 'text' | 'binary' | 'tooLarge'
  /** Number of added lines. */
  added: number
  /** Number of removed lines. */
  removed: number
  hunks: number
  /** Permission bits, if they changed. */
  mode?: { from: number; to: number }
  /** Set if a later turn changed the file again, so that the shown changes end at an earlier text. */
  earlier?: true
  /** Why hunks are not available or nothing can be undone, for the user. */
  problem?: string
  /** Changes whenever the file or its base changes. */
  revision: number
}

/** The hunks of a file without its text. */
export interface ReviewFileHunks extends ReviewFile {
  /** `baseLines`: the lines of the base, without line endings. */
  hunkList: (ReviewHunk & { baseLines: string[] })[]
}

/** The hunks of a file with surrounding lines. */
export interface ReviewFileExcerpts extends ReviewFile {
  /** At most `maxExcerpts`. */
  excerpts: ReviewExcerpt[]
}

/** A hunk's lines with context. */
export interface ReviewExcerpt extends ReviewHunk {
  lines: DiffHunk
  /** Number of changed lines that `lines` omits at its end. */
  hidden: number
}

/** Maximum number of hunks of a file that are shown as excerpts. */
export const maxExcerpts = 200

/** The texts of a file, with `\n` line endings. Empty for binary and missing files. */
export interface ReviewFileDetail extends ReviewFile {
  baseText: string
  /** Includes unsaved changes. With `earlier`: the text at the end of the turn. */
  currentText: string
  hunkList: ReviewHunk[]
}

export interface ReviewSummary extends Omit<ReviewCounts, 'files'> {
  /** Sorted by path. */
  files: ReviewFile[]
  /** Whether the last keep or undo can be reverted. */
  canUndo: boolean
  /** Whether the last reverted keep or undo can be repeated. */
  canRedo: boolean
  /** Description of the action that `review.revert` reverts, e.g. "Undo 3 files". */
  lastAction?: string
}

export interface ReviewTarget {
  path: string
  /** Ids of hunks. Default: the whole file. */
  hunks?: string[]
  /** Revision that the user saw. If the file has another one, the action fails with `conflict`. */
  revision?: number
}

export interface ReviewOutcome {
  /** Paths that were kept or undone. */
  changed: string[]
  /** Paths that were skipped, with reasons. */
  skipped: { path: string; why: string }[]
  /** Whether the action waits until a running call ends. */
  queued?: true
}

/** A comment for the agent on a line of a file. */
export interface ReviewComment {
  path: string
  line: number
  text: string
  /** The change when the user wrote the comment, at most `maxQuotedLines` of each side. */
  quote?: { removed: string[]; added: string[] }
  /** Lines that locate the comment in a changed file: the added lines, or the line after the removed ones. */
  anchor?: string[]
}

export const maxQuotedLines = 40
