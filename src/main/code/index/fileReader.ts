import { absoluteIn, type WorkspaceRoots } from '../../base/workspaceRoots.ts'
import { hash } from 'node:crypto'
import { statSync } from 'node:fs'
import { ToolError } from '../../../shared/errors.ts'
import { readLimitedInPlaceSync } from '../../base/heldFolder.ts'
import { decodeText } from '../../base/textFormat.ts'
import { unverifiedTime } from './indexCopy.ts'
import { maxFileSize } from './indexLimits.ts'
import { toContentRows, type ContentRows } from './contentRows.ts'
import type { FileRow } from './indexStore.ts'
import { hasSymbols, languageOf } from './languages.ts'
import type { PassageSymbol } from './splitPassages.ts'
import { tooLargeMessage, type RunGuard, type SymbolReader } from './symbolReader.ts'
import { toWordRows, type WordRows } from './wordRows.ts'

/** Text that replaces a file's content on disk. */
export interface FileText {
  /** Relative to the workspace. */
  path: string
  text: string
}

/** What the index knows about a file. */
export type KnownFile = Pick<FileRow, 'size' | 'mtime' | 'hash' | 'language' | 'words'>

/** How reading a file changes the index. */
export type FileReading = { path: string } & (
  | { change: 'none' | 'removed' }
  /** The text is unchanged. */
  | { change: 'stat'; size: number; mtime: number }
  /** `content` is null if the text was not read; `words` is null if they were not read or will be read later. */
  | { change: 'content'; row: Omit<FileRow, 'id'>; content: ContentRows | null; words: WordRows | null }
  /** Words for the text with this hash, whose symbols are already indexed. */
  | { change: 'words'; hash: string; words: WordRows }
)

/** Reads files into rows. Stores nothing, so it can also run in other threads. */
export interface FileReader {
  /** Reads a file from disk. An unreadable file counts as removed, because its symbols are out of date. */
  readFile(path: string, known: KnownFile | undefined, options?: ReadOptions): Promise<FileReading>
  /**
   * Reads only the words of a file on disk, or everything if it has changed.
   * @param definitions of the known text
   */
  readWords(path: string, known: KnownFile, definitions: readonly PassageSymbol[]): Promise<FileReading>
  readText(text: FileText, size: number, mtime: number, known?: KnownFile, options?: ReadOptions): Promise<FileReading>
}

export interface ReadOptions {
  texts?: TextRules
  words?: WordReading
}

/**
 * When words are read: `now`, even for unchanged text that lacks them; `withText` (default) if the text is read
 * anyway; `later` by `readWords`.
 */
export type WordReading = 'now' | 'withText' | 'later'

/** Rules for reading one text, identified by its SHA-1. */
export interface TextRules {
  /** Wraps each synchronous step. */
  guard(digest: string): RunGuard
  /** Reason not to read a text; undefined to read it. */
  skipReason(digest: string): string | undefined
}

const noRules: TextRules = { guard: () => (read) => read(), skipReason: () => undefined }

export function createFileReader(workspace: WorkspaceRoots, reader: SymbolReader): FileReader {
  async function readText(
    { path: place, text }: FileText,
    size: number,
    mtime: number,
    known?: KnownFile,
    { texts: { guard, skipReason } = noRules, words: when = 'withText' }: ReadOptions = {},
  ): Promise<FileReading> {
    const language = languageOf(place)
    const digest = hash('sha1', text)
    if (known?.hash === digest && known.language === (language?.id ?? '') && (known.words === 1 || when === 'later'))
      return { path: place, change: 'stat', size, mtime }
    const row = {
      path: place,
      language: language?.id ?? '',
      size,
      mtime,
      hash: digest,
      words: when === 'later' ? 0 : 1,
    }
    const reason = skipReason(digest)
    if (reason !== undefined)
      return {
        path: place,
        change: 'content',
        row: { ...row, problem: `Not indexed: ${reason}.`, words: 1 },
        content: null,
        words: null,
      }
    const guardText = guard(digest)
    const { found, problem } = await reader.read(language, text, guardText)
    const content = guardText(() => toContentRows(found))
    const words = when === 'later' ? null : guardText(() => toWordRows(place, text, found.symbols))
    return { path: place, change: 'content', row: { ...row, problem }, content, words }
  }

  async function readFile(
    place: string,
    known: KnownFile | undefined,
    options: ReadOptions = {},
  ): Promise<FileReading> {
    const lacksWords = options.words === 'now' && known?.words === 0
    const content = readIfChanged(absoluteIn(workspace, place), lacksWords ? undefined : known)
    if (content === 'unchanged') return { path: place, change: 'none' }
    if (content === 'gone') return { path: place, change: 'removed' }
    const { size, mtime, text } = content
    if (text !== null) return readText({ path: place, text }, size, mtime, known, options)
    const language = languageOf(place)
    const problem = size > maxFileSize && hasSymbols(language) ? tooLargeMessage : ''
    const row = { path: place, language: language?.id ?? '', size, mtime, hash: '', problem, words: 1 }
    return { path: place, change: 'content', row, content: null, words: null }
  }

  return {
    readText,
    readFile,
    async readWords(place, known, definitions) {
      const content = readIfChanged(absoluteIn(workspace, place), undefined)
      const text = typeof content === 'object' ? content.text : null
      if (text === null || hash('sha1', text) !== known.hash) return readFile(place, undefined)
      return { path: place, change: 'words', hash: known.hash, words: toWordRows(place, text, definitions) }
    },
  }
}

interface FileContent {
  size: number
  mtime: number
  /** Normalized; null if the file is too large or binary. */
  text: string | null
}

/** Returns the content on disk if it differs from the index. Synchronous, because it runs in the index process. */
function readIfChanged(absolute: string, known: KnownFile | undefined): FileContent | 'unchanged' | 'gone' {
  try {
    if (known && known.mtime !== unverifiedTime) {
      const found = statSync(absolute, { throwIfNoEntry: false })
      if (!found?.isFile()) return 'gone'
      if (known.size === found.size && known.mtime === found.mtimeMs) return 'unchanged'
    }
    const { stats, content } = readLimitedInPlaceSync(absolute, maxFileSize)
    return { size: stats.size, mtime: stats.mtimeMs, text: content && textOf(content) }
  } catch (error) {
    if (error instanceof Error && 'code' in error) return 'gone'
    throw error
  }
}

/** Decodes a text as `Documents` does; null for binary content. */
function textOf(content: Buffer): string | null {
  try {
    return decodeText(content, '').text
  } catch (error) {
    if (error instanceof ToolError) return null
    throw error
  }
}
