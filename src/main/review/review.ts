import { randomUUID } from 'node:crypto'
import { ToolError, toFailure } from '../../shared/errors.ts'
import type { ReviewOutcome } from '../../shared/review/review.ts'
import { Sequencer } from '../../shared/async/sequencer.ts'
import { ActiveCalls } from './activeCalls.ts'
import { thisProcess } from '../base/processIdentity.ts'
import type { EntryChange } from './callChanges.ts'
import { ChangeRecorder } from './changeRecorder.ts'
import { ChangesBetweenCalls } from './changesBetweenCalls.ts'
import { createFolderState } from './folderState.ts'
import { CommittedChanges } from './keepCommitted.ts'
import { createQueuedActions } from './queuedActions.ts'
import { ReadBeforeCalls } from './readBeforeCalls.ts'
import { ReviewActions, type QueuedAction } from './reviewActions.ts'
import { ReviewedCalls } from './reviewedCalls.ts'
import { createReviewedFiles } from './reviewedFiles.ts'
import { ReviewLists } from './reviewLists.ts'
import { ReviewSaving } from './reviewSaving.ts'
import type { Review, ReviewDeps } from './reviewTypes.ts'
import type { SessionParts } from './sessionParts.ts'
import { StayingPrograms } from './stayingPrograms.ts'
import { createUndoNotes, type UndoNotes } from './undoNotes.ts'
import { restoreReviews, wasInterrupted } from './interruptedActions.ts'
import { UserChanges } from './userChanges.ts'

export function createReview(deps: ReviewDeps): Review {
  const session = new ReviewSession(deps)
  return {
    begin: (origin) => session.calls.begin(origin),
    list: (scope, paths) => session.run(() => session.lists.list(scope, paths)),
    file: (scope, path) => session.run(() => session.lists.file(scope, path)),
    hunks: (scope, path) => session.run(() => session.lists.hunks(scope, path)),
    excerpts: (scope, path) => session.run(() => session.lists.excerpts(scope, path)),
    keep: (scope, targets) => session.actOrQueue({ kind: 'keep', scope, targets }),
    undo: (scope, targets) => session.actOrQueue({ kind: 'undo', scope, targets }),
    revert: () => session.run(() => session.revert(false)),
    redo: () => session.run(() => session.revert(true)),
    countChanges: (turns) => session.run(() => session.lists.countChanges(turns)),
    takeNote: (turns) => session.notes.take(turns),
    touched: (path) => session.userChanges.touched(path),
    saved: (path) => session.userChanges.saved(path),
    moved: (from, to) => session.userChanges.moved(from, to),
    changing: () => session.between.changing(),
    changedOnDisk: (paths) => session.userChanges.changedOnDisk(paths),
    committed: () => session.userChanges.catchUpSoon(),
    committing: () => session.committing(),
    undoEdit: (undo) => session.undoEdit(undo),
    restoring: (checkpoint, restore) => session.restoring(checkpoint, restore),
    close: () => session.close(),
  }
}

class ReviewSession {
  readonly lists: ReviewLists
  readonly notes: UndoNotes
  readonly between: ChangesBetweenCalls
  readonly userChanges: UserChanges
  readonly calls: ReviewedCalls
  readonly #actions: ReviewActions
  readonly #reads: ReadBeforeCalls
  readonly #parts: SessionParts

  constructor(deps: ReviewDeps) {
    const files = createReviewedFiles(deps.store)
    const folder = createFolderState(deps, files.storedEntries())
    const operations = new Sequencer()
    const active = new ActiveCalls()
    const saving = new ReviewSaving(deps, files, folder, operations)
    const changedByUser = (paths: string[]): void => {
      saving.soon()
      deps.onChanged(paths)
    }
    const recorder = new ChangeRecorder({ files, folder, deps, onUserChange: changedByUser })
    this.#parts = {
      deps,
      files,
      folder,
      operations,
      active,
      recorder,
      saving,
      changedByUser,
      queued: createQueuedActions(deps.store, randomUUID()),
      commits: new CommittedChanges(deps, files, changedByUser),
      staying: new StayingPrograms(async () => deps.commits?.head('.')),
      runQueued: (actions) => this.#runQueued(actions),
    }
    this.between = new ChangesBetweenCalls(this.#parts)
    this.#reads = new ReadBeforeCalls({
      folder,
      record: (observed) => this.between.record(observed),
      watched: deps.watched,
    })
    this.userChanges = new UserChanges(this.#parts, this.#reads, this.between)
    this.calls = new ReviewedCalls(this.#parts, this.#reads, this.between, this.userChanges)
    this.notes = createUndoNotes(deps.store)
    const state = {
      deps,
      files,
      folder,
      recordUser: (changes: readonly EntryChange[]) => recorder.recordUser(changes),
      followDisk: (path: string) => recorder.followDisk(path),
      isChanging: (path: string) => active.covering(path).length > 0,
      save: () => saving.now(),
    }
    this.lists = new ReviewLists(state, recorder.conflicts)
    // Records interrupted changes before the user changes the same files.
    if (wasInterrupted(deps.store)) this.userChanges.catchUpSoon()
    this.#actions = new ReviewActions(state, this.lists, this.notes)
  }

  /** Runs a request after the earlier ones have ended, on the current state. */
  run<T>(task: () => Promise<T>): Promise<T> {
    return this.#parts.operations.queue(async () => {
      await this.userChanges.catchUp()
      return task()
    })
  }

  async #runQueued(actions: readonly QueuedAction[]): Promise<void> {
    for (const action of actions) {
      try {
        const { skipped } = await this.#actions.act(action)
        for (const { path, why } of skipped) this.#parts.deps.onProblem(`${path} was not changed. ${why}`)
      } catch (error) {
        this.#parts.deps.onProblem(toFailure(error).message)
      }
    }
  }

  committing(): (own: string | undefined) => void {
    const ended = this.#parts.commits.begin()
    return (own) => {
      ended(own)
      this.userChanges.catchUpSoon()
    }
  }

  async actOrQueue(action: QueuedAction): Promise<ReviewOutcome> {
    if (!this.#parts.active.isRunning()) return this.run(() => this.#actions.act(action))
    const seen = await this.#actions.asSeen(action)
    // The call may have ended in the meantime.
    if (!this.#parts.active.isRunning()) return this.run(() => this.#actions.act(seen))
    this.#parts.queued.add(seen)
    return { changed: [], skipped: [], queued: true }
  }

  revert(again: boolean): Promise<ReviewOutcome> {
    // Otherwise the call's changes would count as the user's.
    if (this.#parts.active.isRunning())
      throw new ToolError('conflict', 'A call that may change files is running.', 'Try again when it has ended.')
    return this.#actions.revert(again)
  }

  async undoEdit(undo: () => Promise<string[]>): Promise<string[]> {
    // Otherwise the end of the call would record the undo as one of its changes.
    await this.#parts.active.untilEnded()
    return this.run(() => this.#actions.undoEdit(undo))
  }

  async restoring<T>(checkpoint: number, restore: (begun: (before: number) => void) => Promise<T>): Promise<T> {
    // During a call, its end records what the restore changed.
    const { deps, files: reviewed, folder, active, recorder, saving, staying } = this.#parts
    if (active.any) return restore(() => undefined)
    return this.run(async () => {
      const { store } = deps
      const files = await reviewed.packed()
      const key = randomUUID()
      const outcome = await restore((before) =>
        store.inTransaction(() => {
          store.saveRestore(before, files)
          store.setRestoring(key, { process: thisProcess(), checkpoint, before })
        }),
      ).catch((error: unknown) => {
        store.setRestoring(key, undefined)
        throw error
      })
      const paths = [...new Set([...files, ...(store.restore(checkpoint) ?? [])].map(({ path }) => path))]
      // A restore also changes files that are not under review.
      const scope = staying.any ? undefined : paths
      await recorder.recordUser((await folder.observe(scope)).changes)
      this.#reads.changed(null)
      await restoreReviews(this.#parts, checkpoint)
      await saving.now()
      store.setRestoring(key, undefined)
      deps.onChanged(null)
      return outcome
    })
  }

  async close(): Promise<void> {
    const { operations, active, queued, saving, staying } = this.#parts
    this.userChanges.close()
    active.close()
    queued.close()
    await operations.queue(() => saving.now())
    staying.close()
    this.userChanges.close()
    saving.close()
  }
}
