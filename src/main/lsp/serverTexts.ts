import { toFailure } from '../../shared/errors.ts'
import { log } from '../base/log/log.ts'
import type { Buffers } from '../workspace/buffers.ts'
import type { LanguageServer } from './languageServer.ts'
import { LineText } from './lineText.ts'

interface ServerTextDeps {
  buffers: Pick<Buffers, 'list' | 'get' | 'onChanged'>
  /** Reads the text of a file, from its tab if that has unsaved changes. */
  readText(path: string, signal?: AbortSignal): Promise<string>
  isAllowed(): boolean
  serversFor(file: string): readonly LanguageServer[]
}

/** Maximum UTF-16 units of a text sent to servers. */
const maxTextLength = 4_000_000
/** Milliseconds for which a file without a tab stays open on its servers after a request about it. */
const temporaryTime = 60_000

/** Sends servers the current text of files in tabs, and of files that requests are about. */
export function createServerTexts({ buffers, readText, isAllowed, serversFor }: ServerTextDeps) {
  /** Number of the latest read of a clean file, which makes earlier ones outdated. */
  const reads = new Map<string, number>()
  const temporary = new Map<string, NodeJS.Timeout>()

  function give(file: string, text: string): void {
    if (text.length > maxTextLength) return
    for (const server of serversFor(file)) server.setText(file, text)
  }

  /** Reads a file whose tab has no unsaved changes, and sends it to its servers. */
  async function giveFromDisk(file: string): Promise<void> {
    const read = (reads.get(file) ?? 0) + 1
    reads.set(file, read)
    try {
      const text = await readText(file)
      if (reads.get(file) === read && isAllowed()) give(file, text)
    } catch (error) {
      // The file was deleted, or is not text. Its servers keep the last version.
      if (toFailure(error).code === 'internal') log.error('Reading a file for a language server failed', error)
    }
  }

  function tabChanged(file: string): void {
    if (!isAllowed() || serversFor(file).length === 0) return
    const state = buffers.get(file)
    reads.set(file, (reads.get(file) ?? 0) + 1)
    if (state === undefined) {
      if (!temporary.has(file)) for (const server of serversFor(file)) server.close(file)
      return
    }
    clearTimeout(temporary.get(file))
    temporary.delete(file)
    if (state.text === null) {
      for (const server of serversFor(file)) server.saved(file)
      void giveFromDisk(file)
    } else give(file, state.text)
  }
  const stopListening = buffers.onChanged(tabChanged)

  /** Opens a file without a tab on its servers for some time. */
  function giveTemporarily(file: string, text: string): void {
    if (!buffers.get(file)) {
      clearTimeout(temporary.get(file))
      const timer = setTimeout(() => {
        temporary.delete(file)
        if (!buffers.get(file)) for (const server of serversFor(file)) server.close(file)
      }, temporaryTime)
      timer.unref()
      temporary.set(file, timer)
    }
    give(file, text)
  }

  return {
    giveTemporarily,

    /** Sends the files of all tabs to their servers. */
    giveTabs(): void {
      for (const { path } of buffers.list()) tabChanged(path)
    },

    /** Sends a file to its servers, so that they can handle requests about it. */
    async ensureOpen(file: string, signal?: AbortSignal): Promise<void> {
      if (buffers.get(file) && serversFor(file).every((server) => server.documents.get(file))) return
      giveTemporarily(file, buffers.get(file)?.text ?? (await readText(file, signal)))
    },

    /** Returns the current text of a file; null if it cannot be read. */
    async linesOf(file: string): Promise<LineText | null> {
      for (const server of serversFor(file)) {
        const lines = server.documents.get(file)?.lines
        if (lines) return lines
      }
      try {
        return new LineText(buffers.get(file)?.text ?? (await readText(file)))
      } catch (error) {
        if (toFailure(error).code === 'internal') throw error
        return null
      }
    },

    /** Call this after files changed on disk. */
    filesChanged(files: readonly string[]): void {
      for (const file of files) if (buffers.get(file)?.dirty === false) void giveFromDisk(file)
    },

    stop(): void {
      stopListening()
      for (const timer of temporary.values()) clearTimeout(timer)
    },
  }
}
