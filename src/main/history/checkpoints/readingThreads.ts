import { availableParallelism } from 'node:os'
import type { WorkspaceRoots } from '../../base/workspaceRoots.ts'
import { workerFile } from '../../base/workerFile.ts'
import { createEntryThread, type EntryThread, type FileInAnswer } from './entryThread.ts'
import { createEntryReader, type EntryReader, type ReadFile } from './readEntries.ts'
import type { Changes } from './watchedFolders.ts'

/** An entry reader that need not list unchanged folders again, because they are watched. */
export interface WatchingReader extends EntryReader {
  /**
   * Returns what has changed since an earlier call. A scan awaits it before it lists the first folder, because the
   * listing could otherwise be older.
   * @param time `Changes.time` of the earlier call
   * @returns undefined if the thread failed
   */
  changesSince(time: number | undefined): Promise<Changes | undefined>
}

export interface ReadingThreads extends WatchingReader {
  /** Ends the threads. Pending reads continue in this thread. */
  dispose(): Promise<void>
}

/**
 * Milliseconds without a request after which the watching thread ends. A model may take minutes until its next tool
 * call.
 */
const watchingIdleMs = 15 * 60_000
/** Milliseconds without a request after which the other threads end. */
const readingIdleMs = 5000
/** Maximum number of threads: one per processor, because each blocks in system calls. */
const maxThreads = Math.min(4, availableParallelism())

/**
 * Reads many entries in threads, which start on demand. One thread lists and watches the folders; all read file
 * content. What a thread fails to read is read in this one.
 */
export function createReadingThreads(
  workspace: WorkspaceRoots,
  file = workerFile(import.meta, 'checkpointWorker'),
): ReadingThreads {
  const inThisThread = createEntryReader(workspace)
  const watching = createEntryThread({ workspace, file, idleMs: watchingIdleMs })
  const threads = [watching]

  /** Returns the thread with the fewest tasks; a new one if all have some. */
  function leastBusy(): EntryThread {
    const least = threads.reduce((a, b) => (b.waiting < a.waiting ? b : a))
    if (least.waiting === 0 || threads.length >= maxThreads) return least
    const another = createEntryThread({ workspace, file, idleMs: readingIdleMs })
    threads.push(another)
    return another
  }

  return {
    async changesSince(time) {
      const answer = await watching.ask({ changesSince: time })
      return answer && 'changes' in answer ? answer.changes : undefined
    },
    async list(folders) {
      const answer = await watching.ask({ list: folders })
      return answer && 'listed' in answer ? answer.listed : inThisThread.list(folders)
    },
    async find(places) {
      const answer = await watching.ask({ find: places })
      return answer && 'found' in answer ? answer.found : inThisThread.find(places)
    },
    async read(files, maxBytes) {
      const answer = await leastBusy().ask({ read: files, maxBytes })
      return answer && 'read' in answer ? withContents(answer.read, answer.bytes) : inThisThread.read(files, maxBytes)
    },
    async dispose() {
      await Promise.all(threads.map((thread) => thread.dispose()))
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
