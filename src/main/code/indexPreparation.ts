import { stat } from 'node:fs/promises'
import type { Search } from '../search/search.ts'
import { maxFileSize, truncateForIndex } from './index/indexLimits.ts'
import { cursorAt } from './resolve/cursorContext.ts'
import type { Cursor } from './resolve/symbolNavigation.ts'
import type { CodeIndexOptions, TextPosition } from './codeIndexOptions.ts'
import type { IndexConnection } from './indexConnection.ts'
import type { ReadingStage } from './index/readerPool.ts'

/** Maximum number of files read for a query while the index is incomplete. */
const maxDirectReads = 40

/** Indexes the current texts that a query needs, before it is sent. */
export interface IndexPreparation {
  /** Indexes unsaved texts. */
  prepareBuffers(signal: AbortSignal): Promise<void>
  /** Indexes unsaved texts and, while the index is incomplete, files that contain a name. */
  prepareName(name: string | undefined, signal: AbortSignal): Promise<void>
  /** Indexes unsaved texts and, while the index is incomplete, the files that contain most of the given words. */
  prepareWords(words: readonly string[], signal: AbortSignal): Promise<void>
  /** Indexes the current text of one file. Throws like `Documents.read`. */
  prepareFile(path: string, signal: AbortSignal): Promise<{ path: string; text: string; unsaved: boolean }>
  /** Indexes the file at a position, and files that contain the word there if the index is incomplete. */
  prepareCursor(place: TextPosition, signal: AbortSignal): Promise<Cursor>
  /**
   * Returns the path of a file that exceeds the size limit and has no unsaved text, so that it need not be read;
   * otherwise null.
   */
  oversizedPath(path: string, signal: AbortSignal): Promise<string | null>
}

export function createIndexPreparation(options: CodeIndexOptions, connection: IndexConnection): IndexPreparation {
  const { workspace, documents, search } = options

  async function prepareBuffers(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    await connection.sendBuffers()
  }

  async function prepareName(name: string | undefined, signal: AbortSignal): Promise<void> {
    if (name === undefined || !/^[\w$]{2,}$/.test(name)) return prepareBuffers(signal)
    await prepareFound(
      'symbols',
      async (searching) => {
        const query = { pattern: name, fixed: true, maxResults: 500, maxText: 1 }
        const { matches } = await search.text(query, { signal: searching })
        return [...new Set(matches.map((match) => match.path))].slice(0, maxDirectReads)
      },
      signal,
    )
  }

  /**
   * Indexes unsaved texts and, while the index is incomplete, the files that `find` returns. Runs while the index
   * process starts or is busy.
   */
  async function prepareFound(
    part: ReadingStage,
    find: (signal: AbortSignal) => Promise<string[]>,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted()
    const unneeded = new AbortController()
    const found = connection.knownComplete(part) ? undefined : find(AbortSignal.any([signal, unneeded.signal]))
    // Nothing awaits the files if the index turns out to be complete.
    found?.catch(() => undefined)
    try {
      await prepareBuffers(signal)
      if (await connection.isComplete(part)) return
      await connection
        .clientWithFiles()
        .call(part === 'words' ? 'refreshWords' : 'refresh', [await (found ?? find(signal))])
    } finally {
      unneeded.abort()
    }
  }

  async function prepareFile(
    path: string,
    signal: AbortSignal,
  ): Promise<{ path: string; text: string; unsaved: boolean }> {
    await prepareBuffers(signal)
    const document = await documents.read(path, signal)
    const client = connection.clientWithFiles()
    if (document.unsaved)
      await client.call('setTexts', [[{ path: document.path, text: truncateForIndex(document.text) }]])
    else await client.call('refresh', [[document.path]])
    return document
  }

  return {
    prepareBuffers,
    prepareName,
    prepareFile,
    async prepareWords(words, signal) {
      await prepareFound('words', (searching) => filesMentioning(search, words, maxDirectReads, searching), signal)
      signal.throwIfAborted()
    },
    async prepareCursor({ path, line, column }, signal) {
      const document = await prepareFile(path, signal)
      const cursor = cursorAt(document.path, document.text, line, column)
      await prepareName(cursor.word?.text, signal)
      return cursor
    },
    async oversizedPath(path, signal) {
      const { type, absolute, relative } = await workspace.resolve(path, { missing: 'allow' })
      signal.throwIfAborted()
      if (type !== 'file' || options.dirtyBuffers().some((buffer) => buffer.path === relative)) return null
      const size = await stat(absolute).then(
        (found) => found.size,
        // The caller reads the file and reports the error.
        () => 0,
      )
      return size > maxFileSize ? relative : null
    },
  }
}

/** Maximum number of words searched for. The longest words are usually the rarest. */
const maxWords = 6
/** Maximum number of matching lines per word. Beyond it, some files are missed. */
const maxMatches = 500

/**
 * Returns the files that contain any of the words, those with the most words first. Searches with ripgrep, for an
 * incomplete index.
 * @param maxFiles maximum number of files returned
 */
async function filesMentioning(
  search: Search,
  words: readonly string[],
  maxFiles: number,
  signal: AbortSignal,
): Promise<string[]> {
  const searchedWords = words.toSorted((a, b) => b.length - a.length).slice(0, maxWords)
  const found = await Promise.all(
    searchedWords.map((pattern) =>
      search.text({ pattern, fixed: true, caseSensitive: false, maxResults: maxMatches, maxText: 1 }, { signal }),
    ),
  )
  const counts = new Map<string, number>()
  for (const { matches } of found) {
    for (const path of new Set(matches.map((match) => match.path))) counts.set(path, (counts.get(path) ?? 0) + 1)
  }
  return [...counts]
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, maxFiles)
    .map(([path]) => path)
}
