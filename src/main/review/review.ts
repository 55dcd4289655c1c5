import { randomUUID } from 'node:crypto'
import { ToolError, toFailure } from '../../shared/errors.ts'
import type { ReviewOutcome } from '../../shared/review.ts'
import { Sequencer } from '../../shared/sequencer.ts'
import { log } from '../base/log/log.ts'
import { thisProcess } from '../base/processIdentity.ts'
import { ActiveCalls, mayChangePath, mayCommit, type ActiveCall } from './activeCalls.ts'
import type { EntryChange } from './callChanges.ts'
import { ChangeRecorder } from './changeRecorder.ts'
import { movedFile, sameContent } from './fileReview.ts'
import { createFolderState, type FolderState, type Observation } from './folderState.ts'
import { CommittedChanges } from './keepCommitted.ts'
import { callsOfOthers } from './otherCalls.ts'
import { createQueuedActions, type QueuedActions } from './queuedActions.ts'
import { maxScanMs, ReadBeforeCalls } from './readBeforeCalls.ts'
import { ReviewActions, type QueuedAction } from './reviewActions.ts'
import { createReviewedFiles, type ReviewedFiles } from './reviewedFiles.ts'
import { ReviewLists } from './reviewLists.ts'
import type { CallOrigin, Review, ReviewDeps, ReviewedCall, UnsavedWrite } from './reviewTypes.ts'
import { StayingPrograms } from './stayingPrograms.ts'
import { createUndoNotes, type UndoNotes } from './undoNotes.ts'

/** Time in milliseconds after a change of the user until it is applied to the review. */
const touchedDelay = 150
/** Time in milliseconds until a file is checked again that a call of another process may be changing. */
const otherCallDelay = 2000
/** Time in milliseconds after a change until the review is stored. */
const saveDelay = 1000

export function createReview(deps: ReviewDeps): Review {
  const session = new ReviewSession(deps)
  return {
    begin: (origin) => session.begin(origin),
    list: (scope, paths) => session.run(() => session.lists.list(scope, paths)),
    file: (scope, path) => session.run(() => session.lists.file(scope, path)),
    hunks: (scope, path) => session.run(() => session.lists.hunks(scope, path)),
    excerpts: (scope, path) => session.run(() => session.lists.excerpts(scope, path)),
    keep: (scope, targets) => session.actOrQueue({ kind: 'keep', scope, targets }),
    undo: (scope, targets) => session.actOrQueue({ kind: 'undo', scope, targets }),
    revert: () => session.run(() => session.revert(false)),
    redo: () => session.run(() => session.revert(true)),
    countChanges: (turns) => session.run(() => session.lists.countChanges(turns)),
    takeNote: (turns) => session.takeNote(turns),
    touched: (path) => session.touched(path),
    saved: (path) => session.saved(path),
    moved: (from, to) => session.moved(from, to),
    changing: () => session.changing(),
    changedOnDisk: (paths) => session.changedOnDisk(paths),
    committed: () => session.committed(),
    committing: () => session.committing(),
    undoEdit: (undo) => session.undoEdit(undo),
    restoring: (checkpoint, restore) => session.restoring(checkpoint, restore),
    close: () => session.close(),
  }
}

class ReviewSession {
  readonly lists: ReviewLists
  readonly #actions: ReviewActions
  readonly #deps: ReviewDeps
  readonly #files: ReviewedFiles
  readonly #folder: FolderState
  readonly #operations = new Sequencer()
  readonly #active = new ActiveCalls()
  readonly #recorder: ChangeRecorder
  readonly #reads: ReadBeforeCalls
  readonly #touched = new Set<string>()
  /** Whether reading the folder took too long. */
  #tooLarge = false
  readonly #queued: QueuedActions
  readonly #notes: UndoNotes
  readonly #commits: CommittedChanges
  readonly #staying: StayingPrograms
  #closed = false
  #loaded = false
  #timer: NodeJS.Timeout | undefined
  #saveTimer: NodeJS.Timeout | undefined

  constructor(deps: ReviewDeps) {
    this.#deps = deps
    this.#files = createReviewedFiles(deps.store)
    this.#folder = createFolderState(deps, this.#files.storedEntries())
    this.#queued = createQueuedActions(deps.store, randomUUID())
    this.#notes = createUndoNotes(deps.store)
    this.#recorder = new ChangeRecorder({
      files: this.#files,
      folder: this.#folder,
      deps,
      onUserChange: (paths) => this.#changedByUser(paths),
    })
    this.#reads = new ReadBeforeCalls({
      folder: this.#folder,
      record: (observed) => this.#recordBefore(observed),
      watched: deps.watched,
    })
    this.#commits = new CommittedChanges(deps, this.#files, (paths) => this.#changedByUser(paths))
    this.#staying = new StayingPrograms(async () => deps.commits?.head('.'))
    const state = {
      deps,
      files: this.#files,
      folder: this.#folder,
      recordUser: (changes: readonly EntryChange[]) => this.#recorder.recordUser(changes),
      followDisk: (path: string) => this.#recorder.followDisk(path),
      isChanging: (path: string) => this.#active.covering(path).length > 0,
      save: () => this.#save(),
    }
    this.lists = new ReviewLists(state, this.#recorder.conflicts)
    this.#actions = new ReviewActions(state, this.lists, this.#notes)
  }

  /** Runs a request when the earlier ones have ended, on the present state. */
  run<T>(task: () => Promise<T>): Promise<T> {
    return this.#operations.queue(async () => {
      await this.#catchUp()
      return task()
    })
  }

  async begin(origin: CallOrigin): Promise<ReviewedCall> {
    const call: ActiveCall = { ...origin, tabs: new Map(), observed: false, ended: false, key: randomUUID() }
    await this.#operations.queue(async () => {
      try {
        await this.#catchUp()
        this.#active.add(call)
        for (const { path, text } of this.#deps.unsavedTabs()) call.tabs.set(path, text)
        // Reading the whole folder for the first time takes long. In a turn, its checkpoint has read it already.
        if (!call.paths && (this.#tooLarge || (call.turn === null && !this.#folder.isComplete()))) return
        await this.#reads.read(call)
        call.observed = true
        this.#deps.store.addCall(call.key, {
          process: thisProcess(),
          turn: call.turn,
          ...(call.paths && { paths: [...call.paths] }),
          entries: Object.fromEntries((call.paths ?? []).map((path) => [path, this.#folder.entry(path) ?? null])),
        })
      } catch (error) {
        this.#active.add(call)
        this.#tooLarge = isTimeout(error)
        const why = this.#tooLarge
          ? `Reading the folder takes longer than ${maxScanMs / 1000} seconds, so changes of commands are not reviewed until it is opened again.`
          : `The changes of a call are not reviewed. ${toFailure(error).message}`
        this.#deps.onProblem(why)
      }
    })
    return {
      end: async (writes, program) => {
        call.ended = true
        const ended = this.#operations.queue(() => this.#end(call, writes, program))
        this.#active.ended()
        if (call.paths !== undefined || this.#queued.size > 0) await ended
      },
    }
  }

  /**
   * Records what changed before a call: as changes of a running call that may have made them, of a program that goes on,
   * or of the user.
   */
  async #recordBefore({ changes, before }: Observation): Promise<void> {
    const ofUser: EntryChange[] = []
    const ofCalls = new Map<ActiveCall, EntryChange[]>()
    for (const change of changes) {
      // The state before the beginning call is not known yet.
      const call = this.#active.covering(change.path).find(({ observed }) => observed)
      if (call) ofCalls.set(call, [...(ofCalls.get(call) ?? []), change])
      else ofUser.push(change)
    }
    for (const [{ paths, turn }, made] of ofCalls) {
      const observed = { changes: made, before }
      await this.#recorder.recordCall(paths ? observed : await this.#recorder.withoutIgnored(observed), turn)
    }
    const late = await this.#recordLate({ changes: ofUser, before })
    if (late === undefined) await this.#recorder.recordUser(ofUser)
    else this.#deps.onChanged(late)
  }

  /** Records changes of a program that goes on after its call. @returns their paths; undefined if they are the user's */
  async #recordLate(observed: Observation): Promise<string[] | undefined> {
    const turn = observed.changes.length > 0 ? await this.#staying.turnOfChanges() : undefined
    if (turn === undefined) return undefined
    return this.#recorder.recordCall(await this.#recorder.withoutIgnored(observed), turn)
  }

  /** Records the last changes of a program that went on after its call. */
  async #programEnded(program: Promise<unknown>): Promise<void> {
    try {
      if (this.#closed || !this.#staying.has(program)) return
      await this.#recordBefore(await this.#folder.observe(undefined, AbortSignal.timeout(maxScanMs)))
    } catch (error) {
      log.error('The last changes of a program could not be recorded for review', error)
    } finally {
      this.#staying.delete(program)
    }
    await this.#save()
  }

  changing(): (paths?: readonly string[]) => void {
    const ended = this.#staying.userChanging()
    return (paths) =>
      void this.#operations.queue(async () => {
        try {
          if (this.#closed || !this.#staying.any || paths?.length === 0) return
          await this.#recorder.recordUser((await this.#folder.observe(paths, AbortSignal.timeout(maxScanMs))).changes)
        } catch (error) {
          log.error('Changes of the user could not be compared for review', error)
        } finally {
          ended()
        }
      })
  }

  async #end(call: ActiveCall, writes: readonly UnsavedWrite[], program?: Promise<unknown>): Promise<void> {
    const { paths, turn } = call
    const changed: string[] = []
    try {
      if (call.observed) {
        for (const write of writes)
          changed.push(...(await this.#recorder.recordText(write.path, write.before, write.after, turn)))
        if (!call.program)
          for (const path of [...this.#touched].filter(
            (each) => mayChangePath(call, each) && !writes.some((write) => write.path === each),
          )) {
            const text = this.#deps.unsaved(path)
            if (text !== null) changed.push(...(await this.#recorder.recordText(path, call.tabs.get(path), text, turn)))
          }
        const observed = await this.#folder.observe(paths)
        changed.push(
          ...(await this.#recorder.recordCall(paths ? observed : await this.#recorder.withoutIgnored(observed), turn)),
        )
      }
      if (mayCommit(call)) await this.#commits.keep('agentRan')
    } catch (error) {
      log.error('The changes of a call could not be recorded for review', error)
      this.#deps.onProblem(`Changes of a call cannot be reviewed. ${toFailure(error).message}`)
    } finally {
      this.#active.delete(call)
    }
    if (program !== undefined && turn !== null && call.observed) await this.#stay(program, turn)
    const hadQueued = this.#queued.size > 0
    if (!this.#active.isRunning()) await this.#runQueued(this.#queued.take())
    await this.#save()
    this.#deps.store.removeCall(call.key)
    // Null: also files whose queued action was refused are no longer queued.
    if (hadQueued) this.#deps.onChanged(null)
    else if (changed.length > 0) this.#deps.onChanged(changed)
  }

  async #stay(program: Promise<unknown>, turn: string): Promise<void> {
    const known = this.#staying.has(program)
    await this.#staying.add(program, turn)
    if (known) return
    const ended = (): void => void this.#operations.queue(() => this.#programEnded(program))
    program.then(ended, ended)
  }

  async #runQueued(actions: readonly QueuedAction[]): Promise<void> {
    for (const action of actions) {
      try {
        const { skipped } = await this.#actions.act(action)
        for (const { path, why } of skipped) this.#deps.onProblem(`${path} was not changed. ${why}`)
      } catch (error) {
        this.#deps.onProblem(toFailure(error).message)
      }
    }
  }

  #changedByUser(paths: string[]): void {
    this.#saveSoon()
    this.#deps.onChanged(paths)
  }

  touched(path: string): void {
    this.#touched.add(path)
    this.catchUpSoon()
  }

  saved(path: string): void {
    void this.#operations.queue(async () => {
      try {
        this.#touched.delete(path)
        // The user has decided for the text of the tab.
        this.#recorder.conflicts.delete(path)
        await this.#recorder.recordUser((await this.#folder.observe([path])).changes)
      } catch (error) {
        log.error('A saved file could not be compared for review', error)
      }
    })
  }

  moved(from: string, to: string): void {
    void this.#operations.queue(async () => {
      try {
        const changed: string[] = []
        const { changes } = await this.#folder.observe([from, to])
        for (const path of this.#files.paths()) {
          if (path !== from && !path.startsWith(`${from}/`)) continue
          const file = await this.#files.load(path)
          if (!file) continue
          const moved = movedFile(file, to + path.slice(from.length))
          this.#files.remove(path)
          this.#files.put(moved)
          changed.push(path, moved.path)
        }
        // A file that was not under review can replace one whose deletion is.
        await this.#recorder.recordUser(changes.filter(({ path }) => !changed.includes(path)))
        if (changed.length > 0) this.#changedByUser(changed)
      } catch (error) {
        log.error('The review of a moved file could not follow it', error)
      }
    })
  }

  changedOnDisk(paths: readonly string[] | null): void {
    if (paths === null) {
      this.#reads.changed(null)
      return
    }
    for (const path of paths) {
      if (this.#active.covering(path).length > 0) continue
      if (this.#files.has(path) || this.#staying.any) this.touched(path)
      else this.#reads.changed(path)
    }
  }

  catchUpSoon(delay = touchedDelay): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.run(async () => undefined).catch((error: unknown) => log.error('A review could not be updated', error))
    }, delay)
  }

  /** Applies what the user has changed since the last request. */
  async #catchUp(): Promise<void> {
    if (this.#files.reload()) this.#loaded = false
    const others = await callsOfOthers(
      { store: this.#deps.store, files: this.#files, folder: this.#folder, recorder: this.#recorder },
      this.#active.keys(),
    )
    let left: QueuedAction[] = []
    if (!this.#loaded) {
      this.#loaded = true
      this.#folder.setEntries(this.#files.storedEntries())
      for (const path of this.#files.paths()) this.#touched.add(path)
      const paths = this.#files.paths().filter((path) => !others.some((call) => mayChangePath(call, path)))
      if (paths.length > 0) await this.#recorder.recordUser((await this.#folder.observe(paths)).changes)
      for (const path of paths) if (this.#deps.unsaved(path) === null) this.#touched.delete(path)
      if (others.length === 0) left = this.#queued.takeLeft()
    }
    const changed: string[] = []
    for (const path of this.#touched) {
      const calls = this.#active.covering(path)
      const unsaved = this.#deps.unsaved(path)
      // A call may be changing the file, so its end decides whose change it is.
      if (calls.some(({ program }) => unsaved === null || !program)) continue
      if (others.some((call) => mayChangePath(call, path))) {
        this.catchUpSoon(otherCallDelay)
        continue
      }
      this.#touched.delete(path)
      if (unsaved === null && this.#recorder.conflicts.has(path)) {
        await this.#recorder.resolveConflict(path)
        changed.push(path)
      }
      if (unsaved === null && this.#staying.any) {
        const observed = await this.#folder.observe([path])
        const late = await this.#recordLate(observed)
        if (late !== undefined) {
          changed.push(...late)
          continue
        }
      }
      if (!this.#files.has(path)) {
        if (unsaved === null) this.#reads.changed(path)
        continue
      }
      if (unsaved === null) await this.#folder.observe([path])
      await this.#recorder.followDisk(path)
      changed.push(path)
    }
    if (changed.length > 0) this.#changedByUser(changed)
    const running = this.#active.mayCommit() || others.some(mayCommit)
    await this.#commits.keep(running ? 'agentRuns' : 'user')
    await this.#runQueued(left)
  }

  committed(): void {
    this.catchUpSoon()
  }

  committing(): (own: string | undefined) => void {
    const ended = this.#commits.begin()
    return (own) => {
      ended(own)
      this.catchUpSoon()
    }
  }

  async actOrQueue(action: QueuedAction): Promise<ReviewOutcome> {
    if (!this.#active.isRunning()) return this.run(() => this.#actions.act(action))
    const seen = await this.#actions.asSeen(action)
    // The call may have ended in the meantime.
    if (!this.#active.isRunning()) return this.run(() => this.#actions.act(seen))
    this.#queued.add(seen)
    return { changed: [], skipped: [], queued: true }
  }

  revert(again: boolean): Promise<ReviewOutcome> {
    // Otherwise the changes of the call would count as the user's.
    if (this.#active.isRunning())
      throw new ToolError('conflict', 'A call that may change files is running.', 'Try again when it has ended.')
    return this.#actions.revert(again)
  }

  async undoEdit(undo: () => Promise<string[]>): Promise<string[]> {
    // Otherwise the end of the call would record the undo as a change of the call.
    await this.#active.untilEnded()
    return this.run(() => this.#actions.undoEdit(undo))
  }

  takeNote(turns: ReadonlySet<string>): string | undefined {
    return this.#notes.take(turns)
  }

  async restoring<T extends { before: number }>(checkpoint: number, restore: () => Promise<T>): Promise<T> {
    // During a call, its end records what the restore changed.
    if (this.#active.any) return restore()
    return this.run(async () => {
      const files = await this.#files.packed()
      const outcome = await restore()
      const { store } = this.#deps
      store.saveRestore(outcome.before, files)
      const paths = [...new Set([...files, ...(store.restore(checkpoint) ?? [])].map(({ path }) => path))]
      // A restore also changes files that are not under review.
      const scope = this.#staying.any ? undefined : paths
      await this.#recorder.recordUser((await this.#folder.observe(scope)).changes)
      this.#reads.changed(null)
      for (const stored of store.restore(checkpoint) ?? []) {
        const file = await store.unpack(stored)
        const now = await this.#folder.contentOf(file.path, this.#folder.entry(file.path))
        if (sameContent(now, file.current)) this.#files.put(file)
      }
      await this.#save()
      this.#deps.onChanged(null)
      return outcome
    })
  }

  #saveSoon(): void {
    clearTimeout(this.#saveTimer)
    this.#saveTimer = setTimeout(() => {
      this.#operations
        .queue(() => this.#save())
        .catch((error: unknown) => log.error('A review could not be stored', error))
    }, saveDelay)
  }

  async #save(): Promise<void> {
    clearTimeout(this.#saveTimer)
    try {
      await this.#files.save(this.#folder.entry)
    } catch (error) {
      log.error('A review could not be stored', error)
      this.#deps.onProblem(`The review could not be stored. ${toFailure(error).message}`)
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#active.close()
    this.#queued.close()
    await this.#operations.queue(() => this.#save())
    this.#closed = true
    clearTimeout(this.#timer)
    clearTimeout(this.#saveTimer)
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError'
}
