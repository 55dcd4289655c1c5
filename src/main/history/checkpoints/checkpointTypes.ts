import type { DatabaseSync } from 'node:sqlite'
import type { WorkspaceRoots } from '../../base/workspaceRoots.ts'
import type { Blobs } from './blobs.ts'
import type { Tree } from './entries.ts'
import type { Checkpoint, CheckpointVersion, TakenCheckpoint, TakeRequest } from './manifests.ts'
import type { PendingCheckpoints } from './pendingCheckpoints.ts'
import type { CheckpointChange, RestoreOutcome, RestoreTarget } from './restoreTree.ts'
import type { StoredTrees } from './storedTrees.ts'
import type { WalkLimits } from './treeRecorder.ts'

/**
 * Restorable states of a workspace's files on disk, stored outside the workspace and independent of git. Calls run one
 * at a time.
 * @throws ToolError from every method: `cancelled`; `no_space` or `io_error` for failures of the checkpoint store;
 * `not_found` if the workspace folder was moved, deleted or unmounted
 */
export interface Checkpoints {
  take(request: TakeRequest, signal?: AbortSignal): Promise<TakenCheckpoint>
  /** Takes checkpoints while the workspace is in use. */
  readonly pending: Omit<PendingCheckpoints, 'scanned' | 'stored' | 'close'>
  /** Lists the checkpoints, newest first. */
  list(): Checkpoint[]
  /**
   * Returns the changes since a checkpoint.
   * @throws ToolError `not_found` for an unknown or deleted id, like all methods with an id
   */
  changes(id: number, signal?: AbortSignal): Promise<CheckpointChange[]>
  /**
   * Reads the current state of the workspace or of some paths and stores the blobs, without a checkpoint. Skips files
   * that are unchanged since `known` or since the last scan.
   */
  scan(paths: readonly string[] | undefined, signal?: AbortSignal, known?: Pick<Tree, 'get'>): Promise<Tree>
  /**
   * Returns the state of the whole workspace from the last scan; undefined if the scan began before `since`, or if
   * files changed during it.
   * @param since by `performance.now()`
   */
  latest(since: number): Tree | undefined
  treeAt(id: number): Promise<Tree>
  /** States that are stored without a checkpoint. */
  readonly trees: StoredTrees
  /** The blob store. Clean-up keeps a blob as long as a checkpoint or review references it. */
  readonly contents: Pick<Blobs, 'put' | 'get' | 'bytes'>
  /** Returns the content of a file; null if there was none. @throws ToolError `not_found` if it was not stored */
  fileAt(id: number, path: string): Promise<Buffer | null>
  /** Returns the different contents of a file in the latest checkpoints, newest first. Waits for no scan. */
  versions(path: string): Promise<CheckpointVersion[]>
  /**
   * Takes a checkpoint of the current state, then restores the workspace or only `paths`. `signal` can only cancel
   * before the first write.
   */
  restore(id: number, options?: RestoreOptions, signal?: AbortSignal): Promise<RestoreOutcome>
  /** Deletes checkpoints; with `sweep` also blobs that no other checkpoint references. */
  forget(ids: readonly number[], sweep: boolean): Promise<void>
  close(): Promise<void>
}

export interface RestoreOptions {
  /** Limits the restore to these paths and everything inside them. */
  paths?: readonly string[]
  /** Receives the checkpoint of the current state before the first write. Throwing cancels the restore. */
  onBegin?(before: number): void
}

export interface CheckpointLimits extends WalkLimits {
  /** Maximum number of checkpoints per workspace. */
  count: number
  /** Maximum size on disk per workspace in bytes. The newest checkpoints are kept even beyond it. */
  bytes: number
  /** Milliseconds for which unreferenced blobs are kept, because another process may be about to reference them. */
  grace: number
}

export interface CheckpointDeps extends WorkspaceRoots {
  db: DatabaseSync
  /** User data folder. Blobs are in its `checkpoints/` folder. */
  userData: string
  target: RestoreTarget
  /** Whether a name belongs to a write in progress. Such files are not stored. */
  isTransient?(name: string): boolean
  /** Whether a path relative to the root is part of Tizona's own data, which checkpoints exclude. */
  isOwnData?(place: string): boolean
  limits?: Partial<CheckpointLimits>
}
