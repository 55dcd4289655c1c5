import { setImmediate as nextTurn } from 'node:timers/promises'
import { Sequencer } from '../../../shared/async/sequencer.ts'
import { startBackgroundScan, type BackgroundScan } from './backgroundScan.ts'
import type { TakenCheckpoint, TakeRequest } from './manifests.ts'
import type { BlobBatch } from './packWriter.ts'
import { normalizeScope } from './restoreTree.ts'
import type { Tree } from './entries.ts'
import type { WatchedState } from './scanWorkspace.ts'
import type { WalkDeps, WalkResult } from './walkTree.ts'

/** Receives the id of a saved checkpoint. A later call replaces the earlier id. */
export type OnSaved = (id: number) => void

/** Takes checkpoints while the workspace is in use. */
export interface PendingCheckpoints {
  /** Reads and stores the workspace's files once, so that the first checkpoint is fast. Never rejects. */
  prepare(): Promise<void>
  /**
   * Takes a checkpoint of the whole workspace. Until it is complete, each `beforeChange` with paths saves a checkpoint
   * of the paths changed so far, so that even a killed process leaves what a restore needs.
   * @returns the complete checkpoint
   */
  begin(request: TakeRequest, onSaved: OnSaved, signal: AbortSignal): Promise<TakenCheckpoint>
  /**
   * Waits until a change can no longer affect a running checkpoint.
   * @param paths paths that may change; if undefined, waits until all running checkpoints have read the workspace
   */
  beforeChange(paths: readonly string[] | undefined): Promise<void>
  /** Returns the number of files and folders read by the running checkpoint that has read the most. */
  entriesRead(): number
  /** Resolves when the checkpoints whose scan has ended are stored. */
  stored(): Promise<void>
  /** Resolves when no scan is running. Does not wait for scans queued in `operations`. */
  scanned(): Promise<void>
  /** Cancels running checkpoints and waits until they have stopped. */
  close(): Promise<void>
}

export interface PendingDeps {
  /** Runs one store operation at a time. */
  operations: Sequencer
  /** Starts a batch of blobs. */
  batch(): BlobBatch
  scanDeps(contents: BlobBatch, signal: AbortSignal): Promise<WalkDeps>
  /** Returns the latest state if later changes are known. */
  watchedState(): WatchedState | undefined
  /** Stores a checkpoint. */
  commit(request: TakeRequest, result: WalkResult): Promise<TakenCheckpoint>
  /**
   * Receives the state of the whole workspace.
   * @param since when the scan began, by `performance.now()`; undefined if known paths changed during it
   */
  onScanned(result: WalkResult, since: number | undefined): void
  /** Receives the state read by a preparation. Stores what the first checkpoint needs of it. */
  onPrepared(tree: Tree): Promise<void>
  remove(ids: readonly number[]): void
}

interface Preparation {
  stop: AbortController
  scan: BackgroundScan | undefined
  done: Promise<void>
  isDone: boolean
}

interface Pending {
  request: TakeRequest
  onSaved: OnSaved
  scan: BackgroundScan
  /** Checkpoint of the paths changed so far. */
  partial: number | undefined
  complete: Promise<TakenCheckpoint>
}

export function createPendingCheckpoints(deps: PendingDeps): PendingCheckpoints {
  const closing = new AbortController()
  const running = new Set<Pending>()
  const starting = new Set<Promise<unknown>>()
  const saving = new Sequencer()
  let preparation: Preparation | undefined

  /** Starts a scan once no restore or clean-up is running. */
  function startScan(signal: AbortSignal, earlier?: BackgroundScan): Promise<BackgroundScan> {
    return deps.operations.queue(async () => {
      signal.throwIfAborted()
      // Continues the earlier scan's batch, some blobs of which are not stored yet.
      const contents = earlier?.contents.failed() === false ? earlier.contents : deps.batch()
      const scanDeps = await deps.scanDeps(contents, signal)
      const before = { get: (place: string) => earlier?.tree.get(place) ?? scanDeps.before.get(place) }
      return startBackgroundScan({ ...scanDeps, before, contents, batch: deps.batch, earlier: deps.watchedState() })
    })
  }

  function prepare(): Preparation {
    const stop = new AbortController()
    const started: Preparation = { stop, scan: undefined, done: run(), isDone: false }
    return started

    async function run(): Promise<void> {
      try {
        const scan = await startScan(AbortSignal.any([stop.signal, closing.signal]))
        started.scan = scan
        const { read } = await scan.done
        deps.onScanned(read, undefined)
        await deps.onPrepared(read.tree)
      } catch {
        // The checkpoint itself reports the failure.
      } finally {
        started.isDone = true
      }
    }
  }

  async function start(request: TakeRequest, onSaved: OnSaved, signal: AbortSignal): Promise<Pending> {
    preparation?.stop.abort()
    // Reuses the files that the preparation has already read.
    const scan = await startScan(AbortSignal.any([signal, closing.signal]), preparation?.scan)
    // Later checkpoints reuse the state that this one reads.
    if (preparation) preparation.scan = undefined
    const pending: Pending = { request, onSaved, scan, partial: undefined, complete: completion() }
    running.add(pending)
    return pending

    async function completion(): Promise<TakenCheckpoint> {
      try {
        const result = await scan.done
        deps.onScanned(result.read, scan.pinned().paths.length === 0 ? scan.since : undefined)
        // Calls waiting for the scan continue first.
        await nextTurn()
        const taken = await deps.commit(request, result)
        onSaved(taken.id)
        if (pending.partial !== undefined) deps.remove([pending.partial])
        return taken
      } finally {
        running.delete(pending)
      }
    }
  }

  /** Saves the state of the paths changed so far, replacing the previous one. */
  async function savePartial(pending: Pending): Promise<void> {
    if (pending.scan.settled()) return
    const { paths, tree } = pending.scan.pinned()
    const { id } = await deps.commit({ ...pending.request, paths }, { tree, hashed: 0 })
    // The complete checkpoint may have been saved in the meantime.
    if (!running.has(pending)) return deps.remove([id])
    pending.onSaved(id)
    if (pending.partial !== undefined) deps.remove([pending.partial])
    pending.partial = id
  }

  return {
    async prepare() {
      if (closing.signal.aborted) return
      // Scans again if changes since then are unknown.
      if (!preparation || (preparation.isDone && running.size === 0 && !deps.watchedState())) preparation = prepare()
      await preparation.done
    },
    async begin(request, onSaved, signal) {
      const task = start(request, onSaved, signal)
      starting.add(task)
      const pending = await task.finally(() => starting.delete(task))
      return pending.complete
    },
    async beforeChange(paths) {
      // A scan that has not started yet would see the change.
      await Promise.allSettled(starting)
      if (paths === undefined) return void (await Promise.allSettled([...running].map(({ scan }) => scan.done)))
      await saving.queue(async () => {
        for (const pending of running) {
          await pending.scan.pin(normalizeScope(paths) ?? [])
          await savePartial(pending)
        }
      })
    },
    entriesRead: () => Math.max(0, ...[...running].map(({ scan }) => scan.tree.size)),
    stored: () => settle([...running].filter(({ scan }) => scan.settled())),
    scanned: () => settle([...running]),
    async close() {
      closing.abort()
      await Promise.allSettled(starting)
      await settle([...running])
      await preparation?.done
    },
  }
}

/** Waits until checkpoints are complete or have failed. */
async function settle(pending: readonly Pending[]): Promise<void> {
  await Promise.allSettled(pending.map(({ complete }) => complete))
}
