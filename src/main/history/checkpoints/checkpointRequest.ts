import type { Checkpoint } from './manifests.ts'

export interface TakeRequest {
  /** Short reason, shown in lists. */
  reason: string
  conversationId?: string
  turnId?: string
  /** Limits the checkpoint to these paths and their content. Relative to the workspace with `/` separators. */
  paths?: readonly string[]
}

/** A new checkpoint. */
export interface TakenCheckpoint extends Checkpoint {
  /** Number of files read. */
  hashed: number
  /** Entries that were not stored, at most 100. */
  omitted: { path: string; why: string }[]
}
