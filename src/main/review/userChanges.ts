import { toFailure } from '../../shared/errors.ts'
import { log } from '../base/log/log.ts'
import { isRunning } from '../base/processIdentity.ts'
import type { StoredTree } from '../history/checkpoints/storedTrees.ts'
import { mayChangePath, mayCommit } from './activeCalls.ts'
import type { ChangeRecorder } from './changeRecorder.ts'
import type { ChangesBetweenCalls } from './changesBetweenCalls.ts'
import { leftBehind, movedFile } from './fileReview.ts'
import type { EntryChange } from './callChanges.ts'
import type { FolderState, Observation } from './folderState.ts'
import { followInterrupted } from './interruptedActions.ts'
import type { ReadBeforeCalls } from './readBeforeCalls.ts'
import type { QueuedAction } from './reviewActions.ts'
import type { StoredCall } from './reviewStore.ts'
import type { CallOrigin, ReviewDeps } from './reviewTypes.ts'
import type { ReviewedFiles } from './reviewedFiles.ts'
import type { SessionParts } from './sessionParts.ts'
import { Delayer } from '../../shared/async/delayer.ts'

/** Milliseconds after a user change until it is applied to the review. */
const touchedDelay = 150
/** Milliseconds until a file that another process's call may be changing is checked again. */
const otherCallDelay = 2000

/** Applies the user's changes to the review. */
export class UserChanges {
  readonly #parts: SessionParts
  readonly #reads: ReadBeforeCalls
  readonly #between: ChangesBetweenCalls
  readonly #touched = new Set<string>()
  #loaded = false
  readonly #catchUp = new Delayer(() =>
    this.#parts.operations
      .queue(() => this.catchUp())
      .catch((error: unknown) => log.error('A review could not be updated', error)),
  )

  constructor(parts: SessionParts, reads: ReadBeforeCalls, between: ChangesBetweenCalls) {
    this.#parts = parts
    this.#reads = reads
    this.#between = between
  }

  /** See `Review.touched`. */
  touched(path: string): void {
    this.#touched.add(path)
    this.catchUpSoon()
  }

  /** Returns the paths that a call may have changed while the user changed them. */
  touchedWithin(call: Pick<CallOrigin, 'paths'>): string[] {
    return [...this.#touched].filter((path) => mayChangePath(call, path))
  }

  /** See `Review.saved`. */
  saved(path: string): void {
    void this.#parts.operations.queue(async () => {
      try {
        this.#touched.delete(path)
        // The user has chosen the text of the tab.
        this.#parts.recorder.conflicts.delete(path)
        await this.#parts.recorder.recordUser((await this.#parts.folder.observe([path])).changes)
      } catch (error) {
        log.error('A saved file could not be compared for review', error)
      }
    })
  }

  /** See `Review.moved`. */
  moved(from: string, to: string): void {
    void this.#parts.operations.queue(async () => {
      try {
        const changed: string[] = []
        const { changes } = await this.#parts.folder.observe([from, to])
        for (const path of this.#parts.files.paths()) {
          if (path !== from && !path.startsWith(`${from}/`)) continue
          const file = await this.#parts.files.load(path)
          if (!file) continue
          const moved = movedFile(file, to + path.slice(from.length))
          this.#parts.files.remove(path)
          this.#parts.files.put(moved)
          this.#parts.files.put(leftBehind(file))
          changed.push(path, moved.path)
        }
        // A file that was not under review can replace one whose deletion is.
        await this.#parts.recorder.recordUser(changes.filter(({ path }) => !changed.includes(path)))
        if (changed.length > 0) this.#parts.changedByUser(changed)
      } catch (error) {
        log.error('The review of a moved file could not follow it', error)
      }
    })
  }

  /** See `Review.changedOnDisk`. */
  changedOnDisk(paths: readonly string[] | null): void {
    if (paths === null) {
      this.#reads.changed(null)
      return
    }
    for (const path of paths) {
      if (this.#parts.active.covering(path).length > 0) continue
      if (this.#parts.files.has(path) || this.#parts.staying.any) this.touched(path)
      else this.#reads.changed(path)
    }
  }

  /** @param delay in milliseconds */
  catchUpSoon(delay = touchedDelay): void {
    this.#catchUp.start(delay)
  }

  /** Applies what the user has changed since the last request. */
  async catchUp(): Promise<void> {
    const { deps, files, folder, recorder, active, commits, saving } = this.#parts
    if (files.reload()) this.#loaded = false
    const others = await callsOfOthers({ deps, files, folder, recorder, save: () => saving.now() }, active.keys())
    await followInterrupted(this.#parts)
    let left: QueuedAction[] = []
    if (!this.#loaded) {
      this.#loaded = true
      await this.#compareStored(others)
      if (others.length === 0) left = this.#parts.queued.takeLeft()
    }
    const changed: string[] = []
    for (const path of this.#touched) {
      const calls = active.covering(path)
      const unsaved = deps.unsaved(path)
      // A call may be changing the file. Only after it has ended is it known whose change this is.
      if (calls.some(({ program }) => unsaved === null || !program)) continue
      if (others.some((call) => mayChangePath(call, path))) {
        this.catchUpSoon(otherCallDelay)
        continue
      }
      this.#touched.delete(path)
      changed.push(...(unsaved === null ? await this.#applySaved(path) : await this.#applyUnsaved(path)))
    }
    if (changed.length > 0) this.#parts.changedByUser(changed)
    const running = active.mayCommit() || others.some(mayCommit)
    await commits.keep(running ? 'agentRuns' : 'user')
    await this.#parts.runQueued(left)
  }

  /** Compares the stored files with the disk, except those that another process's call may be changing. */
  async #compareStored(others: readonly Pick<CallOrigin, 'paths'>[]): Promise<void> {
    const { deps, files, folder, recorder } = this.#parts
    folder.setEntries(files.storedEntries())
    for (const path of files.paths()) this.#touched.add(path)
    const paths = files.paths().filter((path) => !others.some((call) => mayChangePath(call, path)))
    if (paths.length > 0) await recorder.recordUser((await folder.observe(paths)).changes)
    for (const path of paths) await recorder.followRenamed(path)
    for (const path of paths) if (deps.unsaved(path) === null) this.#touched.delete(path)
  }

  /** @returns the paths whose review changed */
  async #applySaved(path: string): Promise<string[]> {
    const { files, folder, recorder, staying } = this.#parts
    const changed: string[] = []
    if (recorder.conflicts.has(path)) {
      await recorder.resolveConflict(path)
      changed.push(path)
    }
    if (staying.any) {
      const late = await this.#between.recordLate(await folder.observe([path]))
      if (late !== undefined) return [...changed, ...late]
    }
    if (!files.has(path)) {
      this.#reads.changed(path)
      return changed
    }
    await folder.observe([path])
    await recorder.followDisk(path)
    return [...changed, path]
  }

  /** @returns the paths whose review changed */
  async #applyUnsaved(path: string): Promise<string[]> {
    if (!this.#parts.files.has(path)) return []
    await this.#parts.recorder.followDisk(path)
    return [path]
  }

  /** Stops applying changes automatically. */
  close(): void {
    this.#catchUp.cancel()
  }
}

interface OtherCallsDeps {
  deps: Pick<ReviewDeps, 'store' | 'trees' | 'topFolders' | 'contents' | 'unsaved' | 'onProblem'>
  files: ReviewedFiles
  folder: FolderState
  recorder: ChangeRecorder
  save(): Promise<void>
}

/**
 * Returns the running calls of other processes. Records changes by calls that a kill interrupted.
 * @param own keys of this process's calls
 */
async function callsOfOthers(parts: OtherCallsDeps, own: ReadonlySet<string>): Promise<Pick<CallOrigin, 'paths'>[]> {
  const { deps, save } = parts
  const running = []
  const recorded = new Set<string>()
  for (const { key, call } of deps.store.calls()) {
    if (own.has(key)) continue
    if (isRunning(call.process)) running.push({ paths: call.paths })
    else {
      try {
        for (const path of await recordInterrupted(parts, call, recorded)) recorded.add(path)
      } catch (error) {
        log.error('The changes of an interrupted call could not be recorded for review', error)
        deps.onProblem(
          `The changes of an interrupted tool call cannot be reviewed. ${toFailure(error).message} The checkpoint of its message has the earlier files.`,
        )
      }
      await save()
      // Last, because another kill may come first. The same changes can be recorded twice.
      deps.store.removeCall(key)
    }
  }
  return running
}

/**
 * Returns the changes in folders that the workspace has and had: files of a folder that was added or removed since are
 * no changes of a call.
 */
function inKnownFolders(
  observation: Observation,
  earlier: Pick<ReadonlyMap<string, unknown>, 'has'>,
  topFolders: readonly string[] | undefined,
): Observation {
  if (topFolders === undefined) return observation
  const known = new Set(topFolders.filter((name) => earlier.has(name)))
  const isKnown = ({ path }: EntryChange): boolean => path.includes('/') && known.has(path.split('/', 1)[0] ?? '')
  return { ...observation, changes: observation.changes.filter(isKnown) }
}

/**
 * Compares the files with the state before a call that a kill interrupted, and records the differences as its changes.
 * @param recorded paths that are up to date, because an earlier call changed them
 * @returns the changed paths
 */
async function recordInterrupted(
  { deps, files, folder, recorder }: OtherCallsDeps,
  { paths, before, tabs = {}, turn }: StoredCall,
  recorded: ReadonlySet<string>,
): Promise<string[]> {
  // Earlier versions did not store the state before a call.
  if (!before) return []
  // This store wrote the entries.
  const earlier = await deps.trees.read({ root: before.root, entries: before.entries as StoredTree['entries'] })
  folder.replace(paths, earlier)
  // What the user changed before the call may not be stored yet.
  for (const path of files.paths())
    if (mayChangePath({ paths }, path) && !recorded.has(path) && deps.unsaved(path) === null)
      await recorder.followDisk(path)
  const changed: string[] = []
  for (const [path, hash] of Object.entries(tabs)) {
    const now = deps.unsaved(path)
    const text = (await deps.contents.get(hash)).toString()
    if (now !== null && now !== text) changed.push(...(await recorder.recordText(path, text, now, turn)))
  }
  const observed = inKnownFolders(await folder.observe(paths), earlier, deps.topFolders)
  return [...changed, ...(await recorder.recordCall(paths ? observed : await recorder.withoutIgnored(observed), turn))]
}
