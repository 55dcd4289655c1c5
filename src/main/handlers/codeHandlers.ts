import { ToolError } from '../../shared/errors.ts'
import type {
  CodeLocation,
  CodeOutline,
  CodeSymbol,
  IndexProgress,
  OutlineSymbol,
  CallDirection,
  CallHierarchy,
  CallHierarchyItem,
} from '../../shared/language/codeNavigation.ts'
import { plural } from '../../shared/text/plural.ts'
import type { CodeIndex, DefinitionResult, IndexStatus, SymbolRow, Edge, TextPosition } from '../code/codeIndex.ts'
import { nameScore } from '../code/search/nameScore.ts'
import { maxOutlineSymbols, type ServerOutline } from '../lsp/features/symbols.ts'
import type { LanguageServers } from '../lsp/languageServers.ts'
import type { Buffers } from '../workspace/buffers.ts'
import type { Handlers } from '../core/coreContract.ts'
import { createSentOutlines } from './sentOutlines.ts'

/** Services of the open folder that the editor's symbol features use. */
export interface CodeServices {
  code: CodeIndex
  buffers: Pick<Buffers, 'get'>
  languages: Pick<
    LanguageServers,
    'definition' | 'references' | 'hover' | 'documentSymbols' | 'folderSymbols' | 'callHierarchy'
  >
}

type CodeHandlers = Pick<
  Handlers,
  'code.definition' | 'code.references' | 'code.hover' | 'code.outline' | 'code.symbols' | 'code.callHierarchy'
>

/** Maximum number of definitions in a hover. */
const maxHoverDefinitions = 3

/**
 * Handles go to definition, references, hover, outline and symbol search: with a running language server, or else with
 * the index that the symbol tools use.
 * @param current returns the services of the open folder, or null while none is open
 */
export function createCodeHandlers(current: () => CodeServices | null): CodeHandlers {
  function code(): CodeIndex {
    const found = current()
    if (!found) throw new ToolError('no_workspace', 'No folder is open.', 'Open a folder first.')
    return found.code
  }
  const languages = (): CodeServices['languages'] | undefined => current()?.languages
  const buffers = (): CodeServices['buffers'] | undefined => current()?.buffers
  const sent = createSentOutlines()

  return {
    'code.definition': async (place, signal) => {
      const answer = await languages()?.definition(place, signal)
      if (answer) return answer
      const found = await code().definition(place, signal)
      const places = found ? placesOf(found) : []
      return found && places.length > 0
        ? { places, resolved: found.resolved, name: found.name, column: found.column }
        : null
    },
    'code.references': async ({ limit, ...place }, signal) =>
      (await languages()?.references(place, limit, signal)) ?? code().references(place, limit, signal),
    'code.hover': async (place, signal) => {
      const answer = await languages()?.hover(place, signal)
      // An empty response from a server is final, because the index would only guess by name.
      if (answer !== undefined) return answer
      const found = await code().definition(place, signal)
      // A word that the index does not know as a name may be in a comment.
      if (!found?.indexed || found.targets.length === 0) return null
      const [first, second] = found.targets
      // On a definition without a comment, a hover would repeat the line.
      if (second === undefined && first?.doc === '' && first.path === place.path && first.name_line === place.line)
        return null
      const symbols = found.targets
        .slice(0, maxHoverDefinitions)
        .map((row) => ({ ...symbolOf(row), doc: row.doc, language: row.language }))
      return { symbols, resolved: found.resolved, column: found.column, name: found.name }
    },
    'code.outline': async ({ path: given, indexOnly, known }, signal) => {
      const answer = indexOnly ? undefined : await languages()?.documentSymbols(given, signal)
      if (answer && answer.symbols.length > 0) return sent.withRevision(serverOutline(given, answer), known)
      // Parses unsaved text without updating the index, because the outline is requested at every pause in typing.
      const unsaved = buffers()?.get(given)?.text
      const { path, language, supported, problem, symbols } = await (unsaved === null || unsaved === undefined
        ? code().outline(given, signal)
        : code().draftOutline(given, unsaved, signal))
      return sent.withRevision({ path, language, supported, problem, symbols: outlineOf(symbols) }, known)
    },
    'code.symbols': async ({ query, limit, indexOnly }, signal) => {
      if (query.trim() === '') return { symbols: [], building: progressOf(await code().status()) }
      const [indexed, served] = await Promise.all([
        code().search({ query, limit }, signal),
        indexOnly ? [] : languages()?.folderSymbols(query, signal),
      ])
      const symbols = joinSymbols(query, served ?? [], indexed.map(symbolOf)).slice(0, limit)
      return { symbols, building: progressOf(await code().status()) }
    },
    'code.callHierarchy': async ({ direction, ...place }, signal) =>
      (await languages()?.callHierarchy(place, direction, signal)) ?? indexedCalls(code(), place, direction, signal),
  }
}

function progressOf({ state, done, total }: IndexStatus): IndexProgress | null {
  return state === 'symbols' ? { done, total } : null
}

function serverOutline(path: string, { symbols, truncated }: ServerOutline): CodeOutline {
  const problem = truncated ? `Only the first ${plural(maxOutlineSymbols, 'symbol')} are shown.` : ''
  return { path, language: null, supported: true, problem, symbols }
}

/**
 * Merges symbols from servers and from the index, which knows files that no server has loaded. Best first. If both
 * found a symbol, the server's is used.
 */
function joinSymbols(query: string, served: readonly CodeSymbol[], indexed: readonly CodeSymbol[]): CodeSymbol[] {
  if (served.length === 0) return [...indexed]
  const key = ({ path, name, nameLine }: CodeSymbol): string => `${nameLine} ${name} ${path}`
  const known = new Set(served.map(key))
  const wanted = query.trim()
  const lower = wanted.toLowerCase()
  return [...served, ...indexed.filter((symbol) => !known.has(key(symbol)))]
    .map((symbol) => ({ symbol, score: nameScore(symbol.name, wanted, lower) }))
    .toSorted((a, b) => b.score - a.score)
    .map(({ symbol }) => symbol)
}

function symbolOf(row: SymbolRow): CodeSymbol {
  return {
    id: row.symbol_id,
    kind: row.kind,
    name: row.name,
    container: row.qualified.slice(0, Math.max(0, row.qualified.length - row.name.length - 1)),
    path: row.path,
    line: row.line,
    column: row.column,
    endLine: row.end_line,
    endColumn: row.end_column,
    nameLine: row.name_line,
    nameColumn: row.name_column,
    signature: row.signature,
  }
}

function placesOf({ targets, modules }: DefinitionResult): CodeLocation[] {
  return [
    ...targets.map((row) => ({ path: row.path, line: row.name_line, column: row.name_column, name: row.name })),
    ...modules.map((path) => ({ path, line: 1, column: 1, name: '' })),
  ]
}

/** Returns the symbols of an outline: all except imports and exports, which are defined elsewhere. */
function outlineOf(rows: readonly SymbolRow[]): OutlineSymbol[] {
  const defined = rows.filter(({ kind }) => kind !== 'import' && kind !== 'export')
  const index = new Map(defined.map(({ id }, at) => [id, at]))
  return defined.map((row) => ({
    ...symbolOf(row),
    parent: row.parent === null ? null : (index.get(row.parent) ?? null),
  }))
}

/** Maximum number of calls read from the index. */
const maxCalls = 1000

const functionKinds: ReadonlySet<string> = new Set(['function', 'method', 'class', 'struct', 'impl'])

/**
 * Returns callers or callees from the index, if no language server responds; null if there is no function at the
 * position.
 */
async function indexedCalls(
  code: Pick<CodeIndex, 'definition' | 'outline' | 'graph'>,
  place: TextPosition,
  direction: CallDirection,
  signal: AbortSignal,
): Promise<CallHierarchy | null> {
  const symbol = await functionAt(code, place, signal)
  if (!symbol) return null
  const { edges, total } = await code.graph(symbol.symbol_id, 'call', maxCalls, signal)
  const calls = new Map<string, CallHierarchy['calls'][number]>()
  for (const edge of edges) {
    const item = edge.direction === direction ? otherEnd(edge) : null
    if (!item) continue
    const key = `${item.path} ${item.range.startLine} ${item.name}`
    const known = calls.get(key) ?? { item, ranges: [], certain: edge.resolved }
    const { line, column, text } = edge
    known.ranges.push({ startLine: line, startColumn: column, endLine: line, endColumn: column + text.length })
    calls.set(key, known)
  }
  return { item: itemOf(symbol), calls: [...calls.values()], more: total - edges.length }
}

/** Returns the function whose name is at a position, otherwise the innermost one around it. */
async function functionAt(
  code: Pick<CodeIndex, 'definition' | 'outline'>,
  place: TextPosition,
  signal: AbortSignal,
): Promise<SymbolRow | undefined> {
  const found = await code.definition(place, signal)
  const named = found?.targets.find(({ kind }) => functionKinds.has(kind))
  if (named) return named
  const { symbols } = await code.outline(place.path, signal)
  return symbols.findLast(
    ({ kind, line, end_line }) => functionKinds.has(kind) && line <= place.line && place.line <= end_line,
  )
}

function itemOf({ name, kind, qualified, path, name_line: line, name_column: column }: SymbolRow): CallHierarchyItem {
  return {
    name,
    kind,
    detail: qualified.slice(0, Math.max(0, qualified.length - name.length - 1)),
    path,
    range: { startLine: line, startColumn: column, endLine: line, endColumn: column + name.length },
  }
}

/** The function at the other end of a call. Calls at the top level of a file belong to the file. */
function otherEnd({ symbol, direction, path }: Edge): CallHierarchyItem | null {
  if (symbol) return itemOf(symbol)
  if (direction === 'outgoing') return null
  return {
    name: path,
    kind: 'module',
    detail: '',
    path,
    range: { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 },
  }
}
