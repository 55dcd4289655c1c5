import type { BatchWriter } from './batchWriter.ts'
import { chunksOf, type ListedFile } from './changedFiles.ts'
import type { FileIndexer } from './fileIndexer.ts'
import type { FileReader, FileReading, KnownFile } from './fileReader.ts'
import type { IndexStore } from './indexStore.ts'
import { toPassageSymbol, type StoredDefinition } from './storedSymbols.ts'

/** A file to read, and what the index knows about it. */
export interface FileToRead {
  path: string
  known: KnownFile | undefined
  /** The indexed definitions. If set, only the words are read. */
  definitions?: readonly StoredDefinition[]
}

export function readGivenFile(reader: FileReader, { path, known, definitions }: FileToRead): Promise<FileReading> {
  return known && definitions
    ? reader.readWords(path, known, definitions.map(toPassageSymbol))
    : reader.readFile(path, known, { words: 'later' })
}

/** What is read from the files. Words are read using the stored definitions. */
export type ReadingStage = 'symbols' | 'words'

/** Threads that read files into rows, one chunk of files at a time each. */
export interface ReaderPool {
  /** Number of threads. */
  readonly size: number
  /**
   * Reads files in the next free thread. Files that hang or crash the thread are missing from the result. After
   * `close`, resolves to nothing.
   */
  read(files: readonly FileToRead[]): Promise<FileReading[]>
  /** Ends the threads. */
  close(): void
}

export interface PoolTarget {
  stage: ReadingStage
  store: IndexStore
  files: FileIndexer
  writer: BatchWriter
  /** Whether the files are still needed. */
  isCurrent(): boolean
}

/** Reads files in a pool and stores them. Returns those that no thread could read. */
export async function readWithPool(
  pool: ReaderPool,
  changed: readonly ListedFile[],
  { stage, store, files, writer, isCurrent }: PoolTarget,
): Promise<ListedFile[]> {
  // A text that crashed an earlier process is only read under the watchdog.
  const unread = changed.filter((file) => store.skipped(file.path))
  const chunks = chunksOf(changed.filter((file) => !unread.includes(file)))

  function toRead({ path }: ListedFile): FileToRead {
    const known = store.file(path)
    return known && stage === 'words' ? { path, known, definitions: store.definitionsIn(known.id) } : { path, known }
  }

  /** Settles when the previous chunks are stored. Rows in file order leave no gaps in the tables. */
  let stored: Promise<void> = Promise.resolve()

  async function readChunks(): Promise<void> {
    for (let chunk = chunks.shift(); chunk && isCurrent(); chunk = chunks.shift()) {
      const before = stored
      const { promise, resolve } = Promise.withResolvers<void>()
      stored = promise
      try {
        const started = files.indexed
        const readings = await pool.read(chunk.map(toRead))
        const readPaths = new Set(readings.map((reading) => reading.path))
        unread.push(...chunk.filter((file) => !readPaths.has(file.path)))
        await before
        await writer.add(
          readings.map((reading) => ({ reading, started })),
          chunk.reduce((sum, file) => sum + file.bytes, 0),
        )
      } finally {
        resolve()
      }
    }
  }

  // Three times the number of threads, so that none waits for the next chunk or for one to be stored.
  await Promise.all(Array.from({ length: pool.size * 3 }, readChunks))
  await writer.flush()
  return unread
}
