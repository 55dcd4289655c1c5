import type { WorkspaceRoots } from '../../base/workspaceRoots.ts'
import { hash } from 'node:crypto'
import { Sequencer } from '../../../shared/async/sequencer.ts'
import type { SyntaxProblem } from '../../../shared/tools/tool.ts'
import {
  createBackgroundIndexing,
  type BackgroundIndexing,
  type IndexingProgress,
} from '../index/backgroundIndexing.ts'
import { centralSymbols } from '../describe/centralSymbols.ts'
import { matchDescription, type DescriptionMatch } from '../describe/matchDescription.ts'
import { createDraftOutlines, type DraftOutlines } from '../index/draftOutlines.ts'
import { toDraftRows, type IndexStore, type SkippedFile } from '../index/indexStore.ts'
import { createFileIndexer, createTextGuard, type FileText, type TextGuard } from '../index/fileIndexer.ts'
import { createFileReader } from '../index/fileReader.ts'
import type { ReaderPool } from '../index/readerPool.ts'
import type { RequestActivity } from '../index/requestActivity.ts'
import { edgesOf, type Edge } from '../resolve/callGraph.ts'
import type { IndexDamaged } from '../index/indexErrors.ts'
import { hasSymbols, languageOf } from '../index/languages.ts'
import { createModuleFinder } from '../resolve/moduleFinder.ts'
import {
  definitionAt,
  referencesAt,
  type Cursor,
  type DefinitionResult,
  type SymbolLocation,
} from '../resolve/symbolNavigation.ts'
import { searchPassages, type PassageQuery, type RankedPassage } from '../search/passageSearch.ts'
import { createImportFiles } from '../index/importFiles.ts'
import { projectOverview } from '../describe/projectOverview.ts'
import type { Progress } from '../index/indexProgress.ts'
import { openIndexStore } from '../index/indexFile.ts'
import type { SymbolRow } from '../index/indexRows.ts'
import { searchSymbols, type SymbolQuery } from '../search/symbolSearch.ts'
import { selectSymbols, type SymbolSelector } from '../index/selectSymbols.ts'
import { createSymbolReader, type SymbolReader } from '../index/symbolReader.ts'
import type { EdgeKind, FoundSymbol } from '../index/symbolTypes.ts'
import { newParseErrors } from '../index/syntaxErrors.ts'

/** Progress and size of the index: numbers of indexed files and symbols. */
export interface IndexStatus extends IndexingProgress {
  files: number
  symbols: number
}

/** A text before and after an edit; `before` is null if the edit created the file. */
export interface EditedText {
  path: string
  before: string | null
  after: string
}

/** Symbols of a file, with the fields of `Outline` in codeIndex.ts. */
export interface EngineOutline {
  language: string | null
  supported: boolean
  problem: string
  symbols: SymbolRow[]
}

/**
 * The index inside its process. Handles one request at a time. All paths are relative to the workspace. Requests must
 * be repeatable: after a crash they are sent again to a new process.
 */
export interface IndexEngine {
  /**
   * Sets all files of the workspace. Indexes new and changed files in the background and removes deleted ones.
   * @param list paths separated by NUL. Sending one text takes a tenth of the time of sending a list
   */
  setFiles(list: string): void
  /** Indexes these files immediately, but not the words of files whose symbols are up to date. */
  refresh(paths: string[]): Promise<void>
  /** Indexes these files immediately, with their words. */
  refreshWords(paths: string[]): Promise<void>
  /** Like `refresh`, but skips files that are not in the index, because they may be ignored. */
  refreshKnown(paths: string[]): Promise<void>
  /** Indexes these texts immediately: unsaved text, or text that a tool has just read. */
  setTexts(texts: FileText[]): Promise<void>
  /** Sets the unsaved texts of all open tabs. Files without one are read from disk again. */
  setBuffers(texts: FileText[]): Promise<void>
  /** Finds symbols by name, best first. */
  search(query: SymbolQuery): Promise<SymbolRow[]>
  /** Finds symbols by words in their name, signature or comment, best first. */
  searchText(query: { words: string[]; limit: number }): SymbolRow[]
  /** Finds the passage of a file that a description refers to. */
  matchDescription(query: FileText & { description: string }): DescriptionMatch
  /** Returns the symbols of a text. Does not change the index. */
  symbolsIn(text: FileText): Promise<FoundSymbol[]>
  /** Finds passages that contain the words of a question, best first. */
  passages(query: PassageQuery): Promise<RankedPassage[]>
  /** Returns the symbols that match an id, or a file and a name. */
  select(selector: SymbolSelector): SymbolRow[]
  outline(path: string): EngineOutline
  /** Returns the outline of a text that is being edited. Does not use the index. */
  draftOutline(text: FileText): Promise<EngineOutline>
  /** Returns the edges of a symbol (callGraph.ts); null if the id is unknown. */
  graph(query: { id: string; kind: EdgeKind; limit: number }): Promise<{ edges: Edge[]; total: number } | null>
  /** Returns the definition at a position (symbolNavigation.ts); null if none is known. */
  definition(cursor: Cursor): Promise<DefinitionResult | null>
  /** Returns the references to the symbol at a position. */
  references(query: { cursor: Cursor; limit: number }): Promise<{ places: SymbolLocation[]; total: number }>
  /** Returns syntax errors that the new texts have and the old ones do not. */
  newSyntaxErrors(edits: EditedText[]): Promise<SyntaxProblem[]>
  /** Describes the project (projectOverview.ts). `texts`: README and manifests. */
  projectOverview(query: { folder: string; texts: FileText[] }): string
  status(): IndexStatus
  /** Copies the database to a path without one, for the index of another folder. Other requests run meanwhile. */
  copyTo(file: string): Promise<void>
  close(): Promise<void>
}

/** The engine with methods that only its own process uses. */
export interface Engine extends IndexEngine {
  /** Closes the index and deletes its database file. */
  closeAndDelete(): void
}

export interface EngineOptions extends WorkspaceRoots {
  /** Path of the database file. */
  database: string
  /** Database of another worktree's index, which a new database starts as a copy of. */
  copyOf?: string
  /** Folder of the tag queries. */
  grammars: string
  /** Maximum size of the database file in bytes. */
  maxBytes?: number
  /** A text that crashed an earlier process. It is skipped until the file changes. */
  crashedFile?: SkippedFile
  /** Records which text is being read. */
  progress?: Pick<Progress, 'file'>
  /** The requests to this engine, which background indexing must not delay. */
  activity?: RequestActivity
  /** Milliseconds before each attempt to write to a full disk. */
  retryDelays?: readonly number[]
  /** Starts threads that read the files of a large workspace; absent if the engine reads all of them itself. */
  startPool?(onNotice: (message: string) => void): ReaderPool
  /** Receives messages for the user. */
  onNotice(message: string): void
  /** Called if the database turns out to be damaged during background indexing. */
  onDamaged?(error: IndexDamaged): void
}

const defaultRetryDelays = [1000, 5000, 30_000, 60_000]

export function createEngine(options: EngineOptions): Engine {
  const { root, folders } = options
  const workspace: WorkspaceRoots = { root, folders }
  const {
    database,
    copyOf,
    maxBytes,
    crashedFile,
    progress,
    activity,
    retryDelays = defaultRetryDelays,
    onDamaged,
    startPool,
  } = options
  const onNotice = withoutRepeats(options.onNotice)
  const store = openIndexStore(database, { maxBytes, copyOf })
  if (store.rebuildReason !== '') onNotice(store.rebuildReason)
  if (crashedFile) store.addSkipped(crashedFile)
  const reader = createSymbolReader({ grammars: options.grammars, onNotice })
  const guard = createTextGuard(progress)
  const files = createFileIndexer({ store, reader: createFileReader(workspace, reader), guard })
  const background = createBackgroundIndexing({
    workspace,
    store,
    files,
    ...(activity && { activity }),
    retryDelays,
    onNotice,
    onDamaged,
    ...(startPool && { startPool: () => startPool(onNotice) }),
  })
  const drafts = createDraftOutlines(reader)
  const refresh = async (paths: Iterable<string>): Promise<void> => {
    for (const place of paths) await files.refresh(place)
  }
  /**
   * Answers again if a file in the answer has changed, because the change may not have been reported yet, or the index
   * may be a copy whose files are not compared yet.
   */
  async function current<Answer>(answer: () => Answer, pathsOf: (answer: Answer) => string[]): Promise<Answer> {
    const found = answer()
    const { changes } = store
    await refresh(new Set(pathsOf(found)))
    return store.changes === changes ? found : answer()
  }
  const currentRows = <Row extends { path: string }>(search: () => Row[]): Promise<Row[]> =>
    current(search, (rows) => rows.map((row) => row.path))
  const copies = new Sequencer()

  return {
    setFiles: (list) => background.setFiles(list === '' ? [] : list.split('\0')),
    refresh,
    async refreshWords(paths) {
      for (const place of paths) await files.refresh(place, 'now')
    },
    refreshKnown: (paths) => refresh(paths.filter((place) => store.file(place) !== undefined)),
    setTexts: files.setTexts,
    setBuffers: files.setBuffers,
    search: (query) => currentRows(() => searchSymbols(store, query)),
    passages: (query) => currentRows(() => searchPassages(store.passages, query)),
    searchText: ({ words, limit }) => store.searchText(words, limit),
    select: (selector) => selectSymbols(store, selector),
    newSyntaxErrors: (edits) => newSyntaxErrors(store, reader, guard, edits),
    ...outlineQueries(store, reader, drafts, guard),
    ...resolutionQueries({ store, workspace, background, current }),
    status: () => ({ ...background.progress(), ...store.counts() }),
    copyTo: (file) => copies.queue(() => store.copyTo(file)),
    async close() {
      await background.close()
      // After those that run.
      await copies.queue(() => Promise.resolve())
      drafts.close()
      store.close()
    },
    closeAndDelete() {
      void background.close()
      store.closeAndDelete()
    },
  }
}

/** Passes on each message once. */
function withoutRepeats(onNotice: (message: string) => void): (message: string) => void {
  const sent = new Set<string>()
  return (message) => {
    if (sent.has(message)) return
    sent.add(message)
    onNotice(message)
  }
}

function outlineQueries(
  store: IndexStore,
  reader: SymbolReader,
  drafts: DraftOutlines,
  guard: TextGuard,
): Pick<IndexEngine, 'outline' | 'draftOutline' | 'symbolsIn' | 'matchDescription'> {
  const symbolsOf = (place: string): SymbolRow[] => {
    const file = store.file(place)
    return file ? store.symbols('s.file = ? ORDER BY s.line, s.column, s.end_line DESC, s.id', file.id) : []
  }
  return {
    outline: (place) => ({
      ...languageSupport(place),
      problem: store.file(place)?.problem ?? '',
      symbols: symbolsOf(place),
    }),
    async draftOutline({ path: place, text }) {
      const language = languageOf(place)
      const { found, problem } = await drafts.read(language, place, text, guard(place, hash('sha1', text)))
      return { ...languageSupport(place), problem, symbols: toDraftRows(place, language?.id ?? '', found.symbols) }
    },
    async symbolsIn({ path: place, text }) {
      return (await reader.read(languageOf(place), text)).found.symbols
    },
    matchDescription: ({ path: place, text, description }) => matchDescription(text, symbolsOf(place), description),
  }
}

function languageSupport(place: string): { language: string | null; supported: boolean } {
  const language = languageOf(place)
  return { language: language?.title ?? null, supported: hasSymbols(language) }
}

interface ResolutionDeps {
  store: IndexStore
  workspace: WorkspaceRoots
  background: BackgroundIndexing
  /** Answers again if one of the answer's files has changed. */
  current<Answer>(answer: () => Answer, pathsOf: (answer: Answer) => string[]): Promise<Answer>
}

function resolutionQueries({
  store,
  workspace,
  background,
  current,
}: ResolutionDeps): Pick<IndexEngine, 'graph' | 'definition' | 'references' | 'projectOverview'> {
  const importFiles = createImportFiles(store, workspace)
  const findModule = createModuleFinder(importFiles)
  const central = importFiles.cached(() => centralSymbols(store, findModule))
  return {
    graph: ({ id, kind, limit }) =>
      current(
        () => {
          const [symbol] = store.symbolsWithId(id)
          return symbol ? edgesOf(store, findModule, symbol, kind, limit) : null
        },
        (found) => (found?.edges ?? []).flatMap((edge) => [edge.path, ...(edge.symbol ? [edge.symbol.path] : [])]),
      ),
    definition: (cursor) =>
      current(
        () => definitionAt(store, findModule, cursor),
        (found) => (found ? [...found.targets.map((target) => target.path), ...found.modules] : []),
      ),
    references: ({ cursor, limit }) =>
      current(
        () => referencesAt(store, findModule, cursor, limit),
        ({ places }) => places.map((place) => place.path),
      ),
    projectOverview: ({ folder, texts }) =>
      projectOverview(
        store,
        central(),
        background.paths(),
        folder,
        new Map(texts.map((text) => [text.path, text.text])),
      ),
  }
}

/** JSON with comments and trailing commas, which the grammar reports as errors. */
const lenientJson = /\.(?:jsonc|json5|code-workspace)$|(?:^|\/)(?:ts|js)config[^/]*\.json$|(?:^|\/)\.vscode\//

async function newSyntaxErrors(
  store: IndexStore,
  reader: SymbolReader,
  guard: TextGuard,
  edits: readonly EditedText[],
): Promise<SyntaxProblem[]> {
  const found = await Promise.all(
    edits.map(async ({ path: place, before, after }) => {
      const language = lenientJson.test(place) || store.skipped(place) ? undefined : languageOf(place)
      if (!language) return []
      const errorsIn = (text: string) => reader.parseErrors(language, text, guard(place, hash('sha1', text)))
      const errors = await errorsIn(after)
      const previous = before !== null && errors.length > 0 ? await errorsIn(before) : []
      return newParseErrors(previous, errors).map(({ line, message }) => ({ path: place, line, message }))
    }),
  )
  return found.flat()
}
