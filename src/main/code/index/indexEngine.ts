import { hash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import { ToolError } from '../../../shared/errors.ts'
import type { SyntaxProblem } from '../../../shared/tool.ts'
import { centralSymbols } from '../describe/centralSymbols.ts'
import { matchDescription, type DescriptionMatch } from '../describe/matchDescription.ts'
import { createDraftOutlines } from './draftOutlines.ts'
import { toDraftRows } from './draftSymbolRows.ts'
import { edgesOf, type Edge } from '../resolve/callGraph.ts'
import { classifyError, IndexDamaged } from '../process/indexErrors.ts'
import { maxFileSize } from '../process/indexLimits.ts'
import { hasSymbols, languageOf } from './languages.ts'
import { createModuleFinder } from '../resolve/moduleFinder.ts'
import {
  definitionAt,
  referencesAt,
  type Cursor,
  type DefinitionResult,
  type SymbolLocation,
} from '../resolve/symbolNavigation.ts'
import { splitIntoPassages } from './splitPassages.ts'
import { searchPassages, type PassageQuery, type RankedPassage } from '../search/passageSearch.ts'
import { createProjectFiles } from './projectFiles.ts'
import { projectOverview } from '../describe/projectOverview.ts'
import type { Progress } from '../process/indexProgress.ts'
import { openIndexStore, type SkippedFile, type SymbolRow } from './indexStore.ts'
import { searchSymbols, type SymbolQuery } from '../search/symbolSearch.ts'
import { selectSymbols, type SymbolSelector } from './selectSymbols.ts'
import { createSymbolReader, emptyExtraction, tooLargeMessage, type RunGuard } from './symbolReader.ts'
import type { EdgeKind, FoundSymbol } from './symbolTypes.ts'
import { newParseErrors } from './syntaxErrors.ts'

/** Progress and size of the index. */
export interface IndexStatus {
  state: 'building' | 'ready'
  /** Files checked in this session, out of `total`. */
  done: number
  total: number
  files: number
  symbols: number
}

/** A text that replaces the file's content on disk. */
export interface FileText {
  path: string
  text: string
}

/** A text before and after an edit; `before` is null if the edit created the file. */
export interface EditedText {
  path: string
  before: string | null
  after: string
}

/**
 * The index inside its process. Handles one request at a time. All paths are relative to the workspace. Requests must
 * be repeatable: after a crash they are sent again to a new process.
 */
export interface IndexEngine {
  /** Sets all files of the workspace. Indexes new and changed files in the background and removes deleted ones. */
  setFiles(paths: string[]): void
  /** Indexes these files immediately. */
  refresh(paths: string[]): Promise<void>
  /** Indexes those of these files that are already in the index; others may be ignored files. */
  refreshKnown(paths: string[]): Promise<void>
  /** Indexes these texts immediately: unsaved texts, or texts a tool has just read. */
  setTexts(texts: FileText[]): Promise<void>
  /** Sets the unsaved texts of all open tabs. Files that no longer have one are read from disk again. */
  setBuffers(texts: FileText[]): Promise<void>
  search(query: SymbolQuery): Promise<SymbolRow[]>
  searchText(query: { words: string[]; limit: number }): SymbolRow[]
  /** Finds the passage of a file that a description refers to. */
  matchDescription(query: FileText & { description: string }): DescriptionMatch
  /** Returns the symbols of a text without changing the index. */
  symbolsIn(text: FileText): Promise<FoundSymbol[]>
  /** Finds passages that answer a question, best first. */
  passages(query: PassageQuery): Promise<RankedPassage[]>
  select(selector: SymbolSelector): SymbolRow[]
  outline(path: string): { language: string | null; supported: boolean; problem: string; symbols: SymbolRow[] }
  /** Returns the outline of a text that is being edited, independent of the index. */
  draftOutline(
    text: FileText,
  ): Promise<{ language: string | null; supported: boolean; problem: string; symbols: SymbolRow[] }>
  graph(query: { id: string; kind: EdgeKind; limit: number }): { edges: Edge[]; total: number } | null
  /** Returns the definition at a position (symbolNavigation.ts); null if nothing is known about it. */
  definition(cursor: Cursor): DefinitionResult | null
  /** Returns the references to the symbol at a position. */
  references(query: { cursor: Cursor; limit: number }): { places: SymbolLocation[]; total: number }
  /** Returns syntax errors that the new texts have and the old ones do not. */
  newSyntaxErrors(edits: EditedText[]): Promise<SyntaxProblem[]>
  /** Describes the project (projectOverview.ts). `texts`: README and manifests. */
  projectOverview(query: { folder: string; texts: FileText[] }): string
  status(): IndexStatus
  close(): Promise<void>
}

/** The engine with methods that only its own process uses. */
export interface Engine extends IndexEngine {
  /** Closes and deletes the database file. */
  closeAndDelete(): void
}

export interface EngineOptions {
  root: string
  /** Path of the database file. */
  database: string
  /** Folder of the tag queries. */
  grammars: string
  /** Maximum size of the database file in bytes. */
  maxBytes?: number
  /** A text that crashed an earlier process. It is skipped until the file changes. */
  crashedFile?: SkippedFile
  /** Records which text is being read. */
  progress?: Pick<Progress, 'file'>
  /** Milliseconds before each attempt to write to a full disk. */
  retryDelays?: readonly number[]
  /** Receives messages for the user. */
  onNotice(message: string): void
  /** Called if the database turns out to be damaged during background indexing. */
  onDamaged?(error: IndexDamaged): void
}

const defaultRetryDelays = [1000, 5000, 30_000, 60_000]

/** JSON with comments and trailing commas, which the grammar reports as errors. */
const lenientJson = /\.(?:jsonc|json5|code-workspace)$|(?:^|\/)(?:ts|js)config[^/]*\.json$|(?:^|\/)\.vscode\//

/** Number of characters checked for NUL, which marks a file as binary. */
const binaryProbe = 8000

// Longer than 100 lines, because its methods share the queue, the store and the unsaved paths.
export function createEngine(options: EngineOptions): Engine {
  const {
    root,
    database,
    grammars: grammarFolder,
    maxBytes,
    crashedFile,
    progress,
    retryDelays = defaultRetryDelays,
    onNotice,
    onDamaged,
  } = options
  const store = openIndexStore(database, { maxBytes })
  if (store.rebuildReason !== '') onNotice(store.rebuildReason)
  if (crashedFile) store.addSkipped(crashedFile)
  const reader = createSymbolReader({ grammars: grammarFolder, onNotice: notifyOnce })
  const drafts = createDraftOutlines(reader)
  const projectFiles = createProjectFiles(store, root)
  const findModule = createModuleFinder(projectFiles)
  const central = projectFiles.cached(() => centralSymbols(store, findModule))
  const sentNotices = new Set<string>()
  /** Files whose unsaved text is indexed instead of the text on disk. */
  const unsavedPaths = new Set<string>()
  let queue: string[] = []
  let done = 0
  /** False until the first list of files arrives; until then the index counts as incomplete. */
  let listed = false
  let running: Promise<void> | undefined
  let closed = false
  const closing = new AbortController()

  function notifyOnce(message: string): void {
    if (sentNotices.has(message)) return
    sentNotices.add(message)
    onNotice(message)
  }

  /** @param unsaved the text is the unsaved text of an open tab */
  async function read(place: string, text: string, size: number, mtime: number, unsaved = false): Promise<void> {
    const language = languageOf(place)
    const digest = hash('sha1', text)
    const before = store.file(place)
    if (before?.hash === digest && before.language === (language?.id ?? ''))
      return store.updateFileStat(before.id, size, mtime)
    const row = { path: place, language: language?.id ?? '', size, mtime, hash: digest }
    const skipped = store.skipped(place)
    // While a file is edited, each version could crash the process again.
    if (skipped && (unsaved || skipped.hash === digest)) {
      store.transaction(() =>
        store.replace({ ...row, problem: `Not indexed: ${skipped.reason}.` }, emptyExtraction, []),
      )
      return
    }
    const around = progressGuard(place, digest)
    const { found, problem } = await reader.read(language, text, around)
    const passages = around(() => splitIntoPassages(text, found.symbols))
    store.transaction(() => {
      store.replace({ ...row, problem }, found, passages)
      if (skipped) store.removeSkipped(place)
    })
  }

  function progressGuard(place: string, digest: string): RunGuard {
    return (run) => (progress ? progress.file(place, digest, run) : run())
  }

  async function readFromDisk(place: string): Promise<void> {
    const before = store.file(place)
    const found = await readIfChanged(path.join(root, place), before)
    if (found === 'unchanged') return
    if (found !== 'gone' && found.text !== null) return read(place, normalizeText(found.text), found.size, found.mtime)
    if (found === 'gone') {
      if (before) store.transaction(() => store.remove(before.id))
      return
    }
    const problem = found.size > maxFileSize && hasSymbols(languageOf(place)) ? tooLargeMessage : ''
    store.transaction(() =>
      store.replace(
        { path: place, language: languageOf(place)?.id ?? '', size: found.size, mtime: found.mtime, hash: '', problem },
        emptyExtraction,
        [],
      ),
    )
  }

  async function indexQueuedFiles(): Promise<void> {
    let failures = 0
    while (done < queue.length && !closed) {
      const list = queue
      const place = list[done++]
      try {
        if (place !== undefined && !unsavedPaths.has(place)) await readFromDisk(place)
        failures = 0
      } catch (error) {
        const known = classifyError(error)
        if (known instanceof IndexDamaged) throw known
        if (known instanceof ToolError && known.code === 'no_space') {
          notifyOnce(`${known.message} ${known.next}`)
          // Retries the same file, unless a new list has replaced the queue.
          if (queue === list) done--
          await pause(retryDelays[Math.min(failures++, retryDelays.length - 1)] ?? 0)
        } else
          notifyOnce(
            `The code index could not read ${place}: ${error instanceof Error ? error.message : String(error)}`,
          )
      }
      // Lets requests run between two files.
      await nextTurn()
    }
    running = undefined
  }

  /** Returns early if the index is closed. */
  async function pause(milliseconds: number): Promise<void> {
    try {
      await delay(milliseconds, undefined, { signal: closing.signal })
    } catch (error) {
      if (!closing.signal.aborted) throw error
    }
  }

  async function refresh(paths: readonly string[]): Promise<void> {
    for (const place of paths) if (!unsavedPaths.has(place)) await readFromDisk(place)
  }

  return {
    setFiles(paths) {
      const all = new Set(paths)
      const gone = store.files().filter((file) => !all.has(file.path) && !unsavedPaths.has(file.path))
      if (gone.length > 0) store.transaction(() => gone.forEach(({ id }) => store.remove(id)))
      queue = paths
      done = 0
      listed = true
      running ??= indexQueuedFiles().catch((error: unknown) => {
        running = undefined
        if (error instanceof IndexDamaged && onDamaged) return onDamaged(error)
        notifyOnce(`The code index stopped reading: ${error instanceof Error ? error.message : String(error)}`)
      })
    },
    refresh,
    refreshKnown: (paths) => refresh(paths.filter((place) => store.file(place) !== undefined)),
    async setTexts(texts) {
      for (const { path: place, text } of texts) {
        unsavedPaths.add(place)
        await read(place, text, text.length, -1, true)
      }
    },
    async setBuffers(texts) {
      const open = new Set(texts.map((text) => text.path))
      const saved = [...unsavedPaths].filter((place) => !open.has(place))
      for (const place of saved) unsavedPaths.delete(place)
      await refresh(saved)
      await this.setTexts(texts)
    },
    async search(query) {
      const found = searchSymbols(store, query)
      // A recent change may not have been reported yet.
      const before = store.changes
      await refresh([...new Set(found.map((row) => row.path))])
      return store.changes === before ? found : searchSymbols(store, query)
    },
    async passages(query) {
      const found = searchPassages(store.passages, query)
      const before = store.changes
      await refresh([...new Set(found.map((row) => row.path))])
      return store.changes === before ? found : searchPassages(store.passages, query)
    },
    searchText: ({ words, limit }) => store.searchText(words, limit),
    matchDescription({ path: place, text, description }) {
      return matchDescription(text, this.outline(place).symbols, description)
    },
    async symbolsIn({ path: place, text }) {
      return (await reader.read(languageOf(place), text)).found.symbols
    },
    select: (selector) => selectSymbols(store, selector),
    outline(place) {
      const file = store.file(place)
      const language = languageOf(place)
      return {
        language: language?.title ?? null,
        supported: hasSymbols(language),
        problem: file?.problem ?? '',
        symbols: file ? store.symbols('s.file = ? ORDER BY s.line, s.column, s.end_line DESC, s.id', file.id) : [],
      }
    },
    async draftOutline({ path: place, text }) {
      const language = languageOf(place)
      const { found, problem } = await drafts.read(language, place, text, progressGuard(place, hash('sha1', text)))
      return {
        language: language?.title ?? null,
        supported: hasSymbols(language),
        problem,
        symbols: toDraftRows(place, language?.id ?? '', found.symbols),
      }
    },
    graph({ id, kind, limit }) {
      const [symbol] = store.symbols('s.symbol_id = ?', id)
      return symbol ? edgesOf(store, findModule, symbol, kind, limit) : null
    },
    definition: (cursor) => definitionAt(store, findModule, cursor),
    references: ({ cursor, limit }) => referencesAt(store, findModule, cursor, limit),
    async newSyntaxErrors(edits) {
      const found = await Promise.all(
        edits.map(async ({ path: place, before, after }) => {
          const language = lenientJson.test(place) || store.skipped(place) ? undefined : languageOf(place)
          const faultsIn = async (text: string) =>
            language ? reader.parseErrors(language, text, progressGuard(place, hash('sha1', text))) : []
          const faults = await faultsIn(after)
          const old = before !== null && faults.length > 0 ? await faultsIn(before) : []
          return newParseErrors(old, faults).map(({ line, message }) => ({ path: place, line, message }))
        }),
      )
      return found.flat()
    },
    projectOverview: ({ folder, texts }) =>
      projectOverview(store, central(), queue, folder, new Map(texts.map((text) => [text.path, text.text]))),
    status: () => ({ state: running || !listed ? 'building' : 'ready', done, total: queue.length, ...store.counts() }),
    async close() {
      closed = true
      closing.abort()
      queue = []
      await running
      drafts.close()
      store.close()
    },
    closeAndDelete() {
      closed = true
      closing.abort()
      store.closeAndDelete()
    },
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
  known: { size: number; mtime: number } | undefined,
): Promise<FileContent | 'unchanged' | 'gone'> {
  try {
    const found = await stat(absolute)
    if (!found.isFile()) return 'gone'
    if (known?.size === found.size && known.mtime === found.mtimeMs) return 'unchanged'
    const text = found.size <= maxFileSize ? await readFile(absolute, 'utf8') : null
    return { size: found.size, mtime: found.mtimeMs, text: text?.slice(0, binaryProbe).includes('\0') ? null : text }
  } catch (error) {
    if (error instanceof Error && 'code' in error) return 'gone'
    throw error
  }
}

/** Normalizes a text like `Documents`: no byte order mark, `\n` line endings. */
function normalizeText(text: string): string {
  return text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')
}
