import { Worker } from 'node:worker_threads'
import { log } from '../../base/log/log.ts'
import { workerFile } from '../../base/workerFile.ts'
import type { FolderListing, FolderRequest } from './folderListing.ts'
import type { FoundEntry } from './foundEntry.ts'
import type { Changes } from './watchedFolders.ts'
import { createEntryReader, type EntryReader, type ReadFile } from './readEntries.ts'

/** Message to the thread. */
export type ThreadRequest = { id: number } & ThreadTask

type ThreadTask =
  | { changesSince: number | undefined }
  | { list: readonly FolderRequest[] }
  | { find: readonly string[] }
  /** `maxBytes`: maximum size of a file. */
  | { read: readonly string[]; maxBytes: number }

/** A file whose content is in the bytes of the answer, after those of the files before it. */
type FileInAnswer =
  | Exclude<ReadFile, { kind: 'content' }>
  | (Omit<Extract<ReadFile, { kind: 'content' }>, 'content'> & { length: number })

export type ThreadAnswer = { id: number } & (
  | { changes: Changes }
  | { listed: FolderListing[] }
  | { found: FoundEntry[] }
  | { read: FileInAnswer[]; bytes: Uint8Array }
)

/** An entry reader that need not list unchanged folders again, because they are watched. */
export interface WatchingReader extends EntryReader {
  /**
   * Returns what has changed since an earlier call. A scan awaits it before it lists the first folder, whose state
   * could otherwise be that of an earlier time.
   * @param time `Changes.time` of the earlier call
   * @returns undefined if the thread failed
   */
  changesSince(time: number | undefined): Promise<Changes | undefined>
}

export interface ReadingThread extends WatchingReader {
  /** Ends the thread. What is still read, is read in this one. */
  dispose(): Promise<void>
}

/**
 * Time without a request after which the thread and its watches end, in milliseconds. A model may take minutes until
 * its next call.
 */
const idleMs = 15 * 60_000

/**
 * Reads many entries in a thread, which starts with the first request. If the thread fails, reads in this one.
 * @param root real path of the workspace
 */
export function createReadingThread(root: string, file = workerFile(import.meta, 'checkpointWorker')): ReadingThread {
  const inThisThread = createEntryReader(root)
  const waiting = new Map<number, { from: Worker; resolve: (answer: ThreadAnswer | undefined) => void }>()
  let worker: Worker | undefined
  let nextId = 1
  let failed = false
  let disposed = false
  let idle: NodeJS.Timeout | undefined

  function start(): Worker {
    // Without the flags of this process, some of which a thread does not accept.
    const started = new Worker(file, { workerData: root, execArgv: [] })
    started.on('message', (answer: ThreadAnswer) => settle(answer.id, answer))
    started.on('error', (error) => {
      failed = true
      log.error('The thread that reads files for checkpoints failed', error)
    })
    started.on('exit', () => {
      // Another one may have been started since this one was ended.
      if (worker === started) worker = undefined
      for (const [id, { from }] of waiting) if (from === started) settle(id, undefined)
    })
    return started
  }

  function settle(id: number, answer: ThreadAnswer | undefined): void {
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

  /** @returns undefined if the thread failed */
  function ask(task: ThreadTask): Promise<ThreadAnswer | undefined> {
    if (failed || disposed) return Promise.resolve(undefined)
    clearTimeout(idle)
    worker ??= start()
    const id = nextId++
    const { promise, resolve } = Promise.withResolvers<ThreadAnswer | undefined>()
    waiting.set(id, { from: worker, resolve })
    // A process without other work would end before the answer.
    worker.ref()
    worker.postMessage({ ...task, id } satisfies ThreadRequest)
    return promise
  }

  return {
    async changesSince(time) {
      const answer = await ask({ changesSince: time })
      return answer && 'changes' in answer ? answer.changes : undefined
    },
    async list(folders) {
      const answer = await ask({ list: folders })
      return answer && 'listed' in answer ? answer.listed : inThisThread.list(folders)
    },
    async find(places) {
      const answer = await ask({ find: places })
      return answer && 'found' in answer ? answer.found : inThisThread.find(places)
    },
    async read(places, maxBytes) {
      const answer = await ask({ read: places, maxBytes })
      return answer && 'read' in answer ? withContents(answer.read, answer.bytes) : inThisThread.read(places, maxBytes)
    },
    async dispose() {
      disposed = true
      await end()
    },
  }
}

function withContents(files: readonly FileInAnswer[], bytes: Uint8Array): ReadFile[] {
  const all = Buffer.from(bytes.buffer)
  let at = 0
  return files.map((file) => {
    if (file.kind !== 'content') return file
    const { length, ...rest } = file
    at += length
    return { ...rest, content: all.subarray(at - length, at) }
  })
}
