import type { StatementCache } from './statementCache.ts'
import { notLink } from './storedSymbols.ts'

/** A symbol name and the number of symbols that have it. */
export interface NameEntry {
  /** The name in lower case. */
  lower: string
  count: number
}

/** All symbol names except imports and exports. Cached in memory, because a fuzzy query visits every name. */
export interface SymbolNames extends Iterable<[name: string, entry: NameEntry]> {
  /** Number of symbols. */
  readonly total: number
  add(name: string): void
  /** Removes the names of a file's symbols. Call it before deleting their rows. */
  removeFile(file: number): void
  /** Reads all names from the database again. */
  reload(): void
}

export function createSymbolNames(sql: StatementCache): SymbolNames {
  const entries = new Map<string, NameEntry>()
  let total = 0

  function count(name: string, by: 1 | -1): void {
    const entry = entries.get(name) ?? { lower: name.toLowerCase(), count: 0 }
    entry.count += by
    total += by
    if (entry.count > 0) entries.set(name, entry)
    else entries.delete(name)
  }

  function reload(): void {
    entries.clear()
    total = 0
    const names = sql(`SELECT name FROM symbol_rows WHERE ${notLink}`).all()
    for (const { name } of names) count(String(name), 1)
  }
  reload()

  return {
    get total() {
      return total
    },
    add: (name) => count(name, 1),
    removeFile(file) {
      const names = sql(`SELECT name FROM symbol_rows WHERE file = ? AND ${notLink}`).all(file)
      for (const { name } of names) count(String(name), -1)
    },
    reload,
    [Symbol.iterator]: () => entries[Symbol.iterator](),
  }
}
