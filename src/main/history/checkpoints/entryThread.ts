import { Worker } from 'node:worker_threads'
import type { WorkspaceRoots } from '../../base/workspaceRoots.ts'
import { log } from '../../base/log/log.ts'
import type { FolderListing, FolderRequest } from './folderListing.ts'
import type { FoundEntry } from './entries.ts'
import type { FileToRead, ReadFile } from './readEntries.ts'
import type { Changes } from './watchedFolders.ts'

/** Message to the thread (checkpointWorker.ts). */
export type ThreadRequest = { id: number } & ThreadTask

export type ThreadTask =
  | { changesSince: number | undefined }
  | { list: readonly FolderRequest[] }
  | { find: readonly string[] }
  /** `maxBytes`: maximum size of a file. */
  | { read: readonly FileToRead[]; maxBytes: number }

/** A file whose content is in the bytes of the response, after those of the preceding files. */
export type FileInAnswer =
  | Exclude<ReadFile, { kind: 'content' }>
  | (Omit<Extract<ReadFile, { kind: 'content' }>, 'content'> & { length: number })

export type ThreadResponse = { id: number } & (
  | { changes: Changes }
  | { listed: FolderListing[] }
  | { found: FoundEntry[] }
  | { read: FileInAnswer[]; bytes: Uint8Array }
)

/** A thread that processes one task at a time. It starts with the first one. */
export interface EntryThread {
  /** Number of unfinished tasks. */
  readonly waiting: number
  /** @returns undefined if the thread failed or was disposed */
  ask(task: ThreadTask): Promise<ThreadResponse | undefined>
  /** Ends the thread. */
  dispose(): Promise<void>
}

export interface EntryThreadOptions {
  workspace: WorkspaceRoots
  /** Worker file. */
  file: string
  /** Milliseconds without a task after which the thread ends. */
  idleMs: number
}

/** Creates a thread that reads entries of a workspace. It does not restart after a failure. */
export function createEntryThread({ workspace, file, idleMs }: EntryThreadOptions): EntryThread {
  const waiting = new Map<number, { from: Worker; resolve: (answer: ThreadResponse | undefined) => void }>()
  let worker: Worker | undefined
  let nextId = 1
  let failed = false
  let disposed = false
  let idle: NodeJS.Timeout | undefined

  function start(): Worker {
    // Without this process's flags, some of which a thread does not accept.
    const started = new Worker(file, { workerData: { root: workspace.root, folders: workspace.folders }, execArgv: [] })
    started.on('message', (answer: ThreadResponse) => settle(answer.id, answer))
    started.on('error', (error) => {
      failed = true
      log.error('The checkpoint reader thread failed', error)
    })
    started.on('exit', () => {
      // Another thread may have been started since this one ended.
      if (worker === started) worker = undefined
      for (const [id, { from }] of waiting) if (from === started) settle(id, undefined)
    })
    return started
  }

  function settle(id: number, answer: ThreadResponse | undefined): void {
    waiting.get(id)?.resolve(answer)
    waiting.delete(id)
    if (waiting.size > 0 || disposed) return
    worker?.unref()
    clearTimeout(idle)
    idle = setTimeout(() => void end(), idleMs).unref()
  }

  async function end(): Promise<void> {
    clearTimeout(idle)
    const ending = worker
    worker = undefined
    await ending?.terminate()
  }

  return {
    get waiting() {
      return waiting.size
    },
    ask(task) {
      if (failed || disposed) return Promise.resolve(undefined)
      clearTimeout(idle)
      worker ??= start()
      const id = nextId++
      const { promise, resolve } = Promise.withResolvers<ThreadResponse | undefined>()
      waiting.set(id, { from: worker, resolve })
      // Keeps the process alive until the response arrives.
      worker.ref()
      worker.postMessage({ ...task, id } satisfies ThreadRequest)
      return promise
    },
    async dispose() {
      disposed = true
      await end()
    },
  }
}
