import { availableParallelism } from 'node:os'
import { workerFile } from '../../base/workerFile.ts'
import { createEntryThread, type EntryThread, type FileInAnswer } from './entryThread.ts'
import { createEntryReader, type EntryReader, type ReadFile } from './readEntries.ts'
import type { Changes } from './watchedFolders.ts'

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

export interface ReadingThreads extends WatchingReader {
  /** Ends the threads. What is still read, is read in this one. */
  dispose(): Promise<void>
}

/**
 * Time without a request after which the thread with the watches ends, in milliseconds. A model may take minutes until
 * its next call.
 */
const watchingIdleMs = 15 * 60_000
/** The same for the other threads. */
const readingIdleMs = 5000
/** Maximum number of threads: one per processor, because each blocks in the system's calls. */
const maxThreads = Math.min(4, availableParallelism())

/**
 * Reads many entries in threads, which start when they are needed. One lists and watches the folders; the contents of
 * many files are read by others, too. What a thread fails to read is read in this one.
 * @param root real path of the workspace
 */
export function createReadingThreads(root: string, file = workerFile(import.meta, 'checkpointWorker')): ReadingThreads {
  const inThisThread = createEntryReader(root)
  const watching = createEntryThread({ root, file, idleMs: watchingIdleMs })
  const threads = [watching]

  /** Returns the thread with the fewest tasks; a further one if all have some. */
  function leastBusy(): EntryThread {
    const least = threads.reduce((a, b) => (b.waiting < a.waiting ? b : a))
    if (least.waiting === 0 || threads.length >= maxThreads) return least
    const another = createEntryThread({ root, file, idleMs: readingIdleMs })
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
