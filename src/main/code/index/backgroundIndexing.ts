import type { WorkspaceRoots } from '../../base/workspaceRoots.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { classifyError, IndexDamaged } from './indexErrors.ts'
import { createBatchWriter, type BatchWriter } from './batchWriter.ts'
import { findChangedFiles, type ChangedFiles, type ListedFile } from './changedFiles.ts'
import type { FileIndexer } from './fileIndexer.ts'
import type { FileReading } from './fileReader.ts'
import type { IndexStore } from './indexStore.ts'
import { readWithPool, type ReaderPool, type ReadingStage } from './readerPool.ts'
import type { RequestActivity } from './requestActivity.ts'

/** Indexes all files of the workspace, yielding to requests between two files. */
export interface BackgroundIndexing {
  /** Starts indexing a new list of files, and removes files that are not in it from the index. */
  setFiles(paths: string[]): void
  /** The latest list of files, relative to the workspace. */
  paths(): readonly string[]
  progress(): IndexingProgress
  /** Stops indexing. Settles when the current file is finished. */
  close(): Promise<void>
}

/**
 * Progress of the current stage, symbols first: searching for names and edges needs no words. `done`: number of files
 * that this stage has read or found unchanged, out of `total`.
 */
export interface IndexingProgress {
  state: ReadingStage | 'ready'
  done: number
  total: number
}

export interface BackgroundIndexingOptions {
  workspace: WorkspaceRoots
  store: IndexStore
  files: FileIndexer
  /** Starts threads that read files; absent if this thread reads all of them. */
  startPool?: () => ReaderPool
  /** The requests that run during indexing. */
  activity?: RequestActivity
  /** Milliseconds before each attempt to write to a full disk. */
  retryDelays: readonly number[]
  /** Receives messages for the user. */
  onNotice(message: string): void
  /** Called if the database turns out to be damaged. */
  onDamaged?(error: IndexDamaged): void
}

/**
 * Number of bytes from which starting threads saves time. Also gives the number of files for a folder without an
 * index, assuming an average size.
 */
const minPool = { bytes: 1024 * 1024, files: 500 } as const
/**
 * Starting threads takes half a second of processor time, and the threads compete with requests, so they start once
 * the first request after opening a folder has been answered. Milliseconds without a request, and the maximum wait.
 */
const poolStart = { quietTime: 250, maxWait: 3000 } as const
/**
 * Waits in the same way between two transactions, so that the steps of one question do not each wait for a transaction.
 */
const nextTransaction = { quietTime: 10, maxWait: 200 } as const

export function createBackgroundIndexing(options: BackgroundIndexingOptions): BackgroundIndexing {
  const { workspace, store, files, startPool, activity, retryDelays, onNotice, onDamaged } = options
  let queue: string[] = []
  let done = 0
  /** False until the first list of files arrives. Until then the index counts as incomplete. */
  let listed = false
  let running: Promise<void> | undefined
  /** Whether indexing stopped early, so that the index stays incomplete until the next list. */
  let failed = false
  let pool: ReaderPool | undefined
  let stage: ReadingStage = 'symbols'
  const closing = new AbortController()
  const isCurrent = (list: readonly string[]): boolean => queue === list && !closing.signal.aborted

  function findChanged(list: readonly string[]): Promise<ChangedFiles> {
    const onUnchanged = (count: number): void => void (done += count)
    return findChangedFiles(workspace, store, list, () => isCurrent(list), onUnchanged)
  }

  const createWriter = (list: readonly string[]): BatchWriter =>
    createBatchWriter({
      files,
      retryDelays,
      closing: closing.signal,
      onNotice,
      isCurrent: () => isCurrent(list),
      yieldToRequests: () => yieldTo(activity, nextTransaction, closing.signal),
      onStored: (count) => (done += count),
    })

  async function indexQueuedFiles(): Promise<void> {
    let list: readonly string[]
    do {
      list = queue
      stage = 'symbols'
      done = 0
      store.reserveIds(list)
      try {
        // The threads start while the files are checked.
        const isLarge = list.length >= minPool.files && store.counts().files === 0
        const [{ unverified, changed }] = await Promise.all([findChanged(list), isLarge && startThreads(list)])
        // Comparing texts takes less time than starting threads.
        await readHere(list, unverified)
        await readFiles(list, changed)
        if (!isCurrent(list)) continue
        const withoutWords = store.filesWithoutWords().map(({ path, size }) => ({ path, bytes: size }))
        stage = 'words'
        done = list.length - withoutWords.length
        await readFiles(list, withoutWords)
      } finally {
        pool?.close()
        pool = undefined
      }
    } while (queue !== list && !closing.signal.aborted)
    if (!closing.signal.aborted) store.compact()
    running = undefined
  }

  async function startThreads(list: readonly string[]): Promise<void> {
    if (!startPool) return
    await yieldTo(activity, poolStart, closing.signal)
    if (isCurrent(list)) pool ??= startPool()
  }

  /** Reads files in threads, one stage at a time, and then reads those that no thread could read in this thread. */
  async function readFiles(list: readonly string[], changed: readonly ListedFile[]): Promise<void> {
    const bytes = changed.reduce((sum, file) => sum + file.bytes, 0)
    if (!pool && bytes >= minPool.bytes) await startThreads(list)
    if (!isCurrent(list)) return
    const target = { stage, store, files, writer: createWriter(list), isCurrent: () => isCurrent(list) }
    await readHere(list, pool ? await readWithPool(pool, changed, target) : changed)
  }

  const readHere = (list: readonly string[], changed: readonly ListedFile[]): Promise<void> =>
    readOneByOne(changed, {
      files,
      writer: createWriter(list),
      onNotice,
      isCurrent: () => isCurrent(list),
      onUnread: () => done++,
    })

  return {
    setFiles(paths) {
      removeUnlisted(store, files, paths)
      queue = paths
      stage = 'symbols'
      done = 0
      listed = true
      failed = false
      running ??= indexQueuedFiles().catch((error: unknown) => {
        running = undefined
        failed = true
        if (error instanceof IndexDamaged && onDamaged) return onDamaged(error)
        onNotice(`The code index stopped reading files: ${errorMessage(error)}`)
      })
    },
    paths: () => queue,
    progress: () => ({ state: !listed || running || failed ? stage : 'ready', done, total: queue.length }),
    async close() {
      closing.abort()
      pool?.close()
      queue = []
      await running
    },
  }
}

function removeUnlisted(store: IndexStore, files: FileIndexer, paths: readonly string[]): void {
  const listed = new Set(paths)
  const gone = store.files().filter((file) => !listed.has(file.path) && !files.isUnsaved(file.path))
  if (gone.length > 0) store.transaction(() => gone.forEach(({ id }) => store.remove(id)))
}

/** Yields to requests, and waits until they are finished. */
async function yieldTo(
  activity: RequestActivity | undefined,
  { quietTime, maxWait }: { quietTime: number; maxWait: number },
  closing: AbortSignal,
): Promise<void> {
  await nextTurn()
  await activity?.quiet(quietTime, maxWait, closing)
}

interface ReadingTarget {
  files: FileIndexer
  writer: BatchWriter
  /** Whether the files are still needed. */
  isCurrent(): boolean
  onUnread(): void
  onNotice(message: string): void
}

/** Reads files in this thread, yielding to requests between two of them, and stores them. */
async function readOneByOne(
  changed: readonly ListedFile[],
  { files, writer, isCurrent, onUnread, onNotice }: ReadingTarget,
): Promise<void> {
  for (const { path: place, bytes } of changed) {
    if (!isCurrent()) return
    const started = files.indexed
    const reading = await readOrNotify(files, place, onNotice)
    if (reading) await writer.add([{ reading, started }], bytes)
    else onUnread()
    await nextTurn()
  }
  await writer.flush()
}

/** Returns undefined for a file with unsaved text or that cannot be read. */
async function readOrNotify(
  files: FileIndexer,
  place: string,
  onNotice: (message: string) => void,
): Promise<FileReading | undefined> {
  if (files.isUnsaved(place)) return undefined
  try {
    return await files.read(place)
  } catch (error) {
    const classified = classifyError(error)
    if (classified instanceof IndexDamaged) throw classified
    onNotice(`The code index could not read ${place}: ${errorMessage(error)}`)
    return undefined
  }
}

const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))
