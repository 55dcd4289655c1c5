import { dataLanguages } from '../index/languages.ts'
import { compareCodeUnits } from '../../base/nameOrder.ts'
import { nameScore } from './nameScore.ts'
import type { SymbolRow } from '../index/indexRows.ts'
import type { IndexStore } from '../index/indexStore.ts'
import { symbolKinds, type SymbolKind } from '../index/symbolTypes.ts'

/** A search for symbols by name. */
export interface SymbolQuery {
  /** A name, optionally qualified with dots. */
  query: string
  /** A file or folder, relative to the workspace. */
  path?: string
  kind?: SymbolKind
  limit: number
}

/** Maximum number of names examined per query. */
const maxNames = 1000
/**
 * Keys of data files and file-level namespaces rank one match level below code: a search for `name` is rarely about
 * package.json.
 */
const minorPenalty = 100
const minorLastOrder = `ORDER BY s.language IN (${[...dataLanguages].map((id) => `'${id}'`).join(', ')}) OR (s.kind_code = ${symbolKinds.indexOf('namespace')} AND s.body_line IS NULL)`
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
    const scoreOfQualified = ({ qualified }: Pick<SymbolRow, 'qualified'>) => qualifiedScore(qualified, wanted, lower)
    if (kind === 'import' || kind === 'export') {
      const dotted = store.symbolsWith(
        (row) => scoreOfQualified(row) > 0,
        // The qualified name of an import or export is its name.
        `${filter} AND instr(s.name, '.') > 0`,
        ...values,
      )
      add(dotted, scoreOfQualified)
      return best()
    }
    const starting = namesStarting(store, last.toLowerCase())
    // Names with exactly these letters have their own limit.
    const equal = starting.filter((name) => name.length === last.length)
    for (const names of equal.length === starting.length ? [starting] : [equal, starting])
      add(
        store.symbolsNamedWith(
          (row) => scoreOfQualified(row) > 0,
          names,
          `${filter} ${minorLastOrder} LIMIT 500`,
          ...values,
        ),
        scoreOfQualified,
      )
    return best()
  }
  if (path !== undefined || kind === 'import' || kind === 'export') {
    const scoreOfName = ({ name }: Pick<SymbolRow, 'name'>) => nameScore(name, wanted, lower)
    add(
      store.symbolsWith((row) => scoreOfName(row) > 0, `s.file IN (SELECT id FROM files) AND ${filter}`, ...values),
      scoreOfName,
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

/** Returns the names that start with some letters in any case, ordered by their lower-case form. */
function namesStarting(store: IndexStore, lowerStart: string): string[] {
  const starting: { name: string; lower: string }[] = []
  for (const [name, { lower }] of store.names) if (lower.startsWith(lowerStart)) starting.push({ name, lower })
  return starting.toSorted((a, b) => compareCodeUnits(a.lower, b.lower)).map(({ name }) => name)
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

const notLink = `s.kind_code NOT IN (${symbolKinds.indexOf('import')}, ${symbolKinds.indexOf('export')})`

function filterOf(path: string | undefined, kind: SymbolKind | undefined): [string, (string | number)[]] {
  const parts = [kind === undefined ? notLink : 's.kind_code = ?']
  const values: (string | number)[] = kind === undefined ? [] : [symbolKinds.indexOf(kind)]
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
