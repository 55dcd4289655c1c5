import type { Sequencer } from '../../shared/async/sequencer.ts'
import type { ActiveCalls } from './activeCalls.ts'
import type { ChangeRecorder } from './changeRecorder.ts'
import type { FolderState } from './folderState.ts'
import type { CommittedChanges } from './keepCommitted.ts'
import type { QueuedActions } from './queuedActions.ts'
import type { QueuedAction } from './reviewActions.ts'
import type { ReviewedFiles } from './reviewedFiles.ts'
import type { ReviewSaving } from './reviewSaving.ts'
import type { ReviewDeps } from './reviewTypes.ts'
import type { StayingPrograms } from './stayingPrograms.ts'

/** What recording changes needs of a review. */
export interface SessionParts {
  deps: ReviewDeps
  files: ReviewedFiles
  folder: FolderState
  /** Everything that reads or changes the review runs here, one after the other. */
  operations: Sequencer
  active: ActiveCalls
  recorder: ChangeRecorder
  queued: QueuedActions
  commits: CommittedChanges
  staying: StayingPrograms
  saving: ReviewSaving
  /** Carries out keeps and undos that waited. Problems are reported. */
  runQueued(actions: readonly QueuedAction[]): Promise<void>
  /** Reports reviewed files that the user changed. */
  changedByUser(paths: string[]): void
}
