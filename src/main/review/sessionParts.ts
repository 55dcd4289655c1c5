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

/** The parts of a review needed to record changes. */
export interface SessionParts {
  deps: ReviewDeps
  files: ReviewedFiles
  folder: FolderState
  /** Everything that reads or changes the review runs here, one at a time. */
  operations: Sequencer
  active: ActiveCalls
  recorder: ChangeRecorder
  queued: QueuedActions
  commits: CommittedChanges
  staying: StayingPrograms
  saving: ReviewSaving
  /** Applies keeps and undos that were waiting. Reports problems. */
  runQueued(actions: readonly QueuedAction[]): Promise<void>
  /** Reports reviewed files that the user changed. */
  changedByUser(paths: string[]): void
}
