import type { SymbolRow } from '../index/indexRows.ts'
import type { IndexStore } from '../index/indexStore.ts'
import { typeKinds } from '../index/symbolTypes.ts'

// Index queries for name resolution.

/** Above this number, a name match is meaningless. */
export const maxNameMatches = 50

/** Returns the definitions of a name in a file, in text order. */
export function symbolsInFile(store: IndexStore, file: number, name: string): SymbolRow[] {
  return store
    .symbols("s.file = ? AND s.name = ? AND s.kind NOT IN ('import', 'export') ORDER BY s.line", file, name)
    .filter(({ kind, body_line }) => kind !== 'namespace' || body_line !== null)
}

/**
 * Returns the top-level symbols of a package (Go, Java), or of a module with its subfolders (Swift).
 * @param folder with a trailing `/`; `''` for the workspace root
 */
export function symbolsInPackage(store: IndexStore, folder: string, name: string): SymbolRow[] {
  return store
    .symbolsNamed(
      name,
      `s.parent IS NULL AND s.kind NOT IN ('import', 'export', 'method', 'namespace', 'impl') AND s.language IN ('go', 'java', 'swift') AND instr(s.path, ?) = 1
        ORDER BY s.path, s.line LIMIT ?`,
      folder,
      maxNameMatches,
    )
    .filter(({ path, language }) => language === 'swift' || !path.slice(folder.length).includes('/'))
}

/**
 * Returns the members that a type declares itself. Matches by qualified name, because Go, Rust and C++ declare methods
 * outside their type.
 */
export function declaredMembers(store: IndexStore, type: SymbolRow, name: string): SymbolRow[] {
  const { id, kind, file, qualified } = type
  // A symbol inside a function with the name of the type has the same qualified name.
  const sameName = store
    .symbols(
      `s.file = ? AND s.name = ? AND s.qualified = ? AND s.kind NOT IN ('import', 'export') ORDER BY s.line`,
      file,
      name,
      `${qualified}.${name}`,
    )
    .filter(({ parent }) => !isCallable(parent === null ? undefined : store.symbol(parent)))
  // An interface and a constant can share a name, while methods of a struct are declared next to it.
  const nested = kind === 'class' || kind === 'interface' ? sameName.filter(({ parent }) => parent === id) : []
  return nested.length > 0 ? nested : sameName
}

/** Returns a symbol and the symbols around it, innermost first. */
export function enclosingSymbols(store: IndexStore, symbol: number | null): SymbolRow[] {
  const chain: SymbolRow[] = []
  for (let id = symbol; id !== null; id = chain.at(-1)?.parent ?? null) {
    const row = store.symbol(id)
    if (!row) break
    chain.push(row)
  }
  return chain
}

/** Returns the innermost type around a symbol, which can be the symbol itself; null outside of types. */
export function enclosingType(store: IndexStore, symbol: number | null): SymbolRow | null {
  return enclosingSymbols(store, symbol).find(({ kind }) => typeKinds.has(kind)) ?? null
}

function isCallable(symbol: SymbolRow | undefined): boolean {
  return symbol?.kind === 'function' || symbol?.kind === 'method'
}

/** The symbols that a name or reference refers to. */
export interface Resolution {
  targets: SymbolRow[]
  /** Whether imports and scopes lead to the targets; otherwise only their name matches. */
  resolved: boolean
}

/** The result for a name from outside the workspace. */
export const unresolved: Resolution = { targets: [], resolved: false }

/** Returns a resolution to these symbols; null if there are none. */
export function resolvedTo(targets: SymbolRow[] | null): Resolution | null {
  return targets && targets.length > 0 ? { targets, resolved: true } : null
}
