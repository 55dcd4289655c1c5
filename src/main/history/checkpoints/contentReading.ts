import type { ContentBatch } from './packWriter.ts'
import type { EntryReader, FileToRead, ReadFile } from './readEntries.ts'

/** A file whose content must be read. */
export interface ChangedFile extends FileToRead {
  /** Permission bits. */
  mode: number
}

/** Reads the contents of changed files and stores them. */
export interface ContentReading {
  /** Reads a file soon. Waits while too many requests are not finished. @throws AbortError and errors of `contents` */
  add(file: ChangedFile): Promise<void>
  /** Reads the files that remain, and waits for all. @throws like `add` */
  finish(): Promise<void>
  /** Waits until nothing is read any more. Never rejects. */
  settled(): Promise<void>
}

export interface ContentReadingDeps {
  /** Returns the reader of the next request. */
  reader(): EntryReader
  /** Maximum size of a file in bytes. */
  maxBytes: number
  contents: Pick<ContentBatch, 'put'>
  signal?: AbortSignal
  /** Receives each file that was read and stored, or why it was not. */
  onRead(file: ChangedFile, read: ReadFile): void
}

/** Limits of one request to the reader, so that the scan can be cancelled and uses little memory. */
const filesAtOnce = 64
const bytesAtOnce = 2 * 1024 * 1024
/** Number of requests that are not finished yet. Each thread has the next one when it finishes one. */
const concurrentReads = 8

export function createContentReading(deps: ContentReadingDeps): ContentReading {
  const { contents, signal, maxBytes, onRead } = deps
  const reading = new Set<Promise<void>>()
  let next: ChangedFile[] = []
  let nextBytes = 0

  async function read(files: readonly ChangedFile[]): Promise<void> {
    signal?.throwIfAborted()
    const results = await deps.reader().read(files, maxBytes)
    for (const [index, file] of files.entries()) {
      const result = results[index]
      if (result?.kind === 'content') await contents.put(result.hash, result.content)
      if (result) onRead(file, result)
    }
  }

  function start(): void {
    const task = read(next).then(() => void reading.delete(task))
    // A failure stays in the set, so that the next wait for it throws.
    task.catch(() => undefined)
    reading.add(task)
    next = []
    nextBytes = 0
  }

  return {
    async add(file) {
      next.push(file)
      nextBytes += file.size
      if (next.length < filesAtOnce && nextBytes < bytesAtOnce) return
      start()
      while (reading.size >= concurrentReads) await Promise.race(reading)
    },
    async finish() {
      if (next.length > 0) start()
      await Promise.all(reading)
    },
    async settled() {
      await Promise.allSettled(reading)
    },
  }
}
