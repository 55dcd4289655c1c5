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
import { createSymbolReader, emptyExtraction, tooLargeMessage, type RunGuard } from './symbolReader.ts'
import type { EdgeKind, FoundSymbol } from './symbolTypes.ts'
import { newParseErrors } from './syntaxErrors.ts'

/** How far the index is. */
export interface IndexStatus {
  state: 'building' | 'ready'
  /** Files looked at in this session, of all. */
  done: number
  total: number
  files: number
  symbols: number
}

/** A text to read in place of what stands on disk. */
export interface FileText {
  path: string
  text: string
}

/** A text before and after an edit; null before one that created it. */
export interface EditedText {
  path: string
  before: string | null
  after: string
}

/** A symbol by its id, or by a file and a name. */
export interface SymbolSelector {
  id?: string
  path?: string
  qualifiedName?: string
  name?: string
}

/**
 * The index's own side: one object in a process of its own, asked one request at a time. All paths are relative to the workspace. Every
 * request can be repeated: after a crash it is sent again to a new process.
 */
export interface IndexEngine {
  /** All files of the workspace; what is new or changed is read in the background, what is gone is forgotten. */
  setFiles(paths: string[]): void
  /** Reads these files again, at once. */
  refresh(paths: string[]): Promise<void>
  /** Reads those of these files again that are in the index: others may be ignored ones. */
  refreshKnown(paths: string[]): Promise<void>
  /** Reads these texts at once: unsaved ones, or those a tool has just read. */
  setTexts(texts: FileText[]): Promise<void>
  /** The unsaved texts of all open tabs; what was unsaved before and is not in the list is read from disk again. */
  setBuffers(texts: FileText[]): Promise<void>
  search(query: SymbolQuery): Promise<SymbolRow[]>
  searchText(query: { words: string[]; limit: number }): SymbolRow[]
  /** The place of a file that a description means. */
  matchDescription(query: FileText & { description: string }): DescriptionMatch
  /** The symbols of a text that stands nowhere yet; the index does not change. */
  symbolsIn(text: FileText): Promise<FoundSymbol[]>
  /** Blocks of text that answer a question, best first. */
  passages(query: PassageQuery): Promise<RankedPassage[]>
  select(selector: SymbolSelector): SymbolRow[]
  outline(path: string): { language: string | null; supported: boolean; problem: string; symbols: SymbolRow[] }
  /** The outline of a text that is being typed, without a look into the index. */
  draftOutline(
    text: FileText,
  ): Promise<{ language: string | null; supported: boolean; problem: string; symbols: SymbolRow[] }>
  graph(query: { id: string; kind: EdgeKind; limit: number }): { edges: Edge[]; total: number } | null
  /** What a place in a text means (navigation.ts); null where nothing is known of it. */
  definition(cursor: Cursor): DefinitionResult | null
  /** The places that refer to the same. */
  references(query: { cursor: Cursor; limit: number }): { places: SymbolLocation[]; total: number }
  /** Errors of the language in the new texts that the old ones did not have. */
  newSyntaxErrors(edits: EditedText[]): Promise<SyntaxProblem[]>
  /** The project in words (projectIndex.ts). `texts`: README and manifests. */
  projectOverview(query: { folder: string; texts: FileText[] }): string
  status(): IndexStatus
  close(): Promise<void>
}

/** The engine as its process holds it. */
export interface Engine extends IndexEngine {
  /** Closes and deletes the index file. */
  closeAndDelete(): void
}

export interface EngineOptions {
  root: string
  /** The index file. */
  database: string
  /** Folder of the tag queries. */
  grammars: string
  /** The index file grows to this size at most. Bytes. */
  maxBytes?: number
  /** A text that an earlier process did not survive. It is left out until the file changes. */
  crashedFile?: SkippedFile
  /** Notes what is read at the moment. */
  progress?: Pick<Progress, 'file'>
  /** Milliseconds before the first, second, … attempt to write to a disk that was full. */
  retryDelays?: readonly number[]
  /** Something the user should know, in words. */
  onNotice(message: string): void
  /** The index file turned out to be damaged while files were read in the background. */
  onDamaged?(error: IndexDamaged): void
}

const defaultRetryDelays = [1000, 5000, 30_000, 60_000]

/** JSON with comments and trailing commas, which its grammar takes for errors. */
const lenientJson = /\.(?:jsonc|json5|code-workspace)$|(?:^|\/)(?:ts|js)config[^/]*\.json$|(?:^|\/)\.vscode\//

/** A NUL among so many first characters means that a file is no text. */
const binaryProbe = 8000

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
  /** Unsaved texts that stand in the index in place of their files. */
  const unsavedPaths = new Set<string>()
  let queue: string[] = []
  let done = 0
  /** Before the first list of files nothing is known, so nothing is complete. */
  let listed = false
  let running: Promise<void> | undefined
  let closed = false
  const closing = new AbortController()

  function notifyOnce(message: string): void {
    if (sentNotices.has(message)) return
    sentNotices.add(message)
    onNotice(message)
  }

  /** `unsaved`: the text of an open tab. */
  async function read(place: string, text: string, size: number, mtime: number, unsaved = false): Promise<void> {
    const language = languageOf(place)
    const digest = hash('sha1', text)
    const before = store.file(place)
    if (before?.hash === digest && before.language === (language?.id ?? ''))
      return store.updateFileStat(before.id, size, mtime)
    const row = { path: place, language: language?.id ?? '', size, mtime, hash: digest }
    const skipped = store.skipped(place)
    // While a tab is typed in, each of its texts may end the process again.
    if (skipped && (unsaved || skipped.hash === digest)) {
      store.transaction(() =>
        store.replace({ ...row, problem: `It is left out of the index: ${skipped.reason}.` }, emptyExtraction, []),
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
          // The same file again, unless there is a new list by now.
          if (queue === list) done--
          await pause(retryDelays[Math.min(failures++, retryDelays.length - 1)] ?? 0)
        } else
          notifyOnce(
            `The code index could not read ${place}: ${error instanceof Error ? error.message : String(error)}`,
          )
      }
      // Requests come between two files.
      await nextTurn()
    }
    running = undefined
  }

  /** Ends early when the index is closed. */
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
      // A file that changed a moment ago may not have been told of yet.
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
    select({ id, path: place, qualifiedName, name }) {
      if (id !== undefined) {
        const exact = store.symbols('s.symbol_id = ?', id)
        const [file, rest] = splitOnce(id, '::')
        // Models write an id without its kind, or with the separators of the language.
        return exact.length > 0 || rest === undefined
          ? exact
          : this.select({ path: file, qualifiedName: rest.replace(/#[a-z_]+(?:~\d+)?$/, '') })
      }
      const wanted = qualifiedName ?? name ?? ''
      const at = (column: string, value: string) =>
        store.symbols(`f.path = ? AND s.${column} = ? ORDER BY s.line`, place ?? '', value)
      const exact = at(qualifiedName === undefined ? 'name' : 'qualified', wanted)
      const dotted = wanted.replaceAll(/::|[#/]/g, '.').replace(/^\.+|\(\)$/g, '')
      const found = exact.length > 0 || dotted === '' ? exact : at('qualified', dotted)
      // Who names something means it, and not the line that brings it in or hands it on.
      const defined = found.filter(({ kind }) => kind !== 'import' && kind !== 'export')
      return defined.length > 0 ? defined : found
    },
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

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + separator.length)]
}

interface FileContent {
  size: number
  mtime: number
  /** Null for one that is too large or no text. */
  text: string | null
}

/** What stands on disk, if it differs from what the index knows. What cannot be read is as good as gone: its symbols are not to be trusted. */
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

/** As `documents` gives texts: without a byte order mark, lines ended by `\n`. */
function normalizeText(text: string): string {
  return text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')
}
