import { randomUUID } from 'node:crypto'
import { ToolError, toFailure } from '../../shared/errors.ts'
import type { ReviewOutcome } from '../../shared/review.ts'
import { Sequencer } from '../../shared/sequencer.ts'
import { log } from '../base/log/log.ts'
import { isRunning, thisProcess } from '../base/processIdentity.ts'
import type { Entry, Tree } from '../history/checkpoints/entries.ts'
import { changeFile, movedFile, renameFile, sameContent, startReview, startTurn } from './fileReview.ts'
import { createQueuedActions, type QueuedActions } from './queuedActions.ts'
import { ReviewActions, type QueuedAction } from './reviewActions.ts'
import { ReviewLists } from './reviewLists.ts'
import { withUnsaved } from './reviewState.ts'
import { keepCommitted, type Committer } from './keepCommitted.ts'
import type { CallOrigin, Review, ReviewDeps, ReviewedCall, UnsavedWrite } from './reviewTypes.ts'
import { findSimilarRenames } from './similarFiles.ts'
import { createUndoNotes, type UndoNotes } from './undoNotes.ts'
import { entryChanges, findRenames, type EntryChange } from './callChanges.ts'
import { createFolderState, type FolderState, type Observation } from './folderState.ts'
import { createReviewedFiles, type ReviewedFiles } from './reviewedFiles.ts'

/** Time in milliseconds after a change of the user until it is applied to the review. */
const touchedDelay = 150
/** Time in milliseconds until a file is looked at again that a call of another process may be changing. */
const otherCallDelay = 2000
/** Time in milliseconds after a change until the review is stored. */
const saveDelay = 1000
/** Maximum duration of reading the folder before a call, in milliseconds. */
const maxScanMs = 20_000
/** Maximum number of changed paths that are read one by one instead of scanning the folder. */
const maxStale = 500

interface ActiveCall extends CallOrigin {
  /** Texts of unsaved tabs before the call. */
  tabs: Map<string, string>
  /** Whether the state before the call is known. */
  observed: boolean
  /** Whether the call has ended and only its changes are still being read. */
  ended: boolean
  key: string
}

export function createReview(deps: ReviewDeps): Review {
  const session = new ReviewSession(deps)
  return {
    begin: (origin) => session.begin(origin),
    list: (scope) => session.run(() => session.lists.list(scope)),
    file: (scope, path) => session.run(() => session.lists.file(scope, path)),
    hunks: (scope, path) => session.run(() => session.lists.hunks(scope, path)),
    keep: (scope, targets) => session.actOrQueue({ kind: 'keep', scope, targets }),
    undo: (scope, targets) => session.actOrQueue({ kind: 'undo', scope, targets }),
    revert: () => session.run(() => session.revert(false)),
    redo: () => session.run(() => session.revert(true)),
    countChanges: (turns) => session.run(() => session.lists.countChanges(turns)),
    takeNote: (turns) => session.takeNote(turns),
    touched: (path) => session.touched(path),
    saved: (path) => session.saved(path),
    moved: (from, to) => session.moved(from, to),
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
  readonly #active = new Set<ActiveCall>()
  readonly #touched = new Set<string>()
  /** Untracked paths that may have changed on disk since they were read; null for any path. */
  #stale: Set<string> | null = new Set()
  /** Turn of the last call with unknown paths. */
  #scannedTurn: string | null | undefined
  /** Files that a call changed on disk while their tabs had unsaved changes. */
  readonly #conflicts = new Map<string, EntryChange & { turn: string | null }>()
  /** Whether reading the folder took too long. */
  #tooLarge = false
  readonly #queued: QueuedActions
  readonly #notes: UndoNotes
  /** Commits that the user made in Tizona, even while a call was running. */
  readonly #ownCommits = new Set<string>()
  /** Number of commits that the user is making in Tizona. */
  #committing = 0
  /** Undos of cards that wait for the end of the running calls. */
  #waiting: PromiseWithResolvers<void>[] = []
  #loaded = false
  #timer: NodeJS.Timeout | undefined
  #saveTimer: NodeJS.Timeout | undefined

  constructor(deps: ReviewDeps) {
    this.#deps = deps
    this.#files = createReviewedFiles(deps.store)
    this.#folder = createFolderState(deps, this.#files.storedEntries())
    this.#queued = createQueuedActions(deps.store, randomUUID())
    this.#notes = createUndoNotes(deps.store)
    const state = {
      deps,
      files: this.#files,
      folder: this.#folder,
      recordUser: (changes: readonly EntryChange[]) => this.#recordUser(changes),
      followDisk: (path: string) => this.#followDisk(path),
      isChanging: (path: string) => [...this.#active].some((call) => covers(call, path)),
      save: () => this.#save(),
    }
    this.lists = new ReviewLists(state, this.#conflicts)
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
        await this.#observeBefore(call)
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
      end: async (writes) => {
        call.ended = true
        const ended = this.#operations.queue(() => this.#end(call, writes))
        if (!this.#isCallRunning()) for (const { resolve } of this.#waiting.splice(0)) resolve()
        if (call.paths !== undefined || this.#queued.size > 0) await ended
      },
    }
  }

  /** Attributes to the user what has changed since the last call. */
  async #observeBefore({ paths, turn }: ActiveCall): Promise<void> {
    const signal = AbortSignal.timeout(maxScanMs)
    if (paths) return this.#recordUser((await this.#folder.observe(paths, signal)).changes)
    const stale = this.#stale
    // Without a window, changes by others during a turn are rare, and reading a large folder twice per command is slow.
    const known = this.#folder.isComplete() && (this.#deps.watched || turn === this.#scannedTurn)
    this.#scannedTurn = turn
    const few = known && stale !== null && stale.size <= maxStale
    if (few && stale.size === 0) return
    const { changes } = await this.#folder.observe(few ? [...stale] : undefined, signal)
    this.#stale = new Set()
    await this.#recordUser(changes)
  }

  async #end(call: ActiveCall, writes: readonly UnsavedWrite[]): Promise<void> {
    const { paths, turn } = call
    const changed: string[] = []
    try {
      if (call.observed) {
        for (const write of writes)
          changed.push(...(await this.#recordText(write.path, write.before, write.after, turn)))
        if (!call.program)
          for (const path of [...this.#touched].filter(
            (each) => covers(call, each) && !writes.some((write) => write.path === each),
          )) {
            const text = this.#deps.unsaved(path)
            if (text !== null) changed.push(...(await this.#recordText(path, call.tabs.get(path), text, turn)))
          }
        const observed = await this.#folder.observe(paths)
        changed.push(...(await this.#recordCall(paths ? observed : await this.#withoutIgnored(observed), turn)))
      }
      if (mayCommit(call)) await this.#keepCommitted('agentRan')
    } catch (error) {
      log.error('The changes of a call could not be recorded for review', error)
      this.#deps.onProblem(`Changes of a call cannot be reviewed. ${toFailure(error).message}`)
    } finally {
      this.#active.delete(call)
    }
    const hadQueued = this.#queued.size > 0
    if (!this.#isCallRunning()) await this.#runQueued(this.#queued.take())
    await this.#save()
    this.#deps.store.removeCall(call.key)
    // Null: also files whose queued action was refused are no longer queued.
    if (hadQueued) this.#deps.onChanged(null)
    else if (changed.length > 0) this.#deps.onChanged(changed)
  }

  #isCallRunning(): boolean {
    return [...this.#active].some(({ ended }) => !ended)
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

  /**
   * Leaves out what git ignores, such as the output of a build, unless it is under review already. A restored
   * checkpoint still returns it.
   */
  async #withoutIgnored({ changes, before }: Observation): Promise<Observation> {
    const unknown = changes.map(({ path }) => path).filter((path) => !this.#files.has(path))
    const ignored = unknown.length > 0 ? await this.#deps.ignored?.(unknown) : undefined
    return { before, changes: ignored ? changes.filter(({ path }) => !ignored.has(path)) : changes }
  }

  /** Finds renames: first of files with the same content, then of similar texts. @returns the old path by new path */
  async #renamesIn(changes: readonly EntryChange[]): Promise<Map<string, string>> {
    const exact = findRenames(changes)
    const known = new Set([...exact].flat())
    const others = changes.filter(({ path }) => !known.has(path) && this.#deps.unsaved(path) === null)
    const similar = await findSimilarRenames(others, async ({ path, ...entries }, which) => {
      const content = await this.#folder.contentOf(path, entries[which])
      return content.kind === 'text' ? content.text : null
    })
    return new Map([...exact, ...similar])
  }

  /** Records changes on disk as those of a call. @returns their paths */
  async #recordCall({ changes, before }: Observation, turn: string | null): Promise<string[]> {
    const renames = await this.#renamesIn(changes)
    const moved = new Set<string>()
    for (const { path, after } of changes) {
      const from = renames.get(path)
      if (from === undefined || this.#files.has(path)) continue
      const old =
        (await this.#files.load(from)) ?? startReview(from, await this.#folder.contentOf(from, before.get(from)))
      const now = await this.#folder.contentOf(path, after)
      this.#files.remove(from)
      this.#files.put(renameFile(changeFile(startTurn(old, turn), now, 'agent'), path))
      moved.add(path).add(from)
    }
    for (const { path, before: old, after } of changes) {
      if (moved.has(path)) continue
      if (this.#deps.unsaved(path) !== null) {
        this.#conflicts.set(path, { path, before: old, after, turn })
        continue
      }
      this.#conflicts.delete(path)
      const file = (await this.#files.load(path)) ?? startReview(path, await this.#folder.contentOf(path, old))
      const newFolders =
        old || !after
          ? file.newFolders
          : parentsOf(path)
              .toReversed()
              .filter((parent) => before.get(parent)?.kind !== 'folder')
      const now = await this.#folder.contentOf(path, after)
      this.#files.put({ ...changeFile(startTurn(file, turn), now, 'agent'), newFolders })
    }
    return changes.map(({ path }) => path)
  }

  /** Records a change of a tab's unsaved text by a call. */
  async #recordText(
    path: string,
    before: string | null | undefined,
    after: string,
    turn: string | null,
  ): Promise<string[]> {
    const known = await this.#files.load(path)
    const onDisk = known?.current ?? (await this.#folder.contentOf(path, this.#folder.entry(path)))
    const base = typeof before === 'string' ? withUnsaved(onDisk, before) : onDisk
    // What the user typed before the call.
    const file = known ? changeFile(known, base, 'user') : startReview(path, base)
    this.#files.put(changeFile(startTurn(file, turn), withUnsaved(base, after), 'agent'))
    return [path]
  }

  async #recordUser(changes: readonly EntryChange[]): Promise<void> {
    const paths = changes.map(({ path }) => path).filter((path) => this.#files.has(path))
    for (const path of paths) await this.#followDisk(path)
    if (paths.length > 0) this.#changedByUser(paths)
  }

  /** Applies the present text of a reviewed file as an edit of the user. */
  async #followDisk(path: string): Promise<void> {
    const file = await this.#files.load(path)
    if (!file) return
    const unsaved = this.#deps.unsaved(path)
    const now =
      unsaved === null
        ? await this.#folder.contentOf(path, this.#folder.entry(path))
        : withUnsaved(file.current, unsaved)
    if (!sameContent(file.current, now)) this.#files.put(changeFile(file, now, 'user'))
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
        this.#conflicts.delete(path)
        await this.#recordUser((await this.#folder.observe([path])).changes)
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
        await this.#recordUser(changes.filter(({ path }) => !changed.includes(path)))
        if (changed.length > 0) this.#changedByUser(changed)
      } catch (error) {
        log.error('The review of a moved file could not follow it', error)
      }
    })
  }

  changedOnDisk(paths: readonly string[] | null): void {
    if (paths === null) {
      this.#stale = null
      return
    }
    for (const path of paths) {
      if ([...this.#active].some((call) => covers(call, path))) continue
      if (this.#files.has(path)) this.touched(path)
      else this.#stale?.add(path)
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
    const others = await this.#otherCalls()
    let left: QueuedAction[] = []
    if (!this.#loaded) {
      this.#loaded = true
      this.#folder.setEntries(this.#files.storedEntries())
      for (const path of this.#files.paths()) this.#touched.add(path)
      const paths = this.#files.paths().filter((path) => !others.some((call) => covers(call, path)))
      if (paths.length > 0) await this.#recordUser((await this.#folder.observe(paths)).changes)
      for (const path of paths) if (this.#deps.unsaved(path) === null) this.#touched.delete(path)
      if (others.length === 0) left = this.#queued.takeLeft()
    }
    const changed: string[] = []
    for (const path of this.#touched) {
      const calls = [...this.#active].filter((call) => covers(call, path))
      const unsaved = this.#deps.unsaved(path)
      // A call may be changing the file, so its end decides whose change it is.
      if (calls.some(({ program }) => unsaved === null || !program)) continue
      if (others.some((call) => covers(call, path))) {
        this.catchUpSoon(otherCallDelay)
        continue
      }
      this.#touched.delete(path)
      if (unsaved === null && this.#conflicts.has(path)) {
        await this.#resolveConflict(path)
        changed.push(path)
      }
      if (!this.#files.has(path)) {
        if (unsaved === null) this.#stale?.add(path)
        continue
      }
      if (unsaved === null) await this.#folder.observe([path])
      await this.#followDisk(path)
      changed.push(path)
    }
    if (changed.length > 0) this.#changedByUser(changed)
    const running = [...this.#active].some(mayCommit) || others.some(mayCommit)
    await this.#keepCommitted(running ? 'agentRuns' : 'user')
    await this.#runQueued(left)
  }

  async #keepCommitted(committer: Committer): Promise<void> {
    if (this.#committing > 0 && committer !== 'agentRan') return
    try {
      const kept = await keepCommitted(this.#deps, this.#files, committer, this.#ownCommits)
      if (kept.length > 0) this.#changedByUser(kept)
    } catch (error) {
      log.error('A commit could not be compared for review', error)
    }
  }

  committed(): void {
    this.catchUpSoon()
  }

  committing(): (own: string | undefined) => void {
    this.#committing += 1
    return (own) => {
      this.#committing -= 1
      if (own !== undefined) this.#ownCommits.add(own)
      this.catchUpSoon()
    }
  }

  /** Records the change of a call when the tab shows it. Nothing remains of it if the user saved another text. */
  async #resolveConflict(path: string): Promise<void> {
    const conflict = this.#conflicts.get(path)
    this.#conflicts.delete(path)
    const { before } = await this.#folder.observe([path])
    if (
      !conflict ||
      entryChanges(mapOf(path, conflict.after), mapOf(path, this.#folder.entry(path)), [path]).length > 0
    )
      return
    await this.#recordCall({ changes: [conflict], before }, conflict.turn)
  }

  /** Returns the running calls of other processes. Records what calls changed that a kill interrupted. */
  async #otherCalls(): Promise<Pick<CallOrigin, 'paths'>[]> {
    const { store } = this.#deps
    const own = new Set([...this.#active].map(({ key }) => key))
    const running = []
    for (const { key, call } of store.calls()) {
      if (own.has(key)) continue
      if (isRunning(call.process)) running.push({ paths: call.paths })
      else {
        store.removeCall(key)
        const { paths = this.#files.paths(), entries } = call
        // This store wrote the entries.
        this.#folder.setEntries(
          new Map(Object.entries(entries).map(([path, entry]) => [path, (entry ?? undefined) as Entry | undefined])),
        )
        if (paths.length > 0) await this.#recordCall(await this.#folder.observe(paths), call.turn)
      }
    }
    return running
  }

  async actOrQueue(action: QueuedAction): Promise<ReviewOutcome> {
    if (!this.#isCallRunning()) return this.run(() => this.#actions.act(action))
    const seen = await this.#actions.asSeen(action)
    // The call may have ended in the meantime.
    if (!this.#isCallRunning()) return this.run(() => this.#actions.act(seen))
    this.#queued.add(seen)
    return { changed: [], skipped: [], queued: true }
  }

  revert(again: boolean): Promise<ReviewOutcome> {
    // Otherwise the changes of the call would count as the user's.
    if (this.#isCallRunning())
      throw new ToolError('conflict', 'A call that may change files is running.', 'Try again when it has ended.')
    return this.#actions.revert(again)
  }

  async undoEdit(undo: () => Promise<string[]>): Promise<string[]> {
    // Otherwise the end of the call would record the undo as a change of the call.
    while (this.#isCallRunning()) {
      const waiting = Promise.withResolvers<void>()
      this.#waiting.push(waiting)
      await waiting.promise
    }
    return this.run(() => this.#actions.undoEdit(undo))
  }

  takeNote(turns: ReadonlySet<string>): string | undefined {
    return this.#notes.take(turns)
  }

  async restoring<T extends { before: number }>(checkpoint: number, restore: () => Promise<T>): Promise<T> {
    // During a call, its end records what the restore changed.
    if (this.#active.size > 0) return restore()
    return this.run(async () => {
      const files = await this.#files.packed()
      const outcome = await restore()
      const { store } = this.#deps
      store.saveRestore(outcome.before, files)
      const paths = [...new Set([...files, ...(store.restore(checkpoint) ?? [])].map(({ path }) => path))]
      await this.#recordUser((await this.#folder.observe(paths)).changes)
      this.#stale = null
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
    for (const { reject } of this.#waiting.splice(0))
      reject(new ToolError('cancelled', 'The folder was closed before the running call ended, so nothing was undone.'))
    this.#queued.close()
    await this.#operations.queue(() => this.#save())
    clearTimeout(this.#timer)
    clearTimeout(this.#saveTimer)
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError'
}

function mapOf(path: string, entry: Entry | undefined): Tree {
  return new Map(entry ? [[path, entry]] : [])
}

/** Whether a call may change a path. */
function covers({ paths }: Pick<CallOrigin, 'paths'>, path: string): boolean {
  return paths === undefined || paths.some((each) => each === '.' || path === each || path.startsWith(`${each}/`))
}

/** Whether a call may commit: it runs a program, or its changes are not known. */
function mayCommit({ paths }: Pick<CallOrigin, 'paths'>): boolean {
  return paths === undefined
}

/** Returns the parent folders of a path, outermost first. */
function parentsOf(path: string): string[] {
  const names = path.split('/').slice(0, -1)
  return names.map((_, index) => names.slice(0, index + 1).join('/'))
}
