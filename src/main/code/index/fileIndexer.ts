import { createCpuLimit } from './cpuTime.ts'
import type { Progress } from './indexProgress.ts'
import type { FileReader, FileReading, FileText, KnownFile, TextRules, WordReading } from './fileReader.ts'
import type { IndexStore } from './indexStore.ts'
import type { RunGuard } from './symbolReader.ts'

export type { FileText } from './fileReader.ts'

/** A request stores its results immediately, so it reads words right away. */
type WordsNow = Exclude<WordReading, 'later'>

/** Reads files into the index. Paths are relative to the workspace. */
export interface FileIndexer {
  /**
   * Indexes a file from disk, unless its unsaved text is indexed. Removes it if it cannot be read.
   * @param words whether missing words of an unchanged text are read too; default `withText`, which does not
   */
  refresh(path: string, words?: WordsNow): Promise<void>
  /** Indexes unsaved texts instead of the files on disk. */
  setTexts(texts: readonly FileText[]): Promise<void>
  /** Like `setTexts`, for the unsaved texts of all tabs. Files without one are read from disk again. */
  setBuffers(texts: readonly FileText[]): Promise<void>
  /** Whether the unsaved text of a file is indexed. */
  isUnsaved(path: string): boolean
  /** Reads a file and its words without storing them. */
  read(path: string): Promise<FileReading>
  /**
   * Stores results in one transaction. Skips files that a request has indexed in the meantime.
   * @param maxTime milliseconds of processor time after which the rest is left to another call
   * @returns the number of results stored or skipped
   */
  store(readings: readonly TimedReading[], maxTime?: number): number
  /** Number of files indexed by requests. */
  readonly indexed: number
}

/** A file that has been read and will be stored later. */
export interface TimedReading {
  reading: FileReading
  /** The value of `indexed` when reading started. A file indexed since then may be newer. */
  started: number
}

export interface FileIndexerDeps {
  store: IndexStore
  reader: FileReader
  /** Wraps each synchronous step of reading a text. */
  guard: TextGuard
}

/** Returns a guard for reading one text, identified by its path and SHA-1. */
export type TextGuard = (path: string, digest: string) => RunGuard

/** Records which text is being read, so that a crash can be attributed to it. */
export function createTextGuard(progress: Pick<Progress, 'file'> | undefined): TextGuard {
  return (place, digest) => (read) => (progress ? progress.file(place, digest, read) : read())
}

export function createFileIndexer({ store, reader, guard }: FileIndexerDeps): FileIndexer {
  const unsavedPaths = new Set<string>()
  /** The value of `indexed` after the last request that indexed each file. */
  const indexedAt = new Map<string, number>()
  let indexed = 0

  function rulesOf(place: string): TextRules {
    const skipped = store.skipped(place)
    return {
      guard: (digest) => guard(place, digest),
      // While a file is being edited, each version could crash the process again.
      skipReason: (digest) =>
        skipped && (unsavedPaths.has(place) || skipped.hash === digest) ? skipped.reason : undefined,
    }
  }

  function apply(reading: FileReading): void {
    const { path: place, change } = reading
    if (change === 'none') return
    const known = store.file(place)
    if (change === 'content') {
      store.replace(reading.row, reading.content, reading.words)
      if (reading.content && store.skipped(place)) store.removeSkipped(place)
    } else if (known && change === 'removed') store.remove(known.id)
    else if (known && change === 'stat') store.updateFileStat(known.id, reading.size, reading.mtime)
    else if (change === 'words' && known?.words === 0 && known.hash === reading.hash)
      store.addWords(known.id, reading.words)
  }

  function applyNow(reading: FileReading): void {
    if (reading.change === 'none') return
    indexedAt.set(reading.path, ++indexed)
    store.transaction(() => apply(reading))
  }

  const read = (place: string, words: WordsNow): Promise<FileReading> =>
    reader.readFile(place, store.file(place), { texts: rulesOf(place), words })

  const isCurrent = ({ reading: { path: place, change }, started }: TimedReading): boolean =>
    // Words belong to one version of the text, which is verified when they are stored.
    change === 'words' || (change !== 'none' && !unsavedPaths.has(place) && (indexedAt.get(place) ?? 0) <= started)

  async function refresh(place: string, words: WordsNow = 'withText'): Promise<void> {
    if (!unsavedPaths.has(place)) applyNow(await read(place, words))
  }

  async function setTexts(texts: readonly FileText[]): Promise<void> {
    for (const text of texts) {
      unsavedPaths.add(text.path)
      const known: KnownFile | undefined = store.file(text.path)
      applyNow(await reader.readText(text, text.text.length, -1, known, { texts: rulesOf(text.path) }))
    }
  }

  return {
    refresh,
    setTexts,
    async setBuffers(texts) {
      const open = new Set(texts.map((text) => text.path))
      const saved = [...unsavedPaths].filter((place) => !open.has(place))
      for (const place of saved) unsavedPaths.delete(place)
      for (const place of saved) await refresh(place)
      await setTexts(texts)
    },
    isUnsaved: (place) => unsavedPaths.has(place),
    read: (place) => read(place, 'now'),
    store(readings, maxTime = Infinity) {
      const isOver = createCpuLimit(maxTime)
      let handled = 0
      store.transaction(() => {
        for (const timed of readings) {
          if (isCurrent(timed)) apply(timed.reading)
          handled++
          if (isOver()) return
        }
      })
      return handled
    },
    get indexed() {
      return indexed
    },
  }
}
