import { Worker } from 'node:worker_threads'
import type { FileChange } from '../../shared/files/files.ts'
import { workerFile } from '../base/workerFile.ts'

/** What the watch thread reports about a folder. After `ended`, nothing is watched any more. */
export type WatchMessage =
  | { kind: 'ready' }
  | { kind: 'changes'; changes: FileChange[]; overflow: boolean }
  | { kind: 'problem'; message: string }
  | { kind: 'closed' }
  | { kind: 'ended'; error: unknown }

/** Message of the thread. Folders have numbers, because one can be watched twice. */
export interface FolderMessage {
  folder: number
  message: WatchMessage
}

/** Message to the thread. */
export type WatchRequest = { kind: 'watch'; folder: number; root: string } | { kind: 'close'; folder: number }

interface WatchThread {
  worker: Worker
  receivers: Map<number, (message: WatchMessage) => void>
}

/** The thread of all folders of this process. It costs 35 MB with 20,000 files, and a further such folder 5 MB. */
let running: WatchThread | undefined
let watched = 0

function start(): WatchThread {
  // Clears this process's flags, because a thread rejects some of them.
  const worker = new Worker(workerFile(import.meta, 'watchWorker'), { execArgv: [] })
  const thread: WatchThread = { worker, receivers: new Map() }
  let failure: unknown
  worker.on('message', ({ folder, message }: FolderMessage) => thread.receivers.get(folder)?.(message))
  worker.on('error', (error) => (failure = error))
  worker.once('exit', () => {
    if (running === thread) running = undefined
    const receivers = [...thread.receivers.values()]
    // Nothing can be posted to it any more.
    thread.receivers.clear()
    for (const receive of receivers) receive({ kind: 'ended', error: failure })
  })
  return thread
}

/** Watches a folder in the thread. @returns a function that stops watching, and ends the thread with its last folder */
export function watchInThread(root: string, receive: (message: WatchMessage) => void): () => Promise<void> {
  const thread = (running ??= start())
  const { worker, receivers } = thread
  const folder = ++watched
  const post = (request: WatchRequest): void => worker.postMessage(request)
  receivers.set(folder, receive)
  post({ kind: 'watch', folder, root })

  async function endUnused(): Promise<void> {
    receivers.delete(folder)
    if (receivers.size > 0) return
    if (running === thread) running = undefined
    await worker.terminate()
  }

  return async () => {
    if (receivers.size > 1) {
      const closed = Promise.withResolvers<void>()
      receivers.set(folder, ({ kind }) => {
        if (kind === 'closed' || kind === 'ended') closed.resolve()
      })
      post({ kind: 'close', folder })
      await closed.promise
    }
    await endUnused()
  }
}
