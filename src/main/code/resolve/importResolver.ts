import type { LinkRow, SymbolRow } from '../index/indexRows.ts'
import type { IndexStore } from '../index/indexStore.ts'
import { scriptLanguages } from '../index/languages.ts'
import type { ModuleFinder } from './moduleFinder.ts'
import type { NamespaceLookup } from './namespaceLookup.ts'
import { symbolsInFile, symbolsInPackage } from './symbolLookup.ts'

/** Maximum number of re-exports followed. */
const maxDepth = 8

/** Follows imports and exports across files. Modules are workspace paths (moduleFinder.ts). */
export interface ImportResolver {
  /** Returns the symbols that a module exports under a name; null if the module is outside the workspace. */
  exportedSymbols(module: string, name: string): SymbolRow[] | null
  /** Returns the symbols that an import or export refers to; null if its module is outside the workspace. */
  linkTargets(link: LinkRow): SymbolRow[] | null
  /** Returns the module that an imported name refers to: `import * as a`, or a re-exported module. */
  importedModule(file: number, name: string): string | null
  /** Returns the module that another module exports under a name. */
  exportedModule(module: string, name: string): string | null
  /** Resolves the specifier of an import or export to a module; null without one or outside the workspace. */
  sourceModule(link: LinkRow): string | null
  /** Returns members of a Rust module that is declared in the importing file (`mod a { … }`). */
  inlineMember(link: LinkRow, name: string): SymbolRow[]
}

export function createImportResolver(
  store: IndexStore,
  findModule: ModuleFinder,
  namespaces: NamespaceLookup,
): ImportResolver {
  const sourceModule = ({ language, path, source }: LinkRow): string | null =>
    source === null ? null : findModule(language, path, source)
  const topLevelSymbols = (file: number, name: string): SymbolRow[] =>
    symbolsInFile(store, file, name).filter(({ parent }) => parent === null)
  const importsOf = (file: number, name: string): LinkRow[] =>
    store.links("l.file = ? AND l.kind = 'import' AND l.local = ?", file, name)

  function exportedSymbols(module: string, name: string, depth = 0): SymbolRow[] | null {
    if (module.endsWith('/')) return symbolsInPackage(store, module === '/' ? '' : module, name)
    const file = store.file(module)
    if (!file || depth > maxDepth) return null
    if (name !== 'default') {
      const own = topLevelSymbols(file.id, name)
      if (own.length > 0) return own
    }
    const exports = store.links("l.file = ? AND l.kind = 'export' AND l.local = ?", file.id, name)
    // In Python, imported names and submodules can be imported again.
    const reexports = file.language === 'python' ? [...exports, ...importsOf(file.id, name)] : exports
    for (const link of reexports) {
      const targets = linkTargets(link, depth + 1)
      if (targets) return targets
    }
    for (const link of store.links("l.file = ? AND l.local = '*' AND l.source IS NOT NULL", file.id)) {
      const source = sourceModule(link)
      const targets = source === null ? null : exportedSymbols(source, name, depth + 1)
      if (targets && targets.length > 0) return targets
    }
    return []
  }

  function inlineMember({ file, language, source }: LinkRow, name: string): SymbolRow[] {
    if (language !== 'rust' || source === null) return []
    const path = source.replace(/^self::/, '').split('::')
    return store.symbols(
      "s.file = ? AND s.qualified = ? AND s.kind NOT IN ('import', 'export', 'impl') ORDER BY s.line",
      file,
      [...path, name].join('.'),
    )
  }

  function linkTargets(link: LinkRow, depth = 0): SymbolRow[] | null {
    if (namespaces.has(link.language)) {
      const imported = namespaces.imported(link)
      return imported.length > 0 ? imported : null
    }
    if (link.source === null) {
      const own = topLevelSymbols(link.file, link.original)
      if (own.length > 0) return own
      const [imported] = importsOf(link.file, link.original)
      return imported && depth < maxDepth ? linkTargets(imported, depth + 1) : null
    }
    const inline = inlineMember(link, link.original)
    if (inline.length > 0) return inline
    const module = sourceModule(link)
    if (module === null) return null
    const named = link.original === '*' ? [] : exportedSymbols(module, link.original, depth + 1)
    if ((named && named.length > 0) || (link.original !== '*' && link.original !== 'default')) return named
    // A CommonJS module as a whole is the value assigned to `module.exports`.
    const whole = scriptLanguages.has(link.language) ? exportedSymbols(module, 'exports', depth + 1) : []
    return whole && whole.length > 0 ? whole : link.original === '*' ? null : named
  }

  function importedModule(file: number, name: string, depth = 0): string | null {
    for (const link of importsOf(file, name)) {
      const source = sourceModule(link)
      const module =
        source === null || link.original === '*' ? source : exportedModule(source, link.original, depth + 1)
      if (module !== null) return module
    }
    return null
  }

  function exportedModule(module: string, name: string, depth = 0): string | null {
    const file = store.file(module)
    if (!file || depth > maxDepth) return null
    for (const link of store.links("l.file = ? AND l.kind = 'export' AND l.local IN (?, '*')", file.id, name)) {
      const found = reexportedModule(link, file.id, name, depth)
      if (found !== null) return found
    }
    return null
  }

  function reexportedModule(link: LinkRow, file: number, name: string, depth: number): string | null {
    if (link.source === null) return importedModule(file, link.original, depth + 1)
    const source = sourceModule(link)
    if (source === null) return null
    if (link.local === '*') return exportedModule(source, name, depth + 1)
    return link.original === '*' ? source : exportedModule(source, link.original, depth + 1)
  }

  return {
    exportedSymbols: (module, name) => exportedSymbols(module, name),
    linkTargets: (link) => linkTargets(link),
    importedModule: (file, name) => importedModule(file, name),
    exportedModule: (module, name) => exportedModule(module, name),
    sourceModule,
    inlineMember,
  }
}

/** Returns the module specifier of a name imported from a package: `.a` for `from . import a`. */
export function pythonSubmodule(source: string, name: string): string {
  return `${source}.${name}`.replace(/^(\.+)\./, '$1')
}
