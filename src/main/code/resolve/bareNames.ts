import type { SymbolRow } from '../index/indexRows.ts'
import type { IndexStore } from '../index/indexStore.ts'
import { typeKinds } from '../index/symbolTypes.ts'
import type { ReferenceSite } from './expressionMembers.ts'
import type { ImportResolver } from './importResolver.ts'
import { languagesWithImplicitMembers, packageFolder } from './languageScoping.ts'
import type { ModuleFinder } from './moduleFinder.ts'
import type { NamespaceLookup } from './namespaceLookup.ts'
import {
  resolvedTo,
  unresolved,
  type Resolution,
  enclosingSymbols,
  symbolsInFile,
  symbolsInPackage,
} from './symbolLookup.ts'
import type { TypeMembers } from './typeMembers.ts'

/** Languages in which all files of a folder share a scope; in Swift, all files of a module. */
const folderPackageLanguages = new Set(['go', 'java', 'swift'])
/** Languages in which an unresolved import ends the lookup: the name is not searched in packages or namespaces. */
const languagesWithFollowedImports = new Set(['typescript', 'tsx', 'javascript', 'vue', 'svelte', 'python', 'java'])

/** The index and the lookups from which references are resolved. */
export interface ResolutionContext {
  store: IndexStore
  findModule: ModuleFinder
  namespaces: NamespaceLookup
  imports: ImportResolver
  members: TypeMembers
}

/**
 * Resolves a name without a receiver: through the scopes of its file, then inherited members, imports, and the
 * namespace or package. Null if none of them has the name.
 */
export function resolveBareName(context: ResolutionContext, name: string, site: ReferenceSite): Resolution | null {
  const { store, findModule, namespaces, imports } = context
  const { file, path, language } = site
  const chain = enclosingSymbols(store, site.symbol)
  const visible = nearestVisible(store, name, site, chain)
  const declarations = visible.filter(({ kind }) => kind !== 'impl')
  if (declarations.length > 0) return { targets: declarations, resolved: true }
  // The type is only extended here (Rust's impl, Swift's extension); its declaration may be imported.
  const extensions = resolvedTo(visible)
  const inherited = resolvedTo(implicitMembers(context, name, language, chain))
  if (inherited) return inherited
  const links = store.links("l.file = ? AND l.kind = 'import' AND l.local = ?", file, name)
  for (const link of links) {
    const imported = resolvedTo(imports.linkTargets(link))
    if (imported) return imported
  }
  // The name is imported from outside the workspace, so a symbol with the same name is unrelated.
  if (links.some(({ source }) => source !== null && findModule.isExternal(language, path, source))) return unresolved
  if (links.length > 0 && languagesWithFollowedImports.has(language)) return extensions
  return (
    (namespaces.has(language) ? resolvedTo(namespaces.visibleFrom(name, site)) : null) ??
    resolvedTo(samePackage(store, name, site)) ??
    resolveWildcardImport(context, name, file) ??
    extensions
  )
}

/** Returns the symbols of the file that a bare name can refer to, from the innermost scope that has any. */
function nearestVisible(
  store: IndexStore,
  name: string,
  { file, language }: ReferenceSite,
  chain: readonly SymbolRow[],
): SymbolRow[] {
  const scopes = new Map(chain.map(({ id, kind }, depth) => [id, { depth, kind }]))
  const visible = symbolsInFile(store, file, name).flatMap((row) => {
    if (row.parent === null) return row.kind === 'method' ? [] : [{ row, depth: chain.length }]
    const scope = scopes.get(row.parent)
    // A bare name does not refer to a member, but inside a type it can refer to the type itself.
    const isMember = typeKinds.has(scope?.kind ?? 'function') || row.kind === 'method' || row.kind === 'property'
    return scope && (!isMember || languagesWithImplicitMembers.has(language)) ? [{ row, depth: scope.depth }] : []
  })
  const nearest = Math.min(...visible.map(({ depth }) => depth))
  return visible.filter(({ depth }) => depth === nearest).map(({ row }) => row)
}

/** Returns inherited members that are accessible by their bare name inside the type. */
function implicitMembers(
  { members }: ResolutionContext,
  name: string,
  language: string,
  chain: readonly SymbolRow[],
): SymbolRow[] {
  if (!languagesWithImplicitMembers.has(language)) return []
  const type = chain.find(({ kind }) => typeKinds.has(kind))
  return type ? members.findInherited(type, name) : []
}

function samePackage(store: IndexStore, name: string, { language, path }: ReferenceSite): SymbolRow[] {
  if (!folderPackageLanguages.has(language)) return []
  return symbolsInPackage(store, packageFolder(language, path), name).filter((row) => row.language === language)
}

function resolveWildcardImport({ store, imports }: ResolutionContext, name: string, file: number): Resolution | null {
  for (const link of store.links("l.file = ? AND l.kind = 'import' AND l.local = '*'", file)) {
    const inline = resolvedTo(imports.inlineMember(link, name))
    if (inline) return inline
    const module = imports.sourceModule(link)
    const exported = module === null ? null : resolvedTo(imports.exportedSymbols(module, name))
    if (exported) return exported
  }
  return null
}
