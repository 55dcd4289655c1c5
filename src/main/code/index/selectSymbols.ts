import type { SymbolRow } from './indexRows.ts'
import type { IndexStore } from './indexStore.ts'

/** Selects a symbol by id, or by file and name. */
export interface SymbolSelector {
  id?: string
  path?: string
  qualifiedName?: string
  name?: string
}

/** Returns the symbols that an id, or a file and a name, refer to. */
export function selectSymbols(store: IndexStore, { id, path, qualifiedName, name }: SymbolSelector): SymbolRow[] {
  if (id !== undefined) {
    const exact = store.symbolsWithId(id)
    const separator = id.indexOf('::')
    if (exact.length > 0 || separator < 0) return exact
    // Models write ids without the kind, or with the language's own separators.
    const rest = id.slice(separator + '::'.length)
    return selectSymbols(store, {
      path: id.slice(0, separator),
      qualifiedName: rest.replace(/#[a-z_]+(?:~\d+)?$/, ''),
    })
  }
  const symbolName = qualifiedName ?? name ?? ''
  const inFile = (column: string, value: string) =>
    store.symbols(`s.path = ? AND s.${column} = ? ORDER BY s.line`, path ?? '', value)
  const exact = inFile(qualifiedName === undefined ? 'name' : 'qualified', symbolName)
  const dotted = symbolName.replaceAll(/::|[#/]/g, '.').replace(/^\.+|\(\)$/g, '')
  const found = exact.length > 0 || dotted === '' ? exact : inFile('qualified', dotted)
  // A name refers to a definition rather than to an import or export of it.
  const definitions = found.filter(({ kind }) => kind !== 'import' && kind !== 'export')
  return definitions.length > 0 ? definitions : found
}
