import type { ModuleFinder } from './moduleFinder.ts'
import { createResolver } from './referenceResolver.ts'
import type { IndexStore, LinkRow, ReferenceRow, SymbolRow } from '../index/indexStore.ts'
import type { EdgeKind } from '../index/symbolTypes.ts'

export interface Edge {
  kind: EdgeKind
  direction: 'incoming' | 'outgoing'
  /** Position of the reference. */
  path: string
  line: number
  column: number
  /** The name as written there, with its receiver. */
  text: string
  /** The symbol at the other end; null outside the index, or at a file's top level. */
  symbol: SymbolRow | null
  /** Whether imports and scopes lead to the symbol; otherwise only the name matches. */
  resolved: boolean
}

/** Languages that list base classes and interfaces together. */
const singleBaseListLanguages: ReadonlySet<string> = new Set(['csharp', 'swift'])

/** If a name matches more symbols than this, none of them becomes an edge. */
const maxNameMatchTargets = 5

/**
 * Returns the edges of a symbol, resolved ones first, then by position.
 * @returns at most `limit` edges, and their total number
 */
// Longer than 100 lines, because its functions share the symbol and the resolver.
export function edgesOf(
  store: IndexStore,
  findModule: ModuleFinder,
  symbol: SymbolRow,
  kind: EdgeKind,
  limit: number,
): { edges: Edge[]; total: number } {
  const resolver = createResolver(store, findModule)
  const owner = (id: number | null): SymbolRow | null =>
    id === null ? null : (store.symbols('s.id = ?', id)[0] ?? null)
  const same = (other: SymbolRow): boolean => other.id === symbol.id

  function found(): Edge[] {
    if (kind === 'contains') return contained()
    if (kind === 'import' || kind === 'export') return linked(kind)
    return [...incoming(kind), ...outgoing(kind)]
  }

  function contained(): Edge[] {
    const around = owner(symbol.parent)
    const edge = (other: SymbolRow, direction: Edge['direction'], at: SymbolRow): Edge => ({
      kind,
      direction,
      path: at.path,
      line: at.name_line,
      column: at.name_column,
      text: other.name,
      symbol: other,
      resolved: true,
    })
    return [
      ...(around ? [edge(around, 'incoming', symbol)] : []),
      ...store.symbols('s.parent = ? ORDER BY s.line, s.id', symbol.id).map((child) => edge(child, 'outgoing', child)),
    ]
  }

  function linked(wanted: 'import' | 'export'): Edge[] {
    const candidates = store.links(
      "l.kind = ? AND (l.original = ? OR l.local = ? OR l.original = 'default') ORDER BY f.path, l.line",
      wanted,
      symbol.name,
      symbol.name,
    )
    const into = candidates.flatMap((link) =>
      resolver.link(link)?.some(same) ? [linkEdge(link, 'incoming', null)] : [],
    )
    // Imports of the file that the symbol uses.
    const used =
      wanted === 'export'
        ? []
        : store.links(
            `l.kind = 'import' AND l.file = ? AND EXISTS (SELECT 1 FROM refs r JOIN symbols o ON o.id = r.symbol
      WHERE r.file = l.file AND o.line >= ? AND o.end_line <= ? AND (r.name = l.local OR r.receiver = l.local)) ORDER BY l.line`,
            symbol.file,
            symbol.line,
            symbol.end_line,
          )
    return [...into, ...used.map((link) => linkEdge(link, 'outgoing', resolver.link(link)?.[0] ?? null))]
  }

  function linkEdge(link: LinkRow, direction: Edge['direction'], target: SymbolRow | null): Edge {
    const text = `${link.original}${link.local === link.original ? '' : ` as ${link.local}`}${link.source === null ? '' : ` from ${link.source}`}`
    return {
      kind,
      direction,
      path: link.path,
      line: link.line,
      column: link.column,
      text,
      symbol: target,
      resolved: direction === 'incoming' || target !== null,
    }
  }

  function incoming(wanted: EdgeKind): Edge[] {
    const named =
      symbol.name === 'constructor' || symbol.name === '__init__'
        ? (owner(symbol.parent)?.name ?? symbol.name)
        : symbol.name
    const aliases = aliasesOf(named)
    const written = storedKinds(wanted)
    const references = [
      ...store.references(`r.name = ? AND r.kind IN (?, ?) ORDER BY f.path, r.line`, named, ...written),
      ...aliases.flatMap((link) =>
        store.references('r.file = ? AND r.name = ? AND r.kind IN (?, ?)', link.file, link.local, ...written),
      ),
    ]
    const seen = new Set<number>()
    return references.flatMap((reference) => {
      if (seen.has(reference.id)) return []
      seen.add(reference.id)
      const { targets, resolved } = resolver.reference(reference)
      if (meantAs(reference, targets) !== wanted) return []
      if (!targets.some((target) => same(target) || (named !== symbol.name && target.id === symbol.parent))) return []
      return [referenceEdge(reference, 'incoming', owner(reference.symbol), resolved)]
    })
  }

  /** Returns the imports and exports that rename the symbol. */
  function aliasesOf(named: string): LinkRow[] {
    const handedOn = store.links(
      "l.file = ? AND l.kind = 'export' AND l.original = ? AND l.source IS NULL",
      symbol.file,
      named,
    )
    const names = new Set([named, 'default', ...handedOn.map(({ local }) => local)])
    // A CommonJS module as a whole has the name that `require` assigns to it.
    if (names.delete('exports')) names.add('*')
    return [...names]
      .flatMap((original) => store.links("l.original = ? AND l.local <> ? AND l.local <> '*'", original, named))
      .filter((link) => resolver.link(link)?.some(same) ?? link.original === named)
  }

  function outgoing(wanted: EdgeKind): Edge[] {
    const references = store.references(
      `r.kind IN (?, ?) AND r.symbol IN (SELECT o.id FROM symbols o WHERE o.file = ? AND o.line >= ? AND o.end_line <= ? AND o.qualified = ?
      UNION SELECT o.id FROM symbols o WHERE o.file = ? AND instr(o.qualified, ?) = 1 AND o.line >= ? AND o.end_line <= ?) ORDER BY r.line, r.column`,
      ...storedKinds(wanted),
      symbol.file,
      symbol.line,
      symbol.end_line,
      symbol.qualified,
      symbol.file,
      `${symbol.qualified}.`,
      symbol.line,
      symbol.end_line,
    )
    return references.flatMap((reference) => {
      const { targets, resolved } = resolver.reference(reference)
      if (meantAs(reference, targets) !== wanted) return []
      if (targets.length === 0 || (!resolved && targets.length > maxNameMatchTargets))
        return [referenceEdge(reference, 'outgoing', null, false)]
      return targets.map((target) => referenceEdge(reference, 'outgoing', target, resolved))
    })
  }

  /**
   * Returns the edge kind of a base in a combined list by the kind of its target. An interface always extends its
   * bases.
   */
  function meantAs({ kind: written, language, symbol: from }: ReferenceRow, targets: readonly SymbolRow[]): EdgeKind {
    if (
      !singleBaseListLanguages.has(language) ||
      (written !== 'extends' && written !== 'implements') ||
      targets.length === 0
    )
      return written
    if (owner(from)?.kind === 'interface') return 'extends'
    if (targets.every((target) => target.kind === 'interface')) return 'implements'
    return targets.every((target) => target.kind !== 'interface') ? 'extends' : written
  }

  function referenceEdge(
    { path, line, column, name, receiver }: ReferenceRow,
    direction: Edge['direction'],
    other: SymbolRow | null,
    resolved: boolean,
  ): Edge {
    return {
      kind,
      direction,
      path,
      line,
      column,
      text: receiver === null ? name : `${receiver}.${name}`,
      symbol: other,
      resolved,
    }
  }

  const edges = found().toSorted((a, b) => Number(b.resolved) - Number(a.resolved))
  return { edges: limitPerDirection(edges, limit), total: edges.length }
}

/** Returns the kinds that the index may have stored for an edge kind. */
function storedKinds(wanted: EdgeKind): [EdgeKind, EdgeKind] {
  return wanted === 'extends' || wanted === 'implements' ? ['extends', 'implements'] : [wanted, wanted]
}

/** Shares the limit between both directions. */
function limitPerDirection(edges: readonly Edge[], limit: number): Edge[] {
  if (edges.length <= limit) return [...edges]
  const into = edges.filter(({ direction }) => direction === 'incoming')
  const out = edges.filter(({ direction }) => direction === 'outgoing')
  const half = Math.ceil(limit / 2)
  const fromIn = Math.min(into.length, Math.max(half, limit - out.length))
  return [...into.slice(0, fromIn), ...out.slice(0, limit - fromIn)]
}
