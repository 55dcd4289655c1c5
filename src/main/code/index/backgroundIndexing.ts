import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import { ToolError } from '../../../shared/errors.ts'
import { classifyError, IndexDamaged } from '../process/indexErrors.ts'
import type { FileIndexer } from './fileIndexer.ts'
import type { IndexStore } from './indexStore.ts'

/** Indexes all files of the workspace, one at a time, while requests run between two files. */
export interface BackgroundIndexing {
  /** Starts indexing a new list of files, and removes files that are not in it. */
  setFiles(paths: string[]): void
  /** The last list of files, relative to the workspace. */
  paths(): readonly string[]
  /** `done`: number of files checked, out of `total`. */
  progress(): { state: 'building' | 'ready'; done: number; total: number }
  /** Stops waiting and reading. Settles when the current file is finished. */
  close(): Promise<void>
}

export interface BackgroundIndexingOptions {
  store: IndexStore
  files: FileIndexer
  /** Milliseconds before each attempt to write to a full disk. */
  retryDelays: readonly number[]
  /** Receives messages for the user. */
  onNotice(message: string): void
  /** Called if the database turns out to be damaged. */
  onDamaged?(error: IndexDamaged): void
}

export function createBackgroundIndexing(options: BackgroundIndexingOptions): BackgroundIndexing {
  const { store, files, retryDelays, onNotice, onDamaged } = options
  let queue: string[] = []
  let done = 0
  /** False until the first list of files arrives; until then the index counts as incomplete. */
  let listed = false
  let running: Promise<void> | undefined
  const closing = new AbortController()

  async function indexQueuedFiles(): Promise<void> {
    let failures = 0
    while (done < queue.length && !closing.signal.aborted) {
      const list = queue
      const place = list[done++]
      try {
        if (place !== undefined) await files.refresh(place)
        failures = 0
      } catch (error) {
        const classified = classifyError(error)
        if (classified instanceof IndexDamaged) throw classified
        if (classified instanceof ToolError && classified.code === 'no_space') {
          onNotice(`${classified.message} ${classified.next}`)
          // Retries the same file, unless a new list has replaced the queue.
          if (queue === list) done--
          await pause(retryDelays[Math.min(failures++, retryDelays.length - 1)] ?? 0)
        } else onNotice(`The code index could not read ${place}: ${errorMessage(error)}`)
      }
      // Lets requests run between two files.
      await nextTurn()
    }
    running = undefined
  }

  /** Returns early if indexing is closed. */
  async function pause(milliseconds: number): Promise<void> {
    try {
      await delay(milliseconds, undefined, { signal: closing.signal })
    } catch (error) {
      if (!closing.signal.aborted) throw error
    }
  }

  return {
    setFiles(paths) {
      const listedPaths = new Set(paths)
      const gone = store.files().filter((file) => !listedPaths.has(file.path) && !files.isUnsaved(file.path))
      if (gone.length > 0) store.transaction(() => gone.forEach(({ id }) => store.remove(id)))
      queue = paths
      done = 0
      listed = true
      running ??= indexQueuedFiles().catch((error: unknown) => {
        running = undefined
        if (error instanceof IndexDamaged && onDamaged) return onDamaged(error)
        onNotice(`The code index stopped reading files: ${errorMessage(error)}`)
      })
    },
    paths: () => queue,
    progress: () => ({ state: running || !listed ? 'building' : 'ready', done, total: queue.length }),
    async close() {
      closing.abort()
      queue = []
      await running
    },
  }
}

const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))
