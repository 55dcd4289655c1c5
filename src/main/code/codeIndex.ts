import { ToolError } from '../../shared/errors.ts'
import type { SyntaxProblem } from '../../shared/tools/tool.ts'
import type { DescriptionMatch } from './describe/matchDescription.ts'
import type { EditedText, IndexStatus } from './process/indexEngine.ts'
import type { CodeIndexOptions, TextPosition } from './codeIndexOptions.ts'
import { indexFileOf } from './folderIndex.ts'
import { createIndexConnection, type IndexConnection } from './indexConnection.ts'
import { createIndexPreparation, type IndexPreparation } from './indexPreparation.ts'
import type { SymbolSelector } from './index/selectSymbols.ts'
import type { Edge } from './resolve/callGraph.ts'
import { truncateForIndex } from './index/indexLimits.ts'
import type { DefinitionResult, SymbolLocation } from './resolve/symbolNavigation.ts'
import type { PassageQuery, RankedPassage } from './search/passageSearch.ts'
import type { SymbolRow } from './index/indexRows.ts'
import type { SymbolQuery } from './search/symbolSearch.ts'
import type { EdgeKind, FoundSymbol } from './index/symbolTypes.ts'
import { queryWords } from './search/searchWords.ts'

export type { CodeIndexOptions, TextPosition } from './codeIndexOptions.ts'
export type { IndexStatus } from './process/indexEngine.ts'
export type { SymbolSelector } from './index/selectSymbols.ts'
export type { DescriptionMatch } from './describe/matchDescription.ts'
export type { Edge } from './resolve/callGraph.ts'
export type { DefinitionResult } from './resolve/symbolNavigation.ts'
export type { RankedPassage } from './search/passageSearch.ts'
export type { SymbolRow } from './index/indexRows.ts'
export { queryWords, stem, type QueryWords } from './search/searchWords.ts'
export { wordsOf } from './index/words.ts'
export { indexFileOf, removeFolderIndex } from './folderIndex.ts'
export { hasExportRules } from './index/exportedSymbols.ts'
export { edgeKinds, symbolKinds, type EdgeKind, type FoundSymbol, type SymbolKind } from './index/symbolTypes.ts'

/** A passage search in natural language, identifiers or both. */
export interface PassageQuestion extends Omit<PassageQuery, 'words'> {
  question: string
}

/** The symbols of a file. */
export interface Outline {
  /** Relative to the workspace. */
  path: string
  /** Name of the language, null for an unknown file type. */
  language: string | null
  /** Whether the index supports symbols in this language. */
  supported: boolean
  /** Why symbols may be missing; '' if there is no known problem. */
  problem: string
  /** Whether the symbols are from the unsaved text of an open tab. */
  unsaved: boolean
  symbols: SymbolRow[]
}

/**
 * Symbols of one workspace and the relations between them. Results use the current text of files, including unsaved
 * tabs. They are incomplete until the whole workspace is indexed, as `status` reports. Methods with a signal throw
 * `cancelled`; methods with a path also throw the errors of `Documents.read`.
 */
export interface CodeIndex {
  /** Finds symbols by name, best first. `path` is a file or folder. @throws ToolError outside_workspace, not_found */
  search(query: SymbolQuery, signal: AbortSignal): Promise<SymbolRow[]>
  /** Finds symbols by words in their name, signature or comment, best first. */
  searchText(words: readonly string[], limit: number, signal: AbortSignal): Promise<SymbolRow[]>
  /** Finds the passage that a description refers to in the current text of a file. */
  matchDescription(path: string, text: string, description: string, signal: AbortSignal): Promise<DescriptionMatch>
  /** Returns the symbols that a file would have after an edit, without storing them. */
  symbolsIn(path: string, text: string, signal: AbortSignal): Promise<FoundSymbol[]>
  /** Finds passages that contain the words of a question, best first, in all text files up to 1 MB. */
  passages(query: PassageQuestion, signal: AbortSignal): Promise<RankedPassage[]>
  /** Returns the symbols that match an id, or a file and a name. */
  select(selector: SymbolSelector, signal: AbortSignal): Promise<SymbolRow[]>
  /** Returns the outline of a file, in text order. */
  outline(path: string, signal: AbortSignal): Promise<Outline>
  /** Returns the outline of a tab's current text without updating the index. */
  draftOutline(path: string, text: string, signal: AbortSignal): Promise<Outline>
  /** Returns the edges of a symbol. @throws ToolError not_found if the id is unknown */
  graph(id: string, kind: EdgeKind, limit: number, signal: AbortSignal): Promise<{ edges: Edge[]; total: number }>
  /** Returns the definitions of the word at a position, best first; null if there are none. */
  definition(place: TextPosition, signal: AbortSignal): Promise<DefinitionResult | null>
  /** Returns all references to the symbol at a position, definitions first. */
  references(
    place: TextPosition,
    limit: number,
    signal: AbortSignal,
  ): Promise<{ places: SymbolLocation[]; total: number }>
  /**
   * Describes a project: purpose, folders, entry points, central symbols, outline. Waits at most 10 seconds for
   * indexing to finish; check `status` for completeness. `indexPath` is the database file.
   * @throws ToolError not_a_directory
   */
  projectOverview(folder: string, signal: AbortSignal): Promise<{ text: string; indexPath: string }>
  /** Returns syntax errors introduced by edits to files of known languages up to 1 MB. */
  newSyntaxErrors(edits: readonly EditedText[], signal: AbortSignal): Promise<SyntaxProblem[]>
  status(): Promise<IndexStatus>
  /** Call after a tool wrote, moved or deleted these files. */
  filesWritten(paths: readonly string[]): void
  /** Call after files changed on disk. `structure`: files may have been added or removed. */
  filesChanged(paths: readonly string[], structure: boolean): void
  /** Ends the index process. */
  dispose(): Promise<void>
}

/** Starts the index of a workspace in its own process, which reads the files that ripgrep lists. */
export function createCodeIndex(options: CodeIndexOptions): CodeIndex {
  const connection = createIndexConnection(options)
  const preparation = createIndexPreparation(options, connection)
  const deps: QueryDeps = { options, connection, preparation }
  return {
    ...symbolQueries(deps),
    ...outlineQueries(deps),
    ...referenceQueries(deps),
    projectOverview: (folder, signal) => projectOverview(deps, folder, signal),
    newSyntaxErrors: (edits, signal) => newSyntaxErrors(connection, edits, signal),
    status: connection.status,
    filesChanged: connection.filesChanged,
    filesWritten: connection.filesWritten,
    dispose: connection.close,
  }
}

interface QueryDeps {
  options: CodeIndexOptions
  connection: IndexConnection
  preparation: IndexPreparation
}

function symbolQueries({
  options: { workspace },
  connection,
  preparation,
}: QueryDeps): Pick<CodeIndex, 'search' | 'searchText' | 'select' | 'passages'> {
  return {
    async search(query, signal) {
      const scope = query.path === undefined ? undefined : await workspace.resolve(query.path)
      if (scope?.type === 'file') await preparation.prepareFile(scope.relative, signal)
      else await preparation.prepareName(lastName(query.query), signal)
      return connection.clientWithFiles().call('search', [{ ...query, ...(scope ? { path: scope.relative } : {}) }])
    },
    async searchText(words, limit, signal) {
      await preparation.prepareBuffers(signal)
      return connection.clientWithFiles().call('searchText', [{ words: [...words], limit }])
    },
    async select(selector, signal) {
      const path = selector.id === undefined ? selector.path : selector.id.split('::')[0]
      const file = path === undefined ? undefined : await preparation.prepareFile(path, signal)
      return connection
        .clientWithFiles()
        .call('select', [{ ...selector, ...(selector.id === undefined && file ? { path: file.path } : {}) }])
    },
    async passages({ question, ...query }, signal) {
      const words = queryWords(question)
      await preparation.prepareWords(words.words, signal)
      signal.throwIfAborted()
      return connection.clientWithFiles().call('passages', [{ ...query, words }])
    },
  }
}

function outlineQueries({
  connection,
  preparation,
}: QueryDeps): Pick<CodeIndex, 'outline' | 'draftOutline' | 'symbolsIn' | 'matchDescription'> {
  return {
    async outline(path, signal) {
      const oversized = await preparation.oversizedPath(path, signal)
      const client = connection.clientWithFiles()
      if (oversized !== null) {
        await client.call('refresh', [[oversized]])
        return { path: oversized, unsaved: false, ...(await client.call('outline', [oversized])) }
      }
      const file = await preparation.prepareFile(path, signal)
      return { path: file.path, unsaved: file.unsaved, ...(await client.call('outline', [file.path])) }
    },
    async draftOutline(path, text, signal) {
      signal.throwIfAborted()
      const draft = { path, text: truncateForIndex(text) }
      return { path, unsaved: true, ...(await connection.client().call('draftOutline', [draft])) }
    },
    async symbolsIn(path, text, signal) {
      signal.throwIfAborted()
      return connection.client().call('symbolsIn', [{ path, text }])
    },
    async matchDescription(path, text, description, signal) {
      const file = await preparation.prepareFile(path, signal)
      return connection.clientWithFiles().call('matchDescription', [{ path: file.path, text, description }])
    },
  }
}

function referenceQueries(deps: QueryDeps): Pick<CodeIndex, 'graph' | 'definition' | 'references'> {
  const { connection, preparation } = deps
  const { select } = symbolQueries(deps)
  return {
    async graph(id, kind, limit, signal) {
      const [symbol] = await select({ id }, signal)
      if (!symbol)
        throw new ToolError(
          'not_found',
          `No symbol has the id "${id}".`,
          'Find it with symbol_search or symbol_outline and pass the symbol_id of the result.',
        )
      await preparation.prepareName(symbol.name, signal)
      const graph = await connection.clientWithFiles().call('graph', [{ id, kind, limit }])
      return graph ?? { edges: [], total: 0 }
    },
    async definition(place, signal) {
      const cursor = await preparation.prepareCursor(place, signal)
      return connection.clientWithFiles().call('definition', [cursor])
    },
    async references(place, limit, signal) {
      const cursor = await preparation.prepareCursor(place, signal)
      return connection.clientWithFiles().call('references', [{ cursor, limit }])
    },
  }
}

/** README files and manifests, from which the overview takes the project's purpose and entry points. */
const overviewFiles = '{README*,package.json,Cargo.toml,pyproject.toml,go.mod,pom.xml}'

async function projectOverview(
  { options, connection, preparation }: QueryDeps,
  path: string,
  signal: AbortSignal,
): Promise<{ text: string; indexPath: string }> {
  const { workspace, documents, search, userData } = options
  const folder = await workspace.resolve(path)
  if (folder.type !== 'directory')
    throw new ToolError(
      'not_a_directory',
      `"${folder.relative}" is not a folder.`,
      'Pass a folder, or use symbol_outline for a file.',
    )
  connection.relistIfUnwatched()
  await preparation.prepareBuffers(signal)
  await connection.waitUntilIndexed(signal)
  const { paths } = await search.files(
    { path: folder.relative, glob: overviewFiles, maxDepth: 1, maxResults: 6 },
    { signal },
  )
  const texts = await Promise.all(
    paths.map(async (name) => ({ path: name, text: (await documents.read(name, signal)).text })),
  )
  const overview = await connection.clientWithFiles().call('projectOverview', [{ folder: folder.relative, texts }])
  return { text: overview, indexPath: indexFileOf(workspace.root, userData) }
}

async function newSyntaxErrors(
  connection: IndexConnection,
  edits: readonly EditedText[],
  signal: AbortSignal,
): Promise<SyntaxProblem[]> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([connection.client().call('newSyntaxErrors', [[...edits]]), aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** Returns the name after the last separator of a qualified name. */
function lastName(qualified: string): string {
  return qualified.slice(Math.max(...['.', ':', '#', '/'].map((separator) => qualified.lastIndexOf(separator))) + 1)
}
