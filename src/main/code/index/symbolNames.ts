import type { StatementCache } from './statementCache.ts'
import { notLink } from './storedSymbols.ts'

/** A symbol name and the number of symbols that have it. */
export interface NameEntry {
  /** The name in lower case. */
  lower: string
  count: number
}

/**
 * All symbol names except imports and exports. Cached in memory from the first query on, because a fuzzy query visits
 * every name.
 */
export interface SymbolNames extends Iterable<[name: string, entry: NameEntry]> {
  /** Number of symbols. */
  readonly total: number
  add(name: string): void
  /** Removes the names of a file's symbols. Call it before deleting their rows. */
  removeFile(file: number): void
  /** Reloads all names from the database when they are next needed. */
  reload(): void
}

export function createSymbolNames(sql: StatementCache): SymbolNames {
  let entries: Map<string, NameEntry> | undefined
  let total: number | undefined

  function count(names: Map<string, NameEntry>, name: string, by: 1 | -1): void {
    const entry = names.get(name) ?? { lower: name.toLowerCase(), count: 0 }
    entry.count += by
    if (entry.count > 0) names.set(name, entry)
    else names.delete(name)
  }

  function readAll(): Map<string, NameEntry> {
    const names = new Map<string, NameEntry>()
    for (const { name } of sql(`SELECT name FROM symbol_rows WHERE ${notLink}`).all()) count(names, String(name), 1)
    return names
  }

  return {
    get total() {
      return (total ??= Number(sql(`SELECT count(*) AS total FROM symbol_rows WHERE ${notLink}`).get()?.total ?? 0))
    },
    add(name) {
      if (total !== undefined) total++
      if (entries) count(entries, name, 1)
    },
    removeFile(file) {
      if (!entries) return void (total = undefined)
      const names = sql(`SELECT name FROM symbol_rows WHERE file = ? AND ${notLink}`).all(file)
      for (const { name } of names) count(entries, String(name), -1)
      if (total !== undefined) total -= names.length
    },
    reload() {
      entries = undefined
      total = undefined
    },
    [Symbol.iterator]: () => (entries ??= readAll())[Symbol.iterator](),
  }
}
