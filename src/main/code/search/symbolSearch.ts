import { dataLanguages } from '../index/languages.ts'
import { compareCodeUnits } from '../../base/compareCodeUnits.ts'
import { nameScore } from './nameScore.ts'
import type { SymbolRow } from '../index/indexRows.ts'
import type { IndexStore } from '../index/indexStore.ts'
import type { SymbolKind } from '../index/symbolTypes.ts'

/** A search for symbols by name. */
export interface SymbolQuery {
  /** A name, optionally qualified with dots. */
  query: string
  /** A file or folder, relative to the workspace. */
  path?: string
  kind?: SymbolKind
  limit: number
}

/** Maximum number of names examined for a query. */
const maxNames = 1000
/**
 * Keys of data files and file-level namespaces rank one match level below code: a search for `name` is rarely about
 * package.json.
 */
const minorPenalty = 100
const minorLastOrder = `ORDER BY s.language IN (${[...dataLanguages].map((id) => `'${id}'`).join(', ')}) OR (s.kind = 'namespace' AND s.body_line IS NULL)`
const isMinor = ({ language, kind, body_line }: SymbolRow): boolean =>
  dataLanguages.has(language) || (kind === 'namespace' && body_line === null)

/**
 * Finds symbols by name, best first: exact, prefix, word starts, substring, subsequence. Keys of data files and
 * file-level namespaces come after code.
 */
export function searchSymbols(store: IndexStore, { query, path, kind, limit }: SymbolQuery): SymbolRow[] {
  const wanted = query.trim().replaceAll(/::|#|\//g, '.')
  const lower = wanted.toLowerCase()
  const [filter, values] = filterOf(path, kind)
  const last = wanted.slice(wanted.lastIndexOf('.') + 1)
  const found = new Map<number, { row: SymbolRow; score: number }>()
  const add = (rows: readonly SymbolRow[], score: (row: SymbolRow) => number): void => {
    for (const row of rows) {
      const value = score(row) - (isMinor(row) ? minorPenalty : 0)
      if (value > (found.get(row.id)?.score ?? 0)) found.set(row.id, { row, score: value })
    }
  }
  const best = (): SymbolRow[] =>
    [...found.values()]
      .toSorted((a, b) => b.score - a.score || order(a.row, b.row))
      .slice(0, limit)
      .map(({ row }) => row)

  if (wanted.includes('.')) {
    const lowerLast = last.toLowerCase()
    if (kind === 'import' || kind === 'export') {
      const starting = store
        .symbols(`s.file IN (SELECT id FROM files) AND ${filter}`, ...values)
        .filter(({ name }) => name.toLowerCase().startsWith(lowerLast))
      add(starting, ({ qualified }) => qualifiedScore(qualified, wanted, lower))
      return best()
    }
    const starting = [...store.names]
      .filter(([, entry]) => entry.lower.startsWith(lowerLast))
      .toSorted(([, a], [, b]) => compareCodeUnits(a.lower, b.lower))
      .map(([name]) => name)
    // The names of exactly these letters have a limit of their own.
    for (const names of [starting.filter((name) => name.length === last.length), starting])
      add(store.symbolsNamed(names, `${filter} ${minorLastOrder} LIMIT 500`, ...values), ({ qualified }) =>
        qualifiedScore(qualified, wanted, lower),
      )
    return best()
  }
  if (path !== undefined || kind === 'import' || kind === 'export') {
    add(store.symbols(`s.file IN (SELECT id FROM files) AND ${filter}`, ...values), ({ name }) =>
      nameScore(name, wanted, lower),
    )
    return best()
  }
  add(store.symbolsNamed(wanted, `${filter} ${minorLastOrder} LIMIT 1000`, ...values), () => 1000)
  if (found.size < limit) {
    for (const { name, score } of bestNames(store, wanted, lower)) {
      add(store.symbolsNamed(name, `${filter} ${minorLastOrder} LIMIT ?`, ...values, limit), () => score)
      if (found.size >= limit * 2) break
    }
  }
  return best()
}

/** Returns matching names, best first. Scores are small integers, which allows a bucket sort. */
function bestNames(store: IndexStore, query: string, lowerQuery: string): { name: string; score: number }[] {
  const byScore: string[][] = []
  for (const [name, { lower }] of store.names) {
    const score = nameScore(name, query, lowerQuery, lower)
    if (score > 0) (byScore[score] ??= []).push(name)
  }
  const best: { name: string; score: number }[] = []
  for (let score = byScore.length - 1; score > 0 && best.length < maxNames; score--) {
    for (const name of byScore[score]?.toSorted() ?? []) best.push({ name, score })
  }
  return best.slice(0, maxNames)
}

function filterOf(path: string | undefined, kind: SymbolKind | undefined): [string, string[]] {
  const parts = kind === undefined ? ["s.kind NOT IN ('import', 'export')"] : ['s.kind = ?']
  const values: string[] = kind === undefined ? [] : [kind]
  if (path !== undefined && path !== '.') {
    parts.push('s.file IN (SELECT id FROM files WHERE path = ? OR instr(path, ?) = 1)')
    values.push(path, `${path}/`)
  }
  return [parts.join(' AND '), values]
}

function qualifiedScore(qualified: string, wanted: string, lower: string): number {
  if (qualified === wanted) return 1000
  if (qualified.endsWith(`.${wanted}`)) return 980
  const low = qualified.toLowerCase()
  if (low === lower || low.endsWith(`.${lower}`)) return 950
  return low.includes(lower) ? 800 : 0
}

/** Orders types before members, public before private, then by position. Deterministic. */
function order(a: SymbolRow, b: SymbolRow): number {
  return (
    Number(a.parent !== null) - Number(b.parent !== null) ||
    b.exported - a.exported ||
    a.name.length - b.name.length ||
    (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line)
  )
}
