import type { LinkRow, ReferenceRow, SymbolRow } from '../index/indexRows.ts'
import type { IndexStore } from '../index/indexStore.ts'
import { resolveBareName, type ResolutionContext } from './bareNames.ts'
import { createImportResolver } from './importResolver.ts'
import { languageFamily, nameMatchCondition } from './languageScoping.ts'
import { resolveMemberAccess } from './memberAccess.ts'
import type { ModuleFinder } from './moduleFinder.ts'
import { createNamespaceLookup } from './namespaceLookup.ts'
import type { Resolution } from './resolution.ts'
import { maxNameMatches } from './symbolLookup.ts'
import { createTypeMembers } from './typeMembers.ts'

/** Resolves references, imports and exports through the scopes and imports in the index, which must not change. */
export interface ReferenceResolver {
  /** Returns the symbols that a reference refers to; name matches if scopes and imports do not lead to any. */
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

/** Returns a function that finds the symbols with the name of a reference. Remembers names, which often repeat. */
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

/** Returns the name of a reference in the module that it is imported from. */
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
