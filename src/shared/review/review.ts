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
 * Which changes to show. `pending`: changes that were neither kept nor undone. `turn`: pending changes of the turn of
 * this user message alone. `since`: pending changes since this message. `conversation`: pending changes of its turns
 * alone. `checkpoint`: all differences from a checkpoint.
 */
export type ReviewScope =
  | { kind: 'pending' }
  | { kind: 'turn' | 'since'; conversation: string; message: string }
  | { kind: 'conversation'; conversation: string }
  | { kind: 'checkpoint'; checkpoint: number }

/** Numbers of changed files and lines. */
export interface ReviewCounts {
  files: number
  added: number
  removed: number
}

/** The summary at the end of a turn, stored in its last answer. */
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
  /** Whether a later turn changed the file too, so that these changes end at an earlier text than that of the file. */
  earlier?: true
  /** Why hunks are not available or nothing can be undone, as text for the user. */
  problem?: string
  /** Changes with each change of the file or its base. */
  revision: number
}

/** The hunks of a file without its text. */
export interface ReviewFileHunks extends ReviewFile {
  /** `baseLines`: the lines of the base, without line endings. */
  hunkList: (ReviewHunk & { baseLines: string[] })[]
}

/** The hunks of a file with the lines around them. */
export interface ReviewFileExcerpts extends ReviewFile {
  /** At most `maxExcerpts`. */
  excerpts: ReviewExcerpt[]
}

/** The lines of a hunk with their context. */
export interface ReviewExcerpt extends ReviewHunk {
  lines: DiffHunk
  /** Number of changed lines after those in `lines`. */
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

/** What to keep or undo. */
export interface ReviewTarget {
  path: string
  /** Ids of hunks. Default: the whole file. */
  hunks?: string[]
  /** Revision of the file that the user saw. Another one fails with `conflict`. */
  revision?: number
}

export interface ReviewOutcome {
  /** Paths that were kept or undone. */
  changed: string[]
  /** Paths that were not, with the reasons. */
  skipped: { path: string; why: string }[]
  /** Whether the action waits for the end of a running call. */
  queued?: true
}

/** A comment on a line of a file, for the agent. */
export interface ReviewComment {
  path: string
  line: number
  text: string
  /** The change as it was when the user wrote the comment, at most `maxQuotedLines` of each. */
  quote?: { removed: string[]; added: string[] }
  /**
   * Lines of the file by which the place is found again: those that were added, else the one after the removed ones.
   */
  anchor?: string[]
}

export const maxQuotedLines = 40
