import type { ModuleFinder } from '../resolve/moduleFinder.ts'
import { createResolver } from '../resolve/referenceResolver.ts'
import type { IndexStore, SymbolRow } from '../index/indexStore.ts'

/** Names that are looked into, most used first, and places a name: what bounds the work in a large project. */
const maxNames = 300
const maxReferencesPerName = 40
const rounds = 20
/** The share of a file's weight that comes from what names it; the rest is the same for all (PageRank's usual 0.85). */
const damping = 0.85

export interface CentralSymbol {
  symbol: SymbolRow
  /** Other files from which a reference was followed to it. */
  files: number
  /** All files that refer to its name, where there are more than were followed: `files` is the least it can be then. */
  mentions?: number
}

/**
 * The symbols a project hangs on, by graph rank: files hand their weight to the files they refer to, and a symbol is as central as
 * the files that refer to it. Only references that were followed count, never a mere name. The same index gives the same order.
 * It follows thousands of references, so whoever asks for a page after the other keeps the answer.
 */
export function centralSymbols(store: IndexStore, findModule: ModuleFinder): CentralSymbol[] {
  const users = collectUsers(store, findModule)
  const weights = rankFiles(users)
  const ranked = [...users.values()].map(({ symbol, files, mentions }) => ({
    symbol,
    files: files.size,
    ...(mentions > maxReferencesPerName ? { mentions } : {}),
    weight: [...files].reduce((sum, file) => sum + (weights.get(file) ?? 0), 0),
  }))
  return ranked.toSorted((a, b) => b.weight - a.weight || b.files - a.files || compareLocation(a.symbol, b.symbol))
}

interface Users {
  symbol: SymbolRow
  files: Set<string>
  /** Files that refer to its name. */
  mentions: number
}

/** Every symbol that another file's reference leads to. */
function collectUsers(store: IndexStore, findModule: ModuleFinder): Map<number, Users> {
  const resolver = createResolver(store, findModule)
  const users = new Map<number, Users>()
  for (const { name, files: mentions } of store.mostReferenced(maxNames)) {
    for (const reference of store.references(
      'r.id IN (SELECT min(id) FROM refs WHERE name = ? GROUP BY file) ORDER BY f.path LIMIT ?',
      name,
      maxReferencesPerName,
    )) {
      const { targets, resolved } = resolver.reference(reference)
      const [target] = targets
      if (!resolved || target === undefined || target.path === reference.path) continue
      const known = users.get(target.id) ?? { symbol: target, files: new Set(), mentions: 0 }
      known.files.add(reference.path)
      known.mentions = Math.max(known.mentions, mentions)
      users.set(target.id, known)
    }
  }
  return users
}

/** PageRank of the files: an edge leads from each file to every file whose symbols it refers to. */
function rankFiles(users: ReadonlyMap<number, Users>): Map<string, number> {
  const targets = new Map<string, Set<string>>()
  for (const { symbol, files } of users.values()) {
    if (!targets.has(symbol.path)) targets.set(symbol.path, new Set())
    for (const file of files) targets.set(file, (targets.get(file) ?? new Set()).add(symbol.path))
  }
  let weights = new Map([...targets.keys()].map((file) => [file, 1]))
  for (let round = 0; round < rounds; round++) {
    const next = new Map([...targets.keys()].map((file) => [file, 1 - damping]))
    for (const [file, others] of targets) {
      for (const other of others)
        next.set(other, (next.get(other) ?? 0) + (damping * (weights.get(file) ?? 0)) / others.size)
    }
    weights = next
  }
  return weights
}

function compareLocation(a: SymbolRow, b: SymbolRow): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1
  return a.line - b.line || a.column - b.column
}
