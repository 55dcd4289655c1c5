import type { ReferenceRow, SymbolRow } from '../index/indexRows.ts'
import type { IndexStore } from '../index/indexStore.ts'
import { type Resolution, declaredMembers } from './symbolLookup.ts'

/** Maximum length of the chain of base classes. */
const maxDepth = 8

/** Members of types, including those of resolved base types. */
export interface TypeMembers {
  /** Returns a member of a type or, if the type has none with this name, of its base types. */
  find(type: SymbolRow, name: string): SymbolRow[]
  /** Returns a member of the base types only. */
  findInherited(type: SymbolRow, name: string): SymbolRow[]
  /**
   * Returns the resolved base types, interfaces and mixins of a type. Omits name matches, because their members would
   * be guesses.
   */
  bases(type: SymbolRow): SymbolRow[]
}

export function createTypeMembers(
  store: IndexStore,
  resolveReference: (reference: ReferenceRow) => Resolution,
): TypeMembers {
  function bases(type: SymbolRow): SymbolRow[] {
    return store.referencesIn(type.file).flatMap((reference) => {
      const { symbol, kind } = reference
      if (symbol !== type.id || (kind !== 'extends' && kind !== 'implements')) return []
      const { targets, resolved } = resolveReference(reference)
      return resolved ? targets.filter(({ id }) => id !== type.id) : []
    })
  }

  function find(type: SymbolRow, name: string, depth = 0): SymbolRow[] {
    const own = declaredMembers(store, type, name)
    if (own.length > 0 || depth > maxDepth) return own
    for (const base of bases(type)) {
      const inherited = find(base, name, depth + 1)
      if (inherited.length > 0) return inherited
    }
    return []
  }

  return {
    find: (type, name) => find(type, name),
    findInherited: (type, name) => bases(type).flatMap((base) => find(base, name)),
    bases,
  }
}
