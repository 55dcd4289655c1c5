import type { ModuleFinder } from '../resolve/moduleFinder.ts'
import { createReferenceResolver } from '../resolve/referenceResolver.ts'
import type { SymbolRow } from '../index/indexRows.ts'
import type { IndexStore } from '../index/indexStore.ts'

/** Maximum number of names examined, most used first, and of references per name. */
const maxNames = 300
const maxReferencesPerName = 40
/** Iterations of PageRank. */
const rounds = 20
/** Share of a file's weight that comes from files that reference it (PageRank's usual damping factor). */
const damping = 0.85

/** A symbol that other files use. */
export interface CentralSymbol {
  symbol: SymbolRow
  /** Number of other files with a resolved reference to it. */
  files: number
  /** Number of files that contain its name. Set if not all of them were examined; `files` is then a lower bound. */
  mentions?: number
}

/**
 * Ranks the symbols of a project by importance. A file passes its weight to the files it references, and a symbol's
 * rank is the weight of the files that reference it. Only resolved references count. Deterministic. Resolves thousands
 * of references, so callers cache the result.
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
  /** Number of files that contain its name. */
  mentions: number
}

/** Collects every symbol that is referenced from another file. */
function collectUsers(store: IndexStore, findModule: ModuleFinder): Map<number, Users> {
  const resolver = createReferenceResolver(store, findModule)
  const users = new Map<number, Users>()
  for (const { name, files: mentions } of store.topReferencedNames(maxNames)) {
    let examined = 0
    for (const [reference] of store.referencesTo(name)) {
      if (!reference || examined++ >= maxReferencesPerName) break
      const { targets, resolved } = resolver.resolveReference(reference)
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

/** Computes PageRank for files; each file links to the files whose symbols it references. */
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
