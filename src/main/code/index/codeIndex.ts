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
import type { EditedText, IndexStatus } from './indexEngine.ts'
import type { SymbolSelector } from './selectSymbols.ts'
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

export type { IndexStatus } from './indexEngine.ts'
export type { SymbolSelector } from './selectSymbols.ts'
export type { DescriptionMatch as DescribedPlace } from '../describe/matchDescription.ts'
export type { Edge } from '../resolve/callGraph.ts'
export type { DefinitionResult as Found } from '../resolve/symbolNavigation.ts'
export type { RankedPassage } from '../search/passageSearch.ts'
export type { SymbolRow } from './indexStore.ts'
export { queryWords, stem, wordsOf, type QueryWords } from '../search/searchWords.ts'
export { hasExportRules } from './exportedSymbols.ts'
export { edgeKinds, symbolKinds, type EdgeKind, type FoundSymbol, type SymbolKind } from './symbolTypes.ts'

/** A query in natural language, identifiers or both, with its scope. */
export interface PassageQuestion extends Omit<PassageQuery, 'words'> {
  question: string
}

export interface Outline {
  path: string
  /** Null for an unknown file type. */
  language: string | null
  /** Whether this language has symbols. */
  supported: boolean
  /** Why symbols may be missing; '' if there is no known problem. */
  problem: string
  /** The text is the unsaved text of an open tab. */
  unsaved: boolean
  symbols: SymbolRow[]
}

/** A position in the current text of a file. 1-based; columns count UTF-16 units. */
export interface TextPlace {
  path: string
  line: number
  column: number
}

/**
 * Symbols of one workspace and the relations between them. Answers use the current text of the files they concern,
 * including unsaved buffers; `status` reports how much of the rest is indexed. All methods throw `cancelled`; methods
 * with a path also throw what `Documents.read` throws.
 */
export interface CodeIndex {
  /** Finds symbols by name, best first. `path` is a file or folder. @throws ToolError outside_workspace, not_found */
  search(query: SymbolQuery, signal: AbortSignal): Promise<SymbolRow[]>
  /** Finds symbols by words in their name, signature or comment, best first. */
  searchText(words: readonly string[], limit: number, signal: AbortSignal): Promise<SymbolRow[]>
  /** Finds the passage that a description refers to, in a text that the caller has read. Throws like `outline`. */
  matchDescription(path: string, text: string, description: string, signal: AbortSignal): Promise<DescriptionMatch>
  /** Returns the symbols that a file would have after an edit. Stores nothing. */
  symbolsIn(path: string, text: string, signal: AbortSignal): Promise<FoundSymbol[]>
  /** Finds passages that answer a question, best first, in all text files up to 1 MB. */
  passages(query: PassageQuestion, signal: AbortSignal): Promise<RankedPassage[]>
  /** Returns the symbols that match an id, or a file and a name. */
  select(selector: SymbolSelector, signal: AbortSignal): Promise<SymbolRow[]>
  outline(path: string, signal: AbortSignal): Promise<Outline>
  /** Returns the outline of a tab's current text without updating the index. */
  draftOutline(path: string, text: string, signal: AbortSignal): Promise<Outline>
  /** Returns the edges of one kind. @throws ToolError not_found if the id is unknown */
  graph(id: string, kind: EdgeKind, limit: number, signal: AbortSignal): Promise<{ edges: Edge[]; total: number }>
  /** Returns the definitions of the word at a position, best first; null if nothing is known about it. */
  definition(place: TextPlace, signal: AbortSignal): Promise<DefinitionResult | null>
  /** Returns all references to the symbol at a position, definitions first. */
  references(place: TextPlace, limit: number, signal: AbortSignal): Promise<{ places: SymbolLocation[]; total: number }>
  /**
   * Describes the project: purpose, folders, entry points, central symbols, contents. Waits a few seconds for indexing
   * to finish; check `status` for completeness. `indexPath` is the database file. @throws ToolError not_a_directory
   */
  projectOverview(folder: string, signal: AbortSignal): Promise<{ text: string; indexPath: string }>
  /** Returns syntax errors introduced by edits, in files of known languages up to 1 MB. */
  newSyntaxErrors(edits: readonly EditedText[], signal: AbortSignal): Promise<SyntaxProblem[]>
  status(): Promise<IndexStatus>
  /** Call after a tool wrote, moved or deleted these files. */
  filesWritten(paths: readonly string[]): void
  /** Call after files changed on disk. `structure`: files may have been added or removed. */
  filesChanged(paths: readonly string[], structure: boolean): void
  dispose(): Promise<void>
}

export interface CodeIndexOptions {
  workspace: Workspace
  documents: Documents
  search: Search
  /** User data folder. The index is in its `code-index/` subfolder. */
  userData: string
  /** The `resources/` folder of the installation. */
  resources: string
  /** Whether `filesChanged` is called for changes on disk. If not, files are checked before each answer. */
  watched: boolean
  dirtyBuffers(): { path: string; text: string }[]
  onNotice(message: string): void
  /** How the host starts the index process. Default: `child_process.fork`. */
  fork?: ForkProcess
  /** Overrides of the default process limits. */
  limits?: Partial<WatchdogLimits>
}

const maxFiles = 200_000
/** Maximum number of files that are read at once for a name while the index is incomplete. */
const maxDirectReads = 40
/** Milliseconds. Changes come in bursts. */
const relistDelay = 300
/** Milliseconds that a project overview waits for indexing to finish. */
const maxProjectWait = 10_000

/** Starts the index of a workspace in its own process, which reads the files that ripgrep lists. */
// Longer than 100 lines, because its methods share the engine client and the file list.
export function createCodeIndex(options: CodeIndexOptions): CodeIndex {
  const { workspace, documents, search, watched } = options
  const stopped = new AbortController()
  let started: IndexClient | undefined
  let ready = false
  let relisting: NodeJS.Timeout | undefined
  /** Set once listing the files has started. */
  let listed: Promise<void> | undefined
  if (watched) ensureListed()

  /** Without a window, indexing starts with the first query. */
  function ensureListed(): IndexClient {
    const engine = ensureClient()
    listed ??= list(engine)
    return engine
  }

  /** Returns the engine; its file list may still be empty. */
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

  /** Restores the state of a new process, which has neither files nor buffers. */
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

  /**
   * Updates the index before an answer: unsaved texts and, while the index is incomplete, files that mention the name.
   */
  async function prepare(mention: string | undefined, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const engine = ensureListed()
    await engine.call('setBuffers', [indexableBuffers()])
    if (mention === undefined || !/^[\w$]{2,}$/.test(mention) || (await isComplete())) return
    const { matches } = await search.text({ pattern: mention, fixed: true, maxResults: 500, maxText: 1 }, { signal })
    await engine.call('refresh', [[...new Set(matches.map((match) => match.path))].slice(0, maxDirectReads)])
  }

  /** Whether all files are indexed and changes are reported. */
  async function isComplete(): Promise<boolean> {
    return watched && (ready ||= (await ensureListed().call('status', [])).state === 'ready')
  }

  /** Waits until all files are listed and indexed, at most `maxProjectWait`. @throws ToolError cancelled */
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

  /** Indexes the current text of one file, including unsaved changes. */
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
   * Returns the path of a file that exceeds the size limit and has no unsaved buffer, so that it need not be read;
   * otherwise null.
   */
  async function oversizedPath(given: string, signal: AbortSignal): Promise<string | null> {
    const { type, absolute, relative } = await workspace.resolve(given, { missing: 'allow' })
    signal.throwIfAborted()
    if (type !== 'file' || options.dirtyBuffers().some((buffer) => buffer.path === relative)) return null
    // Reading the file later reports the error.
    const size = await stat(absolute).then(
      (found) => found.size,
      () => 0,
    )
    return size > maxFileSize ? relative : null
  }

  /** Indexes the file at a position, and files that mention the word there if the index is incomplete. */
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
          `No symbol has the id "${id}".`,
          'Find it with symbol_search or symbol_outline and pass the symbol_id of the result.',
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
          `"${place.relative}" is not a folder.`,
          'Pass a folder, or use symbol_outline for a file.',
        )
      const told = listed !== undefined && !watched
      const engine = ensureListed()
      // Changes are not reported, so all files are listed again.
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
      // Unblocks `listed`.
      await started?.close()
      await listed
    },
  }
}

function databasePath({ workspace, userData }: CodeIndexOptions): string {
  return indexFileOf(workspace.root, userData)
}

/**
 * Returns the absolute path of a folder's index database.
 * @param root real path of the folder
 */
export function indexFileOf(root: string, userData: string): string {
  return path.join(userData, 'code-index', `${hash('sha1', root)}.db`)
}

/** Returns the part after the last separator of a qualified name. */
function lastName(qualified: string): string {
  return qualified.slice(Math.max(...['.', ':', '#', '/'].map((separator) => qualified.lastIndexOf(separator))) + 1)
}
