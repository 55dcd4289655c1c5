import { hash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { readTextInPlace } from '../../base/heldFolder.ts'
import { maxFileSize } from '../process/indexLimits.ts'
import type { Progress } from '../process/indexProgress.ts'
import type { IndexStore } from './indexStore.ts'
import { hasSymbols, languageOf } from './languages.ts'
import { splitIntoPassages } from './splitPassages.ts'
import { emptyExtraction, tooLargeMessage, type RunGuard, type SymbolReader } from './symbolReader.ts'

/** A text that replaces the file's content on disk. */
export interface FileText {
  /** Relative to the workspace. */
  path: string
  text: string
}

/** Reads single files into the index. Paths are relative to the workspace. */
export interface FileIndexer {
  /** Indexes a file as it is on disk, unless its unsaved text is indexed. Removes it if it cannot be read. */
  refresh(path: string): Promise<void>
  /** Indexes unsaved texts instead of the files on disk. */
  setTexts(texts: readonly FileText[]): Promise<void>
  /** Like `setTexts` for the unsaved texts of all tabs. Other files are read from disk again. */
  setBuffers(texts: readonly FileText[]): Promise<void>
  /** Whether the unsaved text of a file is indexed. */
  isUnsaved(path: string): boolean
}

export interface FileIndexerDeps {
  store: IndexStore
  reader: SymbolReader
  /** Absolute path of the workspace. */
  root: string
  /** Wraps each synchronous step of reading a text. */
  guard: TextGuard
}

/** Returns a guard for reading one text, which is identified by its path and SHA-1. */
export type TextGuard = (path: string, digest: string) => RunGuard

/** Records which text is being read, so that a crash can be attributed to it. */
export function createTextGuard(progress: Pick<Progress, 'file'> | undefined): TextGuard {
  return (place, digest) => (read) => (progress ? progress.file(place, digest, read) : read())
}

/** Number of characters checked for NUL, which marks a file as binary. */
const binaryCheckLength = 8000

export function createFileIndexer({ store, reader, root, guard }: FileIndexerDeps): FileIndexer {
  const unsavedPaths = new Set<string>()

  async function indexText({ path: place, text }: FileText, size: number, mtime: number): Promise<void> {
    const language = languageOf(place)
    const digest = hash('sha1', text)
    const indexed = store.file(place)
    if (indexed?.hash === digest && indexed.language === (language?.id ?? ''))
      return store.updateFileStat(indexed.id, size, mtime)
    const row = { path: place, language: language?.id ?? '', size, mtime, hash: digest }
    const skipped = store.skipped(place)
    // While a file is edited, each version could crash the process again.
    if (skipped && (unsavedPaths.has(place) || skipped.hash === digest)) {
      const problem = `Not indexed: ${skipped.reason}.`
      return store.transaction(() => store.replace({ ...row, problem }, emptyExtraction, []))
    }
    const guardText = guard(place, digest)
    const { found, problem } = await reader.read(language, text, guardText)
    const passages = guardText(() => splitIntoPassages(text, found.symbols))
    store.transaction(() => {
      store.replace({ ...row, problem }, found, passages)
      if (skipped) store.removeSkipped(place)
    })
  }

  async function refresh(place: string): Promise<void> {
    if (unsavedPaths.has(place)) return
    const indexed = store.file(place)
    const content = await readIfChanged(path.join(root, place), indexed)
    if (content === 'unchanged') return
    if (content === 'gone') {
      if (indexed) store.transaction(() => store.remove(indexed.id))
      return
    }
    const { size, mtime, text } = content
    if (text !== null) return indexText({ path: place, text: normalizeText(text) }, size, mtime)
    const language = languageOf(place)
    const problem = size > maxFileSize && hasSymbols(language) ? tooLargeMessage : ''
    const row = { path: place, language: language?.id ?? '', size, mtime, hash: '', problem }
    store.transaction(() => store.replace(row, emptyExtraction, []))
  }

  async function setTexts(texts: readonly FileText[]): Promise<void> {
    for (const text of texts) {
      unsavedPaths.add(text.path)
      await indexText(text, text.text.length, -1)
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
  }
}

interface FileContent {
  size: number
  mtime: number
  /** Null if the file is too large or binary. */
  text: string | null
}

/**
 * Returns the content on disk if it differs from the index. Unreadable files count as deleted, since their symbols are
 * out of date.
 */
async function readIfChanged(
  absolute: string,
  indexed: { size: number; mtime: number } | undefined,
): Promise<FileContent | 'unchanged' | 'gone'> {
  try {
    const found = await stat(absolute)
    if (!found.isFile()) return 'gone'
    if (indexed?.size === found.size && indexed.mtime === found.mtimeMs) return 'unchanged'
    const text = found.size <= maxFileSize ? await readTextInPlace(absolute) : null
    const isBinary = text?.slice(0, binaryCheckLength).includes('\0') ?? false
    return { size: found.size, mtime: found.mtimeMs, text: isBinary ? null : text }
  } catch (error) {
    if (error instanceof Error && 'code' in error) return 'gone'
    throw error
  }
}

/** Normalizes a text like `Documents`: no byte order mark, `\n` line endings. */
function normalizeText(text: string): string {
  return text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')
}
