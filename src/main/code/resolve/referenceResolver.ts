import type { LinkRow, ReferenceRow, SymbolRow } from '../index/indexRows.ts'
import type { IndexStore } from '../index/indexStore.ts'
import { resolveBareName, type ResolutionContext } from './bareNames.ts'
import { resolveMember, type NameLookup } from './expressionMembers.ts'
import { createImportResolver, pythonSubmodule } from './importResolver.ts'
import { languageFamily, nameMatchCondition } from './languageScoping.ts'
import type { ModuleFinder } from './moduleFinder.ts'
import { createNamespaceLookup } from './namespaceLookup.ts'
import { type Resolution, maxNameMatches, resolvedTo, unresolved, enclosingType } from './symbolLookup.ts'
import { createTypeMembers } from './typeMembers.ts'

/**
 * Resolves references, imports and exports through the scopes and imports in the index, which must not change
 * meanwhile.
 */
export interface ReferenceResolver {
  /** Returns the symbols that a reference refers to, or name matches if scopes and imports lead nowhere. */
  resolveReference(reference: ReferenceRow): Resolution
  /** Returns the symbols that an import or export refers to; null if its module is outside the workspace. */
  resolveLink(link: LinkRow): SymbolRow[] | null
}

export function createReferenceResolver(store: IndexStore, findModule: ModuleFinder): ReferenceResolver {
  const namespaces = createNamespaceLookup(store)
  const nameMatches = createNameMatcher(store)
  const imports = createImportResolver(store, findModule, namespaces)
  const members = createTypeMembers(store, resolveReference)
  const context: ResolutionContext = { store, findModule, namespaces, imports, members }

  function resolveReference(reference: ReferenceRow): Resolution {
    const scoped = withLookupScope(store, reference)
    const resolution =
      scoped.receiver === null
        ? resolveBareName(context, scoped.name, scoped)
        : resolveMemberAccess(context, scoped, scoped.receiver)
    if (!resolution) return { targets: nameMatches(scoped), resolved: false }
    return scoped.kind === 'call' ? callTargets(resolution, scoped.language) : resolution
  }

  return { resolveReference, resolveLink: imports.linkTargets }
}

/** Base types are resolved outside their type. Inside it, the lookup would search the base types' members first. */
function withLookupScope(store: IndexStore, reference: ReferenceRow): ReferenceRow {
  if (reference.kind !== 'extends' && reference.kind !== 'implements') return reference
  const type = reference.symbol === null ? undefined : store.symbol(reference.symbol)
  return { ...reference, symbol: type?.parent ?? null }
}

/** Returns a function that finds the symbols with a reference's name. Caches names, which often repeat. */
function createNameMatcher(store: IndexStore): (reference: ReferenceRow) => SymbolRow[] {
  const known = new Map<string, SymbolRow[]>()
  return (reference) => {
    const family = languageFamily(reference.language)
    const name = originalName(store, reference)
    const condition = nameMatchCondition(reference)
    const key = JSON.stringify([family, name, condition])
    const matches =
      known.get(key) ??
      store
        .symbolsNamed(name, `s.kind NOT IN ('import', 'export') AND ${condition} LIMIT ?`, maxNameMatches)
        .filter(({ language }) => languageFamily(language) === family)
    known.set(key, matches)
    return matches
  }
}

/** Returns the original name of a reference in the module that it is imported from. */
function originalName(store: IndexStore, { file, name, receiver }: ReferenceRow): string {
  if (receiver !== null) return name
  const [renamed] = store.links(
    "l.file = ? AND l.kind = 'import' AND l.local = ? AND l.original NOT IN ('*', 'default')",
    file,
    name,
  )
  return renamed?.original ?? name
}

/** Languages with overloaded methods. */
const overloadingLanguages = new Set(['java', 'csharp', 'kotlin', 'scala', 'swift'])

/** Restricts a call to callable symbols. Arguments are not compared, so several overloads count as unresolved. */
function callTargets({ targets, resolved }: Resolution, language: string): Resolution {
  const callable = preferCallables(targets)
  return { targets: callable, resolved: resolved && !(callable.length > 1 && overloadingLanguages.has(language)) }
}

/** If a field and a method share a name, a call refers to the method. */
function preferCallables(targets: SymbolRow[]): SymbolRow[] {
  const callables = targets.filter(({ kind }) => kind === 'function' || kind === 'method')
  return callables.length > 0 && callables.length < targets.length && targets.some(({ kind }) => kind === 'property')
    ? callables
    : targets
}

/** Names of the current object and of its base type. */
const selfWords: Readonly<Record<string, RegExp>> = {
  python: /^(self|cls|super\(\))$/,
  ruby: /^self$/,
  rust: /^(self|Self)$/,
  php: /^(\$this|self|static|parent)$/,
  csharp: /^(this|base)$/,
  cpp: /^this$/,
  swift: /^(self|Self|super)$/,
}
const defaultSelfWords = /^(this|super)$/
const baseTypeWords = /^(super|parent|base)/

/**
 * Resolves a name after a dot from its receiver: the current object, an imported module, an expression with a
 * declared type, a namespace, or a type. Null if the receiver is unknown or has no such member.
 */
function resolveMemberAccess(context: ResolutionContext, reference: ReferenceRow, receiver: string): Resolution | null {
  if ((selfWords[reference.language] ?? defaultSelfWords).test(receiver))
    return resolveSelfMember(context, reference, receiver)
  return (
    resolveImportedMember(context, reference, receiver) ??
    resolveTypedMember(context, reference) ??
    resolveQualifiedName(context, reference, receiver) ??
    resolveOwnerMember(context, reference, receiver)
  )
}

function resolveSelfMember(
  { store, members }: ResolutionContext,
  { symbol, name }: ReferenceRow,
  receiver: string,
): Resolution | null {
  const type = enclosingType(store, symbol)
  if (!type) return null
  return resolvedTo(baseTypeWords.test(receiver) ? members.findInherited(type, name) : members.find(type, name))
}

/** Resolves a member of a module that the file imports under the receiver's name. */
function resolveImportedMember(
  { store, findModule, imports }: ResolutionContext,
  { file, name }: ReferenceRow,
  receiver: string,
): Resolution | null {
  for (const link of store.links("l.file = ? AND l.kind = 'import' AND l.local = ?", file, receiver)) {
    const module = imports.sourceModule(link)
    const submodule =
      link.source === null ? null : findModule(link.language, link.path, pythonSubmodule(link.source, link.original))
    const isWholeModule = link.original === '*'
    for (const candidate of [isWholeModule ? module : null, link.language === 'python' ? submodule : null]) {
      const exported = candidate === null ? null : resolvedTo(imports.exportedSymbols(candidate, name))
      if (exported) return exported
    }
    if (module === null && submodule === null && isWholeModule && isExternal(findModule, link)) return unresolved
  }
  return null
}

function isExternal(findModule: ResolutionContext['findModule'], { language, path, source }: LinkRow): boolean {
  return source !== null && findModule.isExternal(language, path, source)
}

/** Resolves a member through the declared type of the receiver. */
function resolveTypedMember(context: ResolutionContext, reference: ReferenceRow): Resolution | null {
  const { origin, name } = reference
  return origin === null ? null : resolvedTo(resolveMember(nameLookupFor(context), origin, name, reference))
}

function nameLookupFor(context: ResolutionContext): NameLookup {
  const { store, imports, members } = context
  return {
    named(name, site) {
      const resolution = resolveBareName(context, name, site)
      return resolution?.resolved ? resolution.targets : []
    },
    module: (name, { file }) => imports.importedModule(file, name),
    exported: (module, name) => imports.exportedSymbols(module, name) ?? [],
    exportedModule: imports.exportedModule,
    member: members.find,
    enclosingType: ({ symbol }) => enclosingType(store, symbol),
    bases: members.bases,
  }
}

/** Resolves a receiver that is the path of a module or namespace. */
function resolveQualifiedName(
  { findModule, imports, namespaces }: ResolutionContext,
  { language, path, name }: ReferenceRow,
  receiver: string,
): Resolution | null {
  if (language === 'rust') {
    const module = findModule(language, path, receiver)
    const exported = module === null ? null : resolvedTo(imports.exportedSymbols(module, name))
    if (exported) return exported
  }
  if (!namespaces.has(language) || !/^[\w.\\]+$/.test(receiver)) return null
  return resolvedTo(namespaces.byQualifiedName(language, `${receiver}.${name}`))
}

/** Resolves a member of the type that the receiver names. */
function resolveOwnerMember(context: ResolutionContext, reference: ReferenceRow, receiver: string): Resolution | null {
  if (!/^[\w$]+$/.test(receiver)) return null
  const owner = resolveBareName(context, receiver, reference)
  return owner?.resolved
    ? resolvedTo(owner.targets.flatMap((type) => context.members.find(type, reference.name)))
    : null
}
