import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { IndexClient } from './process/indexClient.ts'
import type { RestingIndexClient } from './process/restingIndexClient.ts'
import { defaultFork } from '../base/childProcess.ts'
import { windowOpeningTime } from '../base/windowOpening.ts'
import { truncateForIndex } from './index/indexLimits.ts'
import type { CodeIndexOptions } from './codeIndexOptions.ts'
import { createFolderIndexClient, repositoryOf } from './folderIndex.ts'
import type { FileText } from './index/fileIndexer.ts'
import { listFilesToIndex } from './indexedFiles.ts'
import type { IndexStatus } from './process/indexEngine.ts'
import type { ReadingStage } from './index/readerPool.ts'

/** Milliseconds before files are listed again, because changes come in bursts. */
const relistDelay = 300
/** Maximum milliseconds that `waitUntilIndexed` waits. */
const maxIndexingWait = 10_000
/** The connection to the index process. Starts the process on first use and sends it the list of files. */
export interface IndexConnection {
  /** Returns the client of the process, which may not have a list of files yet. */
  client(): IndexClient
  /** Returns the client, and starts listing the workspace's files if that has not happened. */
  clientWithFiles(): IndexClient
  /** Sends the unsaved texts of all tabs. */
  sendBuffers(): Promise<void>
  /** Lists all files again if changes on disk are not reported. Does nothing before the first listing. */
  relistIfUnwatched(): void
  /** Reads the state of the index. */
  status(): Promise<IndexStatus>
  /** Whether `status` or `isComplete` has reported a complete index since the process started. */
  knownComplete(part: ReadingStage): boolean
  /** Whether the symbols or words of all files are indexed and changes are reported. */
  isComplete(part: ReadingStage): Promise<boolean>
  /** Waits until all files are listed and their symbols indexed, at most 10 seconds. @throws AbortError */
  waitUntilIndexed(signal: AbortSignal): Promise<void>
  /** Updates the index after changes on disk. `structure`: files may have been added or removed. */
  filesChanged(paths: readonly string[], structure: boolean): void
  /** Updates the index after a tool wrote, moved or deleted files. */
  filesWritten(paths: readonly string[]): void
  /** Ends the process. */
  close(): Promise<void>
}

export function createIndexConnection(options: CodeIndexOptions): IndexConnection {
  const { workspace, search, userData, watched, onNotice } = options
  const closed = new AbortController()
  let started: RestingIndexClient | undefined
  /** What is indexed for all files. */
  const complete = new Set<ReadingStage>()
  let relistTimer: NodeJS.Timeout | undefined
  /** Set once listing the files has started. */
  let listing: Promise<void> | undefined
  // A query starts indexing at once. Without a window, or in a worktree, nothing else does.
  const startTimer = watched ? setTimeout(() => void startUnasked(), windowOpeningTime) : undefined

  function client(): IndexClient {
    closed.signal.throwIfAborted()
    return (started ??= createFolderIndexClient(workspace, userData, {
      fork: options.fork ?? defaultFork,
      grammars: path.join(options.resources, 'grammars'),
      limits: options.limits,
      onNotice,
      onRestarted: restoreState,
    }))
  }

  /** Not in a worktree: several may be open, and an index starts quickly from a copy. */
  async function startUnasked(): Promise<void> {
    if ((await repositoryOf(workspace.root)) === undefined && !closed.signal.aborted) clientWithFiles()
  }

  function clientWithFiles(): IndexClient {
    const connected = client()
    listing ??= listFiles(connected)
    return connected
  }

  /** A new process has neither files nor unsaved texts. */
  function restoreState(): void {
    if (!started) return
    complete.clear()
    inBackground(sendBuffersTo(started))
    if (listing) listing = listFiles(started)
  }

  const sendBuffersTo = (connected: IndexClient): Promise<void> =>
    connected.call('setBuffers', [options.dirtyBuffers().map(truncateBuffer)])

  async function listFiles(connected: IndexClient): Promise<void> {
    try {
      const paths = await listFilesToIndex(search, closed.signal)
      await connected.call('setFiles', [paths.join('\0')])
    } catch (error) {
      if (!closed.signal.aborted) onNotice(`The code index could not list the files: ${errorMessage(error)}`)
    }
  }

  async function status(): Promise<IndexStatus> {
    const found = await clientWithFiles().call('status', [])
    if (found.state !== 'symbols') complete.add('symbols')
    if (found.state === 'ready') complete.add('words')
    return found
  }

  // When the sleeping process restarts, it compares all files with the index.
  const knownComplete = (part: ReadingStage): boolean => watched && complete.has(part) && started?.asleep === false

  function inBackground(update: Promise<void>): void {
    update.catch((error: unknown) => {
      if (!closed.signal.aborted) onNotice(`The code index could not read a change: ${errorMessage(error)}`)
    })
  }

  return {
    client,
    clientWithFiles,
    sendBuffers: () => sendBuffersTo(clientWithFiles()),
    relistIfUnwatched() {
      if (!watched && listing) listing = listFiles(client())
    },
    status,
    knownComplete,
    async isComplete(part) {
      if (watched && !knownComplete(part)) await status()
      return knownComplete(part)
    },
    async waitUntilIndexed(signal) {
      clientWithFiles()
      const deadline = performance.now() + maxIndexingWait
      await raceTimeout(listing, maxIndexingWait, AbortSignal.any([signal, closed.signal]))
      while ((await status()).state === 'symbols' && performance.now() < deadline)
        await delay(25, undefined, { signal })
    },
    filesChanged(paths, structure) {
      const connected = started
      // The next process compares all files.
      if (!connected || connected.asleep) return
      inBackground(connected.call('refreshKnown', [[...paths]]))
      if (!structure) return
      clearTimeout(relistTimer)
      relistTimer = setTimeout(() => {
        if (!connected.asleep) listing = listFiles(connected)
      }, relistDelay)
    },
    filesWritten(paths) {
      if (started && !started.asleep) inBackground(started.call('refresh', [[...paths]]))
    },
    async close() {
      closed.abort()
      clearTimeout(startTimer)
      clearTimeout(relistTimer)
      // Settles a pending `listing`.
      await started?.close()
      await listing
    },
  }
}

function truncateBuffer({ path: place, text }: FileText): FileText {
  return { path: place, text: truncateForIndex(text) }
}

async function raceTimeout(task: Promise<void> | undefined, milliseconds: number, signal: AbortSignal): Promise<void> {
  const timer = new AbortController()
  try {
    await Promise.race([task, delay(milliseconds, undefined, { signal: AbortSignal.any([signal, timer.signal]) })])
  } finally {
    timer.abort()
  }
}

const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))
