import type * as lsp from 'vscode-languageserver-protocol'
import type { CodeSymbol, OutlineSymbol } from '../../../shared/language/codeNavigation.ts'
import type { DocumentServer, QueryRunningServers, QueryServers, FeatureServer } from './featureServer.ts'
import { truncate } from '../../../shared/text/truncate.ts'

/** Maximum symbols in an outline. */
export const maxOutlineSymbols = 10_000
/** Maximum depth of an outline. */
const maxDepth = 50
/** Maximum results of a symbol search read from each server. */
const maxFound = 1000
/** A file's symbols as reported by a server, in text order. */
export interface ServerOutline {
  symbols: OutlineSymbol[]
  /** Whether the server reported more than `maxOutlineSymbols`. */
  truncated: boolean
}

/**
 * Symbols of files and of the folder from running language servers. Starts none, because the index has symbols too.
 * @param maxWait milliseconds that an outline or a search waits for a server
 */
export function createSymbols(query: QueryServers, queryRunning: QueryRunningServers, maxWait: number) {
  const limited = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(maxWait)])
  return {
    /** Undefined or null if no server responds. */
    documentSymbols: (path: string, signal: AbortSignal): Promise<ServerOutline | null | undefined> =>
      query(
        path,
        'textDocument/documentSymbol',
        async (answering) => {
          const found = await answering.request('textDocument/documentSymbol', { textDocument: { uri: answering.uri } })
          return found === null ? null : outlineOf(answering, found)
        },
        { signal: limited(signal), onlyRunning: true, latest: 'outline' },
      ),

    /** Finds symbols in the folder by name, in server order. */
    async folderSymbols(query: string, signal: AbortSignal): Promise<CodeSymbol[]> {
      const found = await queryRunning(
        'workspace/symbol',
        async (answering) => {
          const symbols = (await answering.request('workspace/symbol', { query })) ?? []
          const converted = await Promise.all(symbols.slice(0, maxFound).map((each) => folderSymbol(answering, each)))
          return converted.filter((symbol) => symbol !== null)
        },
        limited(signal),
      )
      return found.flat()
    },
  }
}

interface Nested {
  symbol: lsp.DocumentSymbol
  parent: number | null
  container: string
  depth: number
}

function isNested(symbol: lsp.DocumentSymbol | lsp.SymbolInformation): symbol is lsp.DocumentSymbol {
  return 'selectionRange' in symbol
}

function outlineOf(
  answering: DocumentServer,
  found: readonly (lsp.DocumentSymbol | lsp.SymbolInformation)[],
): ServerOutline {
  const nested = found.some((each) => !isNested(each)) ? nestByRange(found) : found.filter(isNested)
  const symbols: OutlineSymbol[] = []
  const used = new Map<string, number>()
  // A stack instead of recursion, because a server can nest arbitrarily deep.
  const waiting: Nested[] = inTextOrder(nested).map((symbol) => ({ symbol, parent: null, container: '', depth: 1 }))
  let next = waiting.pop()
  for (; next && symbols.length < maxOutlineSymbols; next = waiting.pop()) {
    const { symbol, parent, container, depth } = next
    if (isListedName(answering, symbol, depth)) continue
    const shown = outlineSymbol(answering, symbol, container)
    // Overloads and callbacks share their name. An id belongs to one row of the outline.
    const count = used.get(shown.id) ?? 0
    used.set(shown.id, count + 1)
    symbols.push({ ...shown, id: count === 0 ? shown.id : `${shown.id}~${count}`, parent })
    if (depth >= maxDepth) continue
    const below = container === '' ? shown.name : `${container}.${shown.name}`
    const at = symbols.length - 1
    for (const child of inTextOrder(symbol.children ?? []))
      waiting.push({ symbol: child, parent: at, container: below, depth: depth + 1 })
  }
  return { symbols, truncated: next !== undefined }
}

/** Returns symbols in reverse order, for the stack. Servers may send them in an order other than the text's. */
function inTextOrder(symbols: readonly lsp.DocumentSymbol[]): lsp.DocumentSymbol[] {
  return symbols
    .slice(0, maxOutlineSymbols + 1)
    .toSorted((a, b) => b.range.start.line - a.range.start.line || b.range.start.character - a.range.start.character)
}

function outlineSymbol(
  { path, codec, lines }: DocumentServer,
  symbol: lsp.DocumentSymbol,
  container: string,
): CodeSymbol {
  const name = oneLine(symbol.name) || '…'
  const kind = kindIn(lines.line(symbol.selectionRange.start.line), symbol)
  const range = codec.rangeFromServer(lines, symbol.range)
  const selection = codec.rangeFromServer(lines, symbol.selectionRange)
  return {
    id: `${path}::${container === '' ? name : `${container}.${name}`}#${kind}`,
    kind,
    name,
    container,
    path,
    line: range.startLine,
    column: range.startColumn,
    endLine: range.endLine,
    endColumn: range.endColumn,
    nameLine: selection.startLine,
    nameColumn: selection.startColumn,
    signature: oneLine(symbol.detail) || name,
  }
}

/** `SymbolKind` of the protocol. */
const classKind = 5
const variableKind = 13

/** TypeScript 7 reports type aliases as classes. */
function kindIn(line: string, { kind, selectionRange: { start } }: lsp.DocumentSymbol): string {
  if (kind === classKind && /\btype\s+$/.test(line.slice(0, start.character))) return 'type'
  return symbolKindOf(kind)
}

const maxImportLines = 200

/** Start of a statement that lists names defined elsewhere. */
const nameList = /^(?:import[\s{*]|export\s*(?:type\s*)?[{*])/

/** Whether a symbol is an imported or exported name, defined elsewhere. TypeScript 7 reports them as variables. */
function isListedName({ lines }: DocumentServer, { kind, range }: lsp.DocumentSymbol, depth: number): boolean {
  if (kind !== variableKind || depth > 1 || range.start.line !== range.end.line) return false
  const last = range.start.line
  for (let at = last; at >= Math.max(0, last - maxImportLines); at -= 1) {
    const line = lines.line(at)
    if (nameList.test(line)) return true
    // The line before a statement's first line ends another statement.
    if (at < last ? /[;'"`)}]\s*$/.test(line) : /^\s*(?:export|const|let|var|declare)\b/.test(line)) return false
  }
  return false
}

interface FlatSymbol {
  name: string
  kind: lsp.SymbolKind
  range: lsp.Range
}

/** Nests symbols that a server lists without their parents: a symbol's parent is the smallest one that contains it. */
function nestByRange(found: readonly (lsp.DocumentSymbol | lsp.SymbolInformation)[]): lsp.DocumentSymbol[] {
  const flat: FlatSymbol[] = found
    .slice(0, maxOutlineSymbols + 1)
    .map((each) => ({ name: each.name, kind: each.kind, range: isNested(each) ? each.range : each.location.range }))
  const sorted = flat.toSorted((a, b) => compare(a.range.start, b.range.start) || compare(b.range.end, a.range.end))
  const roots: lsp.DocumentSymbol[] = []
  const open: (lsp.DocumentSymbol & { children: lsp.DocumentSymbol[] })[] = []
  for (const { name, kind, range } of sorted) {
    const symbol = { name, kind, range, selectionRange: range, children: [] as lsp.DocumentSymbol[] }
    while (open.length > 0 && compare(open.at(-1)?.range.end ?? range.end, range.end) < 0) open.pop()
    ;(open.at(-1)?.children ?? roots).push(symbol)
    open.push(symbol)
  }
  return roots
}

function compare(a: lsp.Position, b: lsp.Position): number {
  return a.line - b.line || a.character - b.character
}

/** Null for symbols outside the workspace. */
async function folderSymbol(
  { pathOf, codec, linesOf }: FeatureServer,
  { name: given, kind: kindNumber, containerName, location }: lsp.SymbolInformation | lsp.WorkspaceSymbol,
): Promise<CodeSymbol | null> {
  const path = pathOf(location.uri)
  const name = oneLine(given)
  if (path === null || name === '') return null
  const lines = codec.needsText ? await linesOf(path) : null
  const range =
    'range' in location
      ? codec.rangeFromServer(lines, location.range)
      : { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 }
  const kind = symbolKindOf(kindNumber)
  const container = oneLine(containerName)
  return {
    id: `${path}::${container === '' ? name : `${container}.${name}`}#${kind}:${range.startLine}`,
    kind,
    name,
    container,
    path,
    line: range.startLine,
    column: range.startColumn,
    endLine: range.endLine,
    endColumn: range.endColumn,
    nameLine: range.startLine,
    nameColumn: range.startColumn,
    signature: name,
  }
}

/**
 * Kinds of the code index (code/index/symbolTypes.ts) in the order of the protocol's `SymbolKind`, which starts with 1.
 */
const kinds = [
  'module',
  'module',
  'namespace',
  'namespace',
  'class',
  'method',
  'property',
  'property',
  'method',
  'enum',
  'interface',
  'function',
  'variable',
  'constant',
  // Values in data files: string, number, boolean, array, object, key, null.
  ...Array.from({ length: 7 }, () => 'property'),
  'enum_member',
  'struct',
  'variable',
  'function',
  'type',
]

export function symbolKindOf(kind: number): string {
  return kinds[kind - 1] ?? 'variable'
}

/** Maximum UTF-16 units of a name or a signature. */
const maxText = 200

/** Returns a server's text on one line, truncated. */
export function oneLine(text: unknown): string {
  if (typeof text !== 'string') return ''
  const line = text
    .slice(0, 2 * maxText)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return truncate(line, maxText)
}
