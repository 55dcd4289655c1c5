import type { JobInfo } from '../commands/jobs.ts'

/** A file that changed since a checkpoint. */
export interface CheckpointChange {
  path: string
  change: 'created' | 'changed' | 'deleted'
}

/** The effect of restoring the state before a message. */
export interface RestorePreview {
  /** Checkpoint to restore files from. If null, `missing` has the reason. */
  checkpoint: { id: number; at: number } | null
  /** `unchanged`: no file has changed since the message. `forgotten`: the checkpoint was deleted. */
  missing?: 'unchanged' | 'forgotten'
  /** Changes since the checkpoint, sorted by path. */
  changes: CheckpointChange[]
  /** Paths of changed files that have unsaved changes in the editor. A restore skips them. */
  unsaved: string[]
  /** Running commands that may change files. */
  jobs: JobInfo[]
  /** Number of conversation items that would be removed, including the message. */
  items: number
}

export interface RestoreResult {
  /** Text of the removed message, for the composer; null if the conversation was kept. */
  text: string | null
  /** Number of files written or deleted. */
  changed: number
  /** Files that were not restored, with the reasons. */
  skipped: { path: string; why: string }[]
}

/** A restore that a notice reports, with the data to undo it. */
export interface RestoreRecord {
  /** `running`: not completed, for example because the process was killed. */
  state: 'running' | 'done' | 'undone'
  /** Checkpoint of the files before the restore; absent if only the conversation was restored. */
  before?: number
  /** Id of a copy of the conversation before the restore; absent if only files were restored. */
  fork?: string
}
