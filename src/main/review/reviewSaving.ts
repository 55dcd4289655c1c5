import { toFailure } from '../../shared/errors.ts'
import type { Sequencer } from '../../shared/async/sequencer.ts'
import { log } from '../base/log/log.ts'
import type { FolderState } from './folderState.ts'
import type { ReviewedFiles } from './reviewedFiles.ts'
import type { ReviewDeps } from './reviewTypes.ts'
import { Delayer } from '../../shared/async/delayer.ts'

/** Milliseconds after a change until the review is stored. */
const saveDelay = 1000

/** Stores a review. Reports a failure; the next change tries again. */
export class ReviewSaving {
  readonly #deps: Pick<ReviewDeps, 'onProblem'>
  readonly #files: ReviewedFiles
  readonly #folder: FolderState
  readonly #operations: Sequencer
  readonly #later = new Delayer(() => this.#operations.queue(() => this.now()), saveDelay)

  constructor(deps: Pick<ReviewDeps, 'onProblem'>, files: ReviewedFiles, folder: FolderState, operations: Sequencer) {
    this.#deps = deps
    this.#files = files
    this.#folder = folder
    this.#operations = operations
  }

  /** Stores the review once nothing has changed for a while. */
  soon(): void {
    this.#later.restart()
  }

  /** Must be called by one of the operations. Never rejects. */
  async now(): Promise<void> {
    this.#later.cancel()
    try {
      await this.#files.save(this.#folder.entry)
    } catch (error) {
      log.error('A review could not be stored', error)
      this.#deps.onProblem(`The review could not be stored. ${toFailure(error).message}`)
    }
  }

  close(): void {
    this.#later.cancel()
  }
}
