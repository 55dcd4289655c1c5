import type { ModuleFinder } from './moduleFinder.ts'
import { createReferenceResolver, type ReferenceResolver } from './referenceResolver.ts'
import type { LinkRow, ReferenceRow, SymbolRow } from '../index/indexRows.ts'
import type { IndexStore } from '../index/indexStore.ts'
import type { EdgeKind } from '../index/symbolTypes.ts'

/** A relation between two symbols, or between a symbol and code outside all symbols. */
export interface Edge {
  kind: EdgeKind
  direction: 'incoming' | 'outgoing'
  /** Position of the reference. */
  path: string
  line: number
  column: number
  /** The referenced name as in the source, with its receiver. */
  text: string
  /** The symbol at the other end; null outside the index, or at a file's top level. */
  symbol: SymbolRow | null
  /** Whether imports and scopes lead to the symbol. Otherwise only the name matches. */
  resolved: boolean
}

/** Languages that list base classes and interfaces together. */
const singleBaseListLanguages: ReadonlySet<string> = new Set(['csharp', 'swift'])

/** If a name matches more symbols than this, it creates no edges. */
const maxNameMatchTargets = 5

/** The symbol whose edges are computed. */
interface EdgeQuery {
  store: IndexStore
  resolver: ReferenceResolver
  symbol: SymbolRow
}

/**
 * Returns the edges of a symbol, resolved ones first, then by position.
 * @returns at most `limit` edges, and their total number
 */
export function edgesOf(
  store: IndexStore,
  findModule: ModuleFinder,
  symbol: SymbolRow,
  kind: EdgeKind,
  limit: number,
): { edges: Edge[]; total: number } {
  const query: EdgeQuery = { store, resolver: createReferenceResolver(store, findModule), symbol }
  const edges = edgesOfKind(query, kind).toSorted((a, b) => Number(b.resolved) - Number(a.resolved))
  return { edges: limitPerDirection(edges, limit), total: edges.length }
}

function edgesOfKind(query: EdgeQuery, kind: EdgeKind): Edge[] {
  if (kind === 'contains') return containmentEdges(query)
  if (kind === 'import' || kind === 'export') return [...incomingLinks(query, kind), ...outgoingLinks(query, kind)]
  return [...incomingReferences(query, kind), ...outgoingReferences(query, kind)]
}

function symbolById(store: IndexStore, id: number | null): SymbolRow | null {
  return id === null ? null : (store.symbol(id) ?? null)
}

function containmentEdges({ store, symbol }: EdgeQuery): Edge[] {
  const edge = (other: SymbolRow, direction: Edge['direction'], at: SymbolRow): Edge => ({
    kind: 'contains',
    direction,
    path: at.path,
    line: at.name_line,
    column: at.name_column,
    text: other.name,
    symbol: other,
    resolved: true,
  })
  const parent = symbolById(store, symbol.parent)
  const children = store.symbols('s.file = ? AND s.parent = ? ORDER BY s.line, s.id', symbol.file, symbol.id)
  return [
    ...(parent ? [edge(parent, 'incoming', symbol)] : []),
    ...children.map((child) => edge(child, 'outgoing', child)),
  ]
}

/** Returns the imports or exports that refer to the symbol. */
function incomingLinks({ store, resolver, symbol }: EdgeQuery, kind: 'import' | 'export'): Edge[] {
  const candidates = store.links(
    "l.kind = ? AND (l.original = ? OR l.local = ? OR l.original = 'default') ORDER BY l.path, l.line",
    kind,
    symbol.name,
    symbol.name,
  )
  return candidates.flatMap((link) =>
    resolver.resolveLink(link)?.some(({ id }) => id === symbol.id) ? [linkEdge(link, 'incoming', null)] : [],
  )
}

/** Returns the imports of the file that the symbol uses. Nothing inside a symbol is exported. */
function outgoingLinks({ store, resolver, symbol }: EdgeQuery, kind: 'import' | 'export'): Edge[] {
  if (kind === 'export') return []
  const inside = new Set(
    store
      .symbols('s.file = ? AND s.line >= ? AND s.end_line <= ?', symbol.file, symbol.line, symbol.end_line)
      .map(({ id }) => id),
  )
  const used = new Set(
    store
      .referencesIn(symbol.file)
      .flatMap(({ symbol: from, name, receiver }) => (from !== null && inside.has(from) ? [name, receiver] : [])),
  )
  return store
    .links("l.file = ? AND l.kind = 'import' ORDER BY l.line, l.local", symbol.file)
    .filter(({ local }) => used.has(local))
    .map((link) => linkEdge(link, 'outgoing', resolver.resolveLink(link)?.[0] ?? null))
}

function linkEdge(link: LinkRow, direction: Edge['direction'], target: SymbolRow | null): Edge {
  const alias = link.local === link.original ? '' : ` as ${link.local}`
  const source = link.source === null ? '' : ` from ${link.source}`
  return {
    kind: link.kind,
    direction,
    path: link.path,
    line: link.line,
    column: link.column,
    text: `${link.original}${alias}${source}`,
    symbol: target,
    resolved: direction === 'incoming' || target !== null,
  }
}

function incomingReferences(query: EdgeQuery, kind: EdgeKind): Edge[] {
  const { store, resolver, symbol } = query
  // Code refers to a constructor by the name of its class.
  const name =
    symbol.name === 'constructor' || symbol.name === '__init__'
      ? (symbolById(store, symbol.parent)?.name ?? symbol.name)
      : symbol.name
  const isTarget = ({ id }: SymbolRow): boolean => id === symbol.id || (name !== symbol.name && id === symbol.parent)
  const kinds = storedKinds(kind)
  const references = [
    ...[...store.referencesTo(name, kinds)].flat(),
    ...aliasesOf(query, name).flatMap((link) =>
      store
        .referencesIn(link.file)
        .filter((reference) => reference.name === link.local && kinds.includes(reference.kind)),
    ),
  ]
  const seen = new Set<number>()
  return references.flatMap((reference) => {
    if (seen.has(reference.id)) return []
    seen.add(reference.id)
    const { targets, resolved } = resolver.resolveReference(reference)
    if (edgeKindOf(store, reference, targets) !== kind || !targets.some(isTarget)) return []
    return [referenceEdge(reference, kind, 'incoming', symbolById(store, reference.symbol), resolved)]
  })
}

/** Returns the imports and exports that rename the symbol. */
function aliasesOf({ store, resolver, symbol }: EdgeQuery, name: string): LinkRow[] {
  const exports = store.links(
    "l.file = ? AND l.kind = 'export' AND l.original = ? AND l.source IS NULL",
    symbol.file,
    name,
  )
  const exportedNames = new Set([name, 'default', ...exports.map(({ local }) => local)])
  // A CommonJS module as a whole has the name of the variable that `require` is assigned to.
  if (exportedNames.delete('exports')) exportedNames.add('*')
  return [...exportedNames]
    .flatMap((original) => store.linksRenaming(original).filter(({ local }) => local !== name && local !== '*'))
    .filter((link) => resolver.resolveLink(link)?.some(({ id }) => id === symbol.id) ?? link.original === name)
}

function outgoingReferences({ store, resolver, symbol }: EdgeQuery, kind: EdgeKind): Edge[] {
  const inside = new Set(
    store
      .symbols(
        's.file = ? AND s.line >= ? AND s.end_line <= ? AND (s.qualified = ? OR instr(s.qualified, ?) = 1)',
        symbol.file,
        symbol.line,
        symbol.end_line,
        symbol.qualified,
        `${symbol.qualified}.`,
      )
      .map(({ id }) => id),
  )
  const kinds = storedKinds(kind)
  const references = store
    .referencesIn(symbol.file)
    .filter((reference) => kinds.includes(reference.kind) && reference.symbol !== null && inside.has(reference.symbol))
  return references.flatMap((reference) => {
    const { targets, resolved } = resolver.resolveReference(reference)
    if (edgeKindOf(store, reference, targets) !== kind) return []
    if (targets.length === 0 || (!resolved && targets.length > maxNameMatchTargets))
      return [referenceEdge(reference, kind, 'outgoing', null, false)]
    return targets.map((target) => referenceEdge(reference, kind, 'outgoing', target, resolved))
  })
}

/**
 * Returns the edge kind of a reference. In a combined list of bases, it depends on the target: a class implements
 * interfaces and extends classes, and an interface extends all its bases.
 */
function edgeKindOf(
  store: IndexStore,
  { kind, language, symbol: from }: ReferenceRow,
  targets: readonly SymbolRow[],
): EdgeKind {
  if (!singleBaseListLanguages.has(language) || (kind !== 'extends' && kind !== 'implements') || targets.length === 0)
    return kind
  if (symbolById(store, from)?.kind === 'interface') return 'extends'
  if (targets.every((target) => target.kind === 'interface')) return 'implements'
  return targets.every((target) => target.kind !== 'interface') ? 'extends' : kind
}

function referenceEdge(
  { path, line, column, name, receiver }: ReferenceRow,
  kind: EdgeKind,
  direction: Edge['direction'],
  other: SymbolRow | null,
  resolved: boolean,
): Edge {
  const text = receiver === null ? name : `${receiver}.${name}`
  return { kind, direction, path, line, column, text, symbol: other, resolved }
}

/** Returns the reference kinds in the index that an edge of this kind may have. */
function storedKinds(kind: EdgeKind): [EdgeKind, EdgeKind] {
  return kind === 'extends' || kind === 'implements' ? ['extends', 'implements'] : [kind, kind]
}

/** Shares the limit between both directions. */
function limitPerDirection(edges: readonly Edge[], limit: number): Edge[] {
  if (edges.length <= limit) return [...edges]
  const incoming = edges.filter(({ direction }) => direction === 'incoming')
  const outgoing = edges.filter(({ direction }) => direction === 'outgoing')
  const half = Math.ceil(limit / 2)
  const incomingLimit = Math.min(incoming.length, Math.max(half, limit - outgoing.length))
  return [...incoming.slice(0, incomingLimit), ...outgoing.slice(0, limit - incomingLimit)]
}
