import { hash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ToolError } from '../../../shared/errors.ts'
import type { SyntaxProblem } from '../../../shared/tool.ts'
import type { Search } from '../../search/search.ts'
import type { Documents } from '../../workspace/documents.ts'
import type { Workspace } from '../../workspace/containment.ts'
import { defaultFork, type ForkProcess } from '../process/childProcess.ts'
import { cursorAt } from '../resolve/cursorContext.ts'
import type { DescriptionMatch } from '../describe/matchDescription.ts'
import type { EditedText, IndexStatus, SymbolSelector } from './indexEngine.ts'
import type { Edge } from '../resolve/callGraph.ts'
import { createIndexClient, type IndexClient } from '../process/indexClient.ts'
import { truncateForIndex, maxFileSize, type WatchdogLimits } from '../process/indexLimits.ts'
import type { Cursor, DefinitionResult, SymbolLocation } from '../resolve/symbolNavigation.ts'
import { filesMentioning } from '../search/filesMentioning.ts'
import type { PassageQuery, RankedPassage } from '../search/passageSearch.ts'
import type { SymbolRow } from './indexStore.ts'
import type { SymbolQuery } from '../search/symbolSearch.ts'
import type { EdgeKind, FoundSymbol } from './symbolTypes.ts'
import { queryWords } from '../search/searchWords.ts'

export type { IndexStatus, SymbolSelector } from './indexEngine.ts'
export type { DescriptionMatch as DescribedPlace } from '../describe/matchDescription.ts'
export type { Edge } from '../resolve/callGraph.ts'
export type { DefinitionResult as Found, SymbolLocation as FoundPlace } from '../resolve/symbolNavigation.ts'
export type { RankedPassage } from '../search/passageSearch.ts'
export type { SymbolRow } from './indexStore.ts'
export { queryWords, stem, wordsOf, type QueryWords } from '../search/searchWords.ts'
export { hasExportRules as knowsExports } from './exportedSymbols.ts'
export { edgeKinds, symbolKinds, type EdgeKind, type FoundSymbol, type SymbolKind } from './symbolTypes.ts'

/** A question in natural language, names, or both, and where to look. */
export interface PassageQuestion extends Omit<PassageQuery, 'words'> {
  question: string
}

export interface Outline {
  path: string
  /** Null for a kind of file that is not in the table of languages. */
  language: string | null
  /** Files of this language have symbols. */
  supported: boolean
  /** Why symbols may be missing; '' when nothing is known against it. */
  problem: string
  /** The text is that of a tab with unsaved changes. */
  unsaved: boolean
  symbols: SymbolRow[]
}

/** A place in a file's present text, 1-based, columns in UTF-16 units. */
export interface TextPlace {
  path: string
  line: number
  column: number
}

/**
 * Symbols of one workspace and how they hang together. Every answer sees the latest text of the files it is about, open
 * buffers included; `status` says how much of the rest the index has read. All calls throw `cancelled`, and those with a path
 * what `Documents.read` throws.
 */
export interface CodeIndex {
  /** By name, best first. `path` is a file or folder. Throws `outside_workspace`, `not_found`. */
  search(query: SymbolQuery, signal: AbortSignal): Promise<SymbolRow[]>
  /** By words of the name, signature or comment, best first. */
  searchText(words: readonly string[], limit: number, signal: AbortSignal): Promise<SymbolRow[]>
  /** The place that a description means, in a file whose text the caller has read. Throws as `outline` does. */
  matchDescription(path: string, text: string, description: string, signal: AbortSignal): Promise<DescriptionMatch>
  /** The symbols of a text that an edit would give a file; nothing is kept of it. */
  symbolsIn(path: string, text: string, signal: AbortSignal): Promise<FoundSymbol[]>
  /** Blocks of text that answer a question, best first: of every text file up to 1 MB, with a grammar or without. */
  passages(query: PassageQuestion, signal: AbortSignal): Promise<RankedPassage[]>
  /** The symbols that an id, or a file and a name, may mean: none, one or several. */
  select(selector: SymbolSelector, signal: AbortSignal): Promise<SymbolRow[]>
  outline(path: string, signal: AbortSignal): Promise<Outline>
  /** The outline of the text that a tab holds now; the index does not learn of it. */
  draftOutline(path: string, text: string, signal: AbortSignal): Promise<Outline>
  /** Edges of one kind. Throws `not_found` for an unknown id. */
  graph(id: string, kind: EdgeKind, limit: number, signal: AbortSignal): Promise<{ edges: Edge[]; total: number }>
  /** What the word at a place means, best first; null where nothing is known of it. */
  definition(place: TextPlace, signal: AbortSignal): Promise<DefinitionResult | null>
  /** All places that mean the same as the word at a place, its definitions first. */
  references(place: TextPlace, limit: number, signal: AbortSignal): Promise<{ places: SymbolLocation[]; total: number }>
  /**
   * The whole project in words: purpose, folders, entry points, central symbols, contents. Waits some seconds until all files are read;
   * `status` says when that was not enough. `indexPath`: the index's own file. Throws `not_a_directory` for a file.
   */
  projectOverview(folder: string, signal: AbortSignal): Promise<{ text: string; indexPath: string }>
  /** Errors of the language that edits brought, in files of known languages up to 1 MB. */
  newSyntaxErrors(edits: readonly EditedText[], signal: AbortSignal): Promise<SyntaxProblem[]>
  status(): Promise<IndexStatus>
  /** A tool wrote, moved or deleted these files. */
  filesWritten(paths: readonly string[]): void
  /** Files changed on disk. `structure`: some may be new or gone. */
  filesChanged(paths: readonly string[], structure: boolean): void
  dispose(): Promise<void>
}

export interface CodeIndexOptions {
  workspace: Workspace
  documents: Documents
  search: Search
  /** The user's data folder; the index lies in `code-index/` below it. */
  userData: string
  /** `resources/` of the installation. */
  resources: string
  /** Someone tells of changes on disk through `changed`. Without, files are looked at again before each answer. */
  watched: boolean
  dirtyBuffers(): { path: string; text: string }[]
  onNotice(message: string): void
  /** How the host starts the index's process; without, as Node does. */
  fork?: ForkProcess
  /** What the process may take; what is not named has its default. */
  limits?: Partial<WatchdogLimits>
}

const maxFiles = 200_000
/** Files that mention a name and are read at once while the index is not complete. */
const maxDirectReads = 40
/** Milliseconds: changes come in bursts. */
const relistDelay = 300
/** Milliseconds that a description of the whole project waits for the reading of its files. */
const maxProjectWait = 10_000

/** Starts the index of a workspace: a process of its own that begins to read the files ripgrep lists. */
export function createCodeIndex(options: CodeIndexOptions): CodeIndex {
  const { workspace, documents, search, watched } = options
  const stopped = new AbortController()
  let started: IndexClient | undefined
  let ready = false
  let relisting: NodeJS.Timeout | undefined
  /** Set once the files are listed, or being so. */
  let listed: Promise<void> | undefined
  if (watched) ensureListed()

  /** Without a window nobody may ever ask, so there it begins with the first question. */
  function ensureListed(): IndexClient {
    const engine = ensureClient()
    listed ??= list(engine)
    return engine
  }

  /** The engine, which may not have been told of any file yet. */
  function ensureClient(): IndexClient {
    stopped.signal.throwIfAborted()
    return (started ??= createIndexClient({
      fork: options.fork ?? defaultFork,
      engine: {
        root: workspace.root,
        database: databasePath(options),
        grammars: path.join(options.resources, 'grammars'),
      },
      limits: options.limits,
      onNotice: options.onNotice,
      onRestarted: onEngineRestarted,
    }))
  }

  function indexableBuffers(): { path: string; text: string }[] {
    return options.dirtyBuffers().map((buffer) => ({ path: buffer.path, text: truncateForIndex(buffer.text) }))
  }

  /** A new process knows neither files nor tabs. */
  function onEngineRestarted(): void {
    const engine = started
    if (!engine) return
    ready = false
    inBackground(engine.call('setBuffers', [indexableBuffers()]))
    if (listed) listed = list(engine)
  }

  async function list(engine: IndexClient): Promise<void> {
    try {
      const { paths } = await search.files({ maxResults: maxFiles }, { signal: stopped.signal })
      await engine.call('setFiles', [paths])
    } catch (error) {
      if (!stopped.signal.aborted)
        options.onNotice(
          `The code index could not list the files: ${error instanceof Error ? error.message : String(error)}`,
        )
    }
  }

  /** What must be known before an answer: unsaved texts and, as long as the index is not complete, the files that mention a name. */
  async function prepare(mention: string | undefined, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const engine = ensureListed()
    await engine.call('setBuffers', [indexableBuffers()])
    if (mention === undefined || !/^[\w$]{2,}$/.test(mention) || (await isComplete())) return
    const { matches } = await search.text({ pattern: mention, fixed: true, maxResults: 500, maxText: 1 }, { signal })
    await engine.call('refresh', [[...new Set(matches.map((match) => match.path))].slice(0, maxDirectReads)])
  }

  /** Every file was read, and whatever changes is told. */
  async function isComplete(): Promise<boolean> {
    return watched && (ready ||= (await ensureListed().call('status', [])).state === 'ready')
  }

  /** Waits until the listing and the reading of all files are through, at most `longestWait`. Throws `cancelled`. */
  async function waitUntilIndexed(engine: IndexClient, signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + maxProjectWait
    const timer = new AbortController()
    try {
      await Promise.race([
        listed,
        delay(maxProjectWait, undefined, { signal: AbortSignal.any([signal, stopped.signal, timer.signal]) }),
      ])
    } finally {
      timer.abort()
    }
    while ((await engine.call('status', [])).state === 'building' && performance.now() < deadline)
      await delay(25, undefined, { signal })
  }

  function inBackground(refreshing: Promise<void>): void {
    refreshing.catch((error: unknown) => {
      if (!stopped.signal.aborted)
        options.onNotice(
          `The code index could not read a change: ${error instanceof Error ? error.message : String(error)}`,
        )
    })
  }

  /** Reads one file as the user sees it. */
  async function prepareFile(
    given: string,
    signal: AbortSignal,
  ): Promise<{ path: string; text: string; unsaved: boolean }> {
    await prepare(undefined, signal)
    const document = await documents.read(given, signal)
    if (document.unsaved)
      await ensureListed().call('setTexts', [[{ path: document.path, text: truncateForIndex(document.text) }]])
    else await ensureListed().call('refresh', [[document.path]])
    return document
  }

  /**
   * The path of a file on disk that the index leaves out for its size, and that no tab has unsaved text of: nobody needs to read it.
   * Null for every other.
   */
  async function oversizedPath(given: string, signal: AbortSignal): Promise<string | null> {
    const { type, absolute, relative } = await workspace.resolve(given, { missing: 'allow' })
    signal.throwIfAborted()
    if (type !== 'file' || options.dirtyBuffers().some((buffer) => buffer.path === relative)) return null
    // What went wrong is found again, and explained, by reading it.
    const size = await stat(absolute).then(
      (found) => found.size,
      () => 0,
    )
    return size > maxFileSize ? relative : null
  }

  /** Reads what stands at a place, and the files that mention its word where the index may not have them yet. */
  async function prepareCursor({ path: given, line, column }: TextPlace, signal: AbortSignal): Promise<Cursor> {
    const { path: place, text } = await prepareFile(given, signal)
    const cursor = cursorAt(place, text, line, column)
    await prepare(cursor.word?.text, signal)
    return cursor
  }

  return {
    async search(query, signal) {
      const place = query.path === undefined ? undefined : await workspace.resolve(query.path)
      if (place?.type === 'file') await prepareFile(place.relative, signal)
      else await prepare(lastName(query.query), signal)
      return ensureListed().call('search', [{ ...query, ...(place ? { path: place.relative } : {}) }])
    },
    async searchText(words, limit, signal) {
      await prepare(undefined, signal)
      return ensureListed().call('searchText', [{ words: [...words], limit }])
    },
    async matchDescription(given, text, description, signal) {
      const { path: place } = await prepareFile(given, signal)
      return ensureListed().call('matchDescription', [{ path: place, text, description }])
    },
    async symbolsIn(given, text, signal) {
      signal.throwIfAborted()
      return ensureClient().call('symbolsIn', [{ path: given, text }])
    },
    async passages({ question, ...query }, signal) {
      const words = queryWords(question)
      await prepare(undefined, signal)
      if (!(await isComplete()))
        await ensureListed().call('refresh', [await filesMentioning(search, words.words, maxDirectReads, signal)])
      signal.throwIfAborted()
      return ensureListed().call('passages', [{ ...query, words }])
    },
    async select(selector, signal) {
      const place = selector.id === undefined ? selector.path : selector.id.split('::')[0]
      const file = place === undefined ? undefined : await prepareFile(place, signal)
      return ensureListed().call('select', [
        { ...selector, ...(selector.id === undefined && file ? { path: file.path } : {}) },
      ])
    },
    async outline(given, signal) {
      const large = await oversizedPath(given, signal)
      if (large !== null) {
        await ensureListed().call('refresh', [[large]])
        return { path: large, unsaved: false, ...(await ensureListed().call('outline', [large])) }
      }
      const { path: place, unsaved } = await prepareFile(given, signal)
      return { path: place, unsaved, ...(await ensureListed().call('outline', [place])) }
    },
    async draftOutline(given, text, signal) {
      signal.throwIfAborted()
      return {
        path: given,
        unsaved: true,
        ...(await ensureClient().call('draftOutline', [{ path: given, text: truncateForIndex(text) }])),
      }
    },
    async graph(id, kind, limit, signal) {
      const [symbol] = await this.select({ id }, signal)
      if (!symbol)
        throw new ToolError(
          'not_found',
          `There is no symbol "${id}".`,
          'Find it with symbol_search or symbol_outline and use the symbol_id of the result.',
        )
      await prepare(symbol.name, signal)
      const found = await ensureListed().call('graph', [{ id, kind, limit }])
      return found ?? { edges: [], total: 0 }
    },
    async definition(place, signal) {
      return ensureListed().call('definition', [await prepareCursor(place, signal)])
    },
    async references(place, limit, signal) {
      return ensureListed().call('references', [{ cursor: await prepareCursor(place, signal), limit }])
    },
    async projectOverview(folder, signal) {
      const place = await workspace.resolve(folder)
      if (place.type !== 'directory')
        throw new ToolError(
          'not_a_directory',
          `"${place.relative}" is no folder.`,
          'Name a folder, or use symbol_outline for one file.',
        )
      const told = listed !== undefined && !watched
      const engine = ensureListed()
      // Nobody tells of changes, so all files are looked at anew.
      if (told) listed = list(engine)
      await prepare(undefined, signal)
      await waitUntilIndexed(engine, signal)
      const { paths } = await search.files(
        {
          path: place.relative,
          glob: '{README*,package.json,Cargo.toml,pyproject.toml,go.mod,pom.xml}',
          maxDepth: 1,
          maxResults: 6,
        },
        { signal },
      )
      const texts = await Promise.all(
        paths.map(async (name) => ({ path: name, text: (await documents.read(name, signal)).text })),
      )
      return {
        text: await engine.call('projectOverview', [{ folder: place.relative, texts }]),
        indexPath: databasePath(options),
      }
    },
    async newSyntaxErrors(edits, signal) {
      signal.throwIfAborted()
      const { promise: aborted, reject } = Promise.withResolvers<never>()
      const onAbort = (): void => reject(signal.reason)
      signal.addEventListener('abort', onAbort, { once: true })
      try {
        return await Promise.race([ensureClient().call('newSyntaxErrors', [[...edits]]), aborted])
      } finally {
        signal.removeEventListener('abort', onAbort)
      }
    },
    status: () => ensureListed().call('status', []),
    filesChanged(paths, structure) {
      const engine = started
      if (!engine) return
      inBackground(engine.call('refreshKnown', [[...paths]]))
      if (!structure) return
      clearTimeout(relisting)
      relisting = setTimeout(() => {
        listed = list(engine)
      }, relistDelay)
    },
    filesWritten(paths) {
      if (started) inBackground(started.call('refresh', [[...paths]]))
    },
    async dispose() {
      stopped.abort()
      clearTimeout(relisting)
      // Ends what `listed` may wait for.
      await started?.close()
      await listed
    },
  }
}

function databasePath({ workspace, userData }: CodeIndexOptions): string {
  return indexFileOf(workspace.root, userData)
}

/** The database of a folder's index, absolute. @param root real path of the folder */
export function indexFileOf(root: string, userData: string): string {
  return path.join(userData, 'code-index', `${hash('sha1', root)}.db`)
}

/** What follows the last separator of a qualified name. */
function lastName(qualified: string): string {
  return qualified.slice(Math.max(...['.', ':', '#', '/'].map((separator) => qualified.lastIndexOf(separator))) + 1)
}
