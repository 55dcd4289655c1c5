import type {
  ReviewCounts,
  ReviewFileDetail,
  ReviewFileExcerpts,
  ReviewFileHunks,
  ReviewOutcome,
  ReviewSummary,
  ReviewTarget,
} from '../../shared/review/review.ts'
import type { CommittedFile, CommittedRange } from '../git/committedFiles.ts'
import type { Tree } from '../history/checkpoints/entries.ts'
import type { StoredTrees } from '../history/checkpoints/storedTrees.ts'
import type { ReviewTargetFiles } from './applyContent.ts'
import type { EntryChange } from './callChanges.ts'
import type { ReviewStore, TextCodec } from './reviewStore.ts'
import type { StoredContents } from './storedReview.ts'

/**
 * Which changes to show, keep or undo. `turn`: only of these turns, of one message or of a conversation. `turns`: since
 * the first of them.
 */
export type ResolvedScope =
  | { kind: 'pending' }
  | { kind: 'turn'; turns: ReadonlySet<string> }
  | { kind: 'turns'; turns: ReadonlySet<string> }
  | { kind: 'checkpoint'; checkpoint: number }

/** A call that may change files. */
export interface CallOrigin {
  /** Paths that it may change, relative to the workspace; undefined if unknown. */
  paths: readonly string[] | undefined
  /** User message of the turn that makes the call; null without a conversation. */
  turn: string | null
  /** Whether the call runs another program, which does not change text in open tabs. */
  program: boolean
  /** When the call was allowed, by `performance.now()`. A state read later counts as the state before the call. */
  since?: number
}

/** Text that a call wrote to an unsaved tab. */
export interface UnsavedWrite {
  path: string
  before: string | null
  after: string
}

export interface ReviewedCall {
  /**
   * Records what the call changed. Resolves immediately for a call with unknown paths, whose changes are found later.
   * @param program resolves when the call's program exits, if it outlives the call. Its changes until then count as
   * changes of the call
   */
  end(writes: readonly UnsavedWrite[], program?: Promise<unknown>): Promise<void>
}

/** The review of all changes by the agent in one workspace. Requests run one at a time. */
export interface Review {
  /** Awaited before a call that may change files. Never rejects. */
  begin(origin: CallOrigin): Promise<ReviewedCall>
  /** @param paths limits the list to these files */
  list(scope: ResolvedScope, paths?: readonly string[]): Promise<ReviewSummary>
  /** @throws ToolError `not_found` if the file has no changes in this scope */
  file(scope: ResolvedScope, path: string): Promise<ReviewFileDetail>
  hunks(scope: ResolvedScope, path: string): Promise<ReviewFileHunks>
  excerpts(scope: ResolvedScope, path: string): Promise<ReviewFileExcerpts>
  /** @throws ToolError `conflict` if the only target has changed since the given revision */
  keep(scope: ResolvedScope, targets: readonly ReviewTarget[] | 'all'): Promise<ReviewOutcome>
  undo(scope: ResolvedScope, targets: readonly ReviewTarget[] | 'all'): Promise<ReviewOutcome>
  /** @throws ToolError `not_found` if there is no action */
  revert(): Promise<ReviewOutcome>
  redo(): Promise<ReviewOutcome>
  /** Counts the changes in the turns of these user messages; null if there are none. */
  countChanges(turns: ReadonlySet<string>): Promise<ReviewCounts | null>
  /** Returns what the user undid in these turns, for the model. Each undo is returned once. */
  takeNote(turns: ReadonlySet<string>): string | undefined
  /** Reports that the text of a tab may have changed. */
  touched(path: string): void
  /** Reports that the user saved a file. */
  saved(path: string): void
  /** Reports that the user moved a file or folder. */
  moved(from: string, to: string): void
  /**
   * Reports that Tizona starts to change files for the user, so that the changes are not attributed to a program that
   * outlives its call (`ReviewedCall.end`).
   * @returns a function that reports the end. `paths`: the changed ones, default any; none if they are reported
   * otherwise
   */
  changing(): (paths?: readonly string[]) => void
  /** Reports changes on disk. @param paths null if unknown */
  changedOnDisk(paths: readonly string[] | null): void
  /** Reports that the user may have committed. */
  committed(): void
  /**
   * Reports that the user starts to commit in Tizona. Commits are compared at the end, because until then the user's
   * commit is unknown.
   * @returns a function that reports the end, with the commit id
   */
  committing(): (own: string | undefined) => void
  /**
   * Runs an undo of an earlier edit once no call is running. `revert` can revert it.
   * @param undo returns the changed paths
   */
  undoEdit(undo: () => Promise<string[]>): Promise<string[]>
  /**
   * Restores a checkpoint together with the review of that time.
   * @param restore calls `begun` with the checkpoint of the current state before it changes a file
   */
  restoring<T>(checkpoint: number, restore: (begun: (before: number) => void) => Promise<T>): Promise<T>
  /** Stores everything. */
  close(): Promise<void>
}

export interface ReviewDeps {
  store: ReviewStore
  /** Names of the folders of a multi-root workspace, with which paths begin. */
  topFolders?: readonly string[] | undefined
  contents: StoredContents
  codec: TextCodec
  target: ReviewTargetFiles
  /** Reads the state on disk and stores its blobs (history/checkpoints). */
  scan(paths: readonly string[] | undefined, signal?: AbortSignal, known?: Pick<Tree, 'get'>): Promise<Tree>
  /** Returns the state of the whole workspace if it was read after a time. */
  latest?(since: number): Tree | undefined
  treeAt(checkpoint: number): Promise<Tree>
  /** Stores the state before a call, in case the process is killed. */
  trees: StoredTrees
  changesSince(checkpoint: number): Promise<{ path: string }[]>
  /** The workspace's repositories by folder; `.` for its root, and for a repository above it. */
  commits?: {
    /** Returns the innermost repository that contains a path. */
    repositoryOf(path: string): Promise<string | undefined>
    /** Returns the id of the latest commit. */
    head(folder: string): Promise<string | undefined>
    /** Compares files with the changes of new commits. Returns only the changed files. Paths are workspace paths. */
    compare(folder: string, range: CommittedRange): Promise<Map<string, CommittedFile>>
  }
  /** Returns the paths that git ignores. */
  ignored?(paths: readonly string[]): Promise<ReadonlySet<string>>
  /** Whether `changedOnDisk` reports all changes. */
  watched: boolean
  /** Returns the unsaved text of an open tab. */
  unsaved(path: string): string | null
  unsavedTabs(): { path: string; text: string }[]
  onChanged(paths: string[] | null): void
  /** Receives what a call changed on disk. */
  onCallChanges?(changes: readonly EntryChange[], turn: string | null): void
  onProblem(message: string): void
}
