import { hash } from 'node:crypto'
import { statSync } from 'node:fs'
import path from 'node:path'
import { readTextInPlaceSync } from '../../base/heldFolder.ts'
import { maxFileSize } from '../process/indexLimits.ts'
import { toContentRows, type ContentRows } from './contentRows.ts'
import type { FileRow } from './indexStore.ts'
import { hasSymbols, languageOf } from './languages.ts'
import { splitIntoPassages } from './splitPassages.ts'
import { tooLargeMessage, type RunGuard, type SymbolReader } from './symbolReader.ts'

/** A text that replaces the file's content on disk. */
export interface FileText {
  /** Relative to the workspace. */
  path: string
  text: string
}

/** What the index has of a file. */
export type KnownFile = Pick<FileRow, 'size' | 'mtime' | 'hash' | 'language'>

/** What reading a file changes in the index. */
export type FileReading = { path: string } & (
  | { change: 'none' | 'removed' }
  /** The same text. */
  | { change: 'stat'; size: number; mtime: number }
  /** `content` is null if the text was not read. */
  | { change: 'content'; row: Omit<FileRow, 'id'>; content: ContentRows | null }
)

/** Reads files into rows. Stores nothing, so it also runs in other threads. */
export interface FileReader {
  /** Reads a file as it is on disk. An unreadable file counts as removed, since its symbols are out of date. */
  readFile(path: string, known: KnownFile | undefined, texts?: TextRules): Promise<FileReading>
  readText(text: FileText, size: number, mtime: number, known?: KnownFile, texts?: TextRules): Promise<FileReading>
}

/** Rules for reading one text, which is identified by its SHA-1. */
export interface TextRules {
  /** Wraps each synchronous step. */
  guard(digest: string): RunGuard
  /** Why a text is not read; undefined if it is. */
  skipReason(digest: string): string | undefined
}

const noRules: TextRules = { guard: () => (read) => read(), skipReason: () => undefined }

/** Number of characters checked for NUL, which marks a file as binary. */
const binaryCheckLength = 8000

/** @param root absolute path of the workspace */
export function createFileReader(root: string, reader: SymbolReader): FileReader {
  async function readText(
    { path: place, text }: FileText,
    size: number,
    mtime: number,
    known?: KnownFile,
    { guard, skipReason }: TextRules = noRules,
  ): Promise<FileReading> {
    const language = languageOf(place)
    const digest = hash('sha1', text)
    if (known?.hash === digest && known.language === (language?.id ?? ''))
      return { path: place, change: 'stat', size, mtime }
    const row = { path: place, language: language?.id ?? '', size, mtime, hash: digest }
    const reason = skipReason(digest)
    if (reason !== undefined)
      return { path: place, change: 'content', row: { ...row, problem: `Not indexed: ${reason}.` }, content: null }
    const guardText = guard(digest)
    const { found, problem } = await reader.read(language, text, guardText)
    const content = guardText(() => toContentRows(place, found, splitIntoPassages(text, found.symbols)))
    return { path: place, change: 'content', row: { ...row, problem }, content }
  }

  return {
    readText,
    async readFile(place, known, texts) {
      const content = readIfChanged(path.join(root, place), known)
      if (content === 'unchanged') return { path: place, change: 'none' }
      if (content === 'gone') return { path: place, change: 'removed' }
      const { size, mtime, text } = content
      if (text !== null) return readText({ path: place, text: normalizeText(text) }, size, mtime, known, texts)
      const language = languageOf(place)
      const problem = size > maxFileSize && hasSymbols(language) ? tooLargeMessage : ''
      const row = { path: place, language: language?.id ?? '', size, mtime, hash: '', problem }
      return { path: place, change: 'content', row, content: null }
    },
  }
}

interface FileContent {
  size: number
  mtime: number
  /** Null if the file is too large or binary. */
  text: string | null
}

/** Returns the content on disk if it differs from the index. Synchronous, since it runs in the index process. */
function readIfChanged(absolute: string, known: KnownFile | undefined): FileContent | 'unchanged' | 'gone' {
  try {
    const found = statSync(absolute, { throwIfNoEntry: false })
    if (!found?.isFile()) return 'gone'
    if (known?.size === found.size && known.mtime === found.mtimeMs) return 'unchanged'
    const text = found.size <= maxFileSize ? readTextInPlaceSync(absolute) : null
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
