/**
 * Whole lines that differ between base and current text, as UTF-16 offsets. Hunks are in order, and at least one common
 * line separates two of them.
 */
export interface Hunk {
  baseStart: number
  baseEnd: number
  start: number
  end: number
  /** Number of lines before the hunk in each text. */
  baseLine: number
  line: number
  /** The same object as long as the hunk's lines stay the same, so that moving a hunk reads no text. */
  lines: HunkLines
}

export interface HunkLines {
  removed: string
  added: string
  removedCount: number
  addedCount: number
  /** Whether the user has changed the lines since the agent did. */
  typed?: boolean
}

/**
 * The reviewed changes of one text: lines outside the hunks are the same in base and current text.
 *
 * Like Zed's action log, it keeps the user's own edits out of the review: they move into the base, except inside a
 * pending hunk. What the review does that the action log of Zed (crates/action_log) does not:
 * - deletions, renames, changed permissions, links and binary files (`fileReview.ts`)
 * - changes by commands and MCP servers, found by comparing the folder before and after the call (`callChanges.ts`)
 * - a base for each turn besides the pending one, so that the changes since a turn can be reviewed
 * - state that survives a restart, a restored checkpoint and a fork (`reviewStore.ts`)
 * - keep and undo can both be reverted and repeated
 * - hunks that return with their text, after an undo in the editor or a change by git (`goneHunks.ts`)
 */
export interface TextReview {
  /** Derived from the current text and hunks on demand, because typing changes both texts. */
  readonly base: string
  /** The same object as long as the base stays the same. */
  readonly baseVersion: object
  readonly current: string
  readonly hunks: readonly Hunk[]
  /** Changes by the agent that left the review without being kept, oldest first. */
  readonly gone: readonly GoneHunk[]
}

/**
 * A change by the agent that left the review without being kept: by an undo in the editor or in the review, by git, or
 * because its text was deleted. If its text returns, it becomes a hunk again.
 */
export interface GoneHunk {
  /** Lines now in the text. */
  removed: string
  /** The agent's lines. */
  added: string
  /** Up to three surrounding lines on each side. */
  before: string
  after: string
}
