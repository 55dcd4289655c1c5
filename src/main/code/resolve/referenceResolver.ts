import type { ModuleFinder } from './moduleFinder.ts'
import { createNamespaceLookup } from './namespaceLookup.ts'
import type { IndexStore, LinkRow, ReferenceRow, SymbolRow } from '../index/indexStore.ts'
import type { SymbolKind } from '../index/symbolTypes.ts'
import { resolveMember, type NameLookup, type ReferenceSite } from './expressionMembers.ts'
import {
  languagesWithImplicitMembers,
  packageFolder,
  nameMatchCondition,
  languageFamily,
  scriptLanguages,
} from './languageScoping.ts'

/** What a reference means. `resolved` only where imports and scopes led there; else the targets merely have the name. */
export interface Meaning {
  targets: SymbolRow[]
  resolved: boolean
}

const typeKinds: ReadonlySet<SymbolKind> = new Set(['class', 'struct', 'interface', 'trait', 'impl', 'enum'])
/** What is defined in one file is seen in all files of its folder; in Swift in all below the module's folder. */
const folderPackageLanguages = new Set(['go', 'java', 'swift'])
/** Where a name is imported, it is that one and none of another file's. */
const languagesWithFollowedImports = new Set(['typescript', 'tsx', 'javascript', 'vue', 'svelte', 'python', 'java'])
/** How a language names the object itself, and its base type's part of it. */
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
const unresolved: Meaning = { targets: [], resolved: false }
/** Re-exports and base classes are followed so far. */
const maxDepth = 8
/** More symbols than this of one name say nothing. */
const maxNameMatches = 50

export interface Resolver {
  reference(reference: ReferenceRow): Meaning
  /** What an import or export passes on; null when its module is not in the workspace. */
  link(link: LinkRow): SymbolRow[] | null
}

/** Follows references by the scopes and imports that an index knows. */
export function createResolver(store: IndexStore, findModule: ModuleFinder): Resolver {
  const namespaces = createNamespaceLookup(store)
  const symbolsInFile = (file: number, name: string) =>
    store
      .symbols("s.file = ? AND s.name = ? AND s.kind NOT IN ('import', 'export') ORDER BY s.line", file, name)
      .filter(({ kind, body_line }) => kind !== 'namespace' || body_line !== null)
  /** What is declared at the top of a package's files (Go, Java), or of a module's, folders below included (Swift). */
  function symbolsInPackage(folder: string, name: string): SymbolRow[] {
    return store
      .symbols(
        `s.name = ? AND s.parent IS NULL AND s.kind NOT IN ('import', 'export', 'method', 'namespace', 'impl') AND f.language IN ('go', 'java', 'swift') AND instr(f.path, ?) = 1
        ORDER BY f.path, s.line LIMIT ?`,
        name,
        folder,
        maxNameMatches,
      )
      .filter(({ path, language }) => language === 'swift' || !path.slice(folder.length).includes('/'))
  }
  /** By qualified name, so that methods written outside of their type (Go, Rust, C++) count too; what lives inside a function of that name does not. */
  function members({ id, kind, file, qualified }: SymbolRow, name: string): SymbolRow[] {
    const found = store.symbols(
      `s.file = ? AND s.name = ? AND s.qualified = ? AND s.kind NOT IN ('import', 'export')
      AND NOT EXISTS (SELECT 1 FROM symbols p WHERE p.id = s.parent AND p.kind IN ('function', 'method')) ORDER BY s.line`,
      file,
      name,
      `${qualified}.${name}`,
    )
    // An interface and a constant may share their name; a struct's methods stand beside it.
    const own = kind === 'class' || kind === 'interface' ? found.filter(({ parent }) => parent === id) : []
    return own.length > 0 ? own : found
  }

  function enclosingSymbols(symbol: number | null): SymbolRow[] {
    const chain: SymbolRow[] = []
    for (let id = symbol; id !== null; id = chain.at(-1)?.parent ?? null) {
      const [row] = store.symbols('s.id = ?', id)
      if (!row) break
      chain.push(row)
    }
    return chain
  }

  /** What a module gives under a name. Null: it leads out of the workspace. */
  function findExported(path: string, name: string, depth = 0): SymbolRow[] | null {
    if (path.endsWith('/')) return symbolsInPackage(path === '/' ? '' : path, name)
    const file = store.file(path)
    if (!file || depth > maxDepth) return null
    if (name !== 'default') {
      const own = symbolsInFile(file.id, name).filter(({ parent }) => parent === null)
      if (own.length > 0) return own
    }
    for (const row of store.links("l.file = ? AND l.kind = 'export' AND l.local = ?", file.id, name)) {
      const there = followLink(row, depth + 1)
      if (there) return there
    }
    // A name that a module imported can be imported from it in turn (Python), and so can its submodules.
    if (file.language === 'python') {
      for (const row of store.links("l.file = ? AND l.kind = 'import' AND l.local = ?", file.id, name)) {
        const there = followLink(row, depth + 1)
        if (there) return there
      }
    }
    for (const row of store.links("l.file = ? AND l.local = '*' AND l.source IS NOT NULL", file.id)) {
      const target = row.source === null ? null : findModule(row.language, row.path, row.source)
      const there = target === null ? null : findExported(target, name, depth + 1)
      if (there && there.length > 0) return there
    }
    return []
  }

  /** What a module written out in the same file holds under a name (Rust's `mod a { … }`). */
  function inlineMember({ file, language, source }: LinkRow, name: string): SymbolRow[] {
    if (language !== 'rust' || source === null) return []
    const path = source.replace(/^self::/, '').split('::')
    return store.symbols(
      "s.file = ? AND s.qualified = ? AND s.kind NOT IN ('import', 'export', 'impl') ORDER BY s.line",
      file,
      [...path, name].join('.'),
    )
  }

  function followLink(link: LinkRow, depth = 0): SymbolRow[] | null {
    if (namespaces.has(link.language)) {
      const there = namespaces.imported(link)
      return there.length > 0 ? there : null
    }
    if (link.source === null) {
      const own = symbolsInFile(link.file, link.original).filter(({ parent }) => parent === null)
      if (own.length > 0) return own
      const [imported] = store.links("l.file = ? AND l.kind = 'import' AND l.local = ?", link.file, link.original)
      return imported && depth < maxDepth ? followLink(imported, depth + 1) : null
    }
    const inline = inlineMember(link, link.original)
    if (inline.length > 0) return inline
    const target = findModule(link.language, link.path, link.source)
    if (target === null) return null
    const there = link.original === '*' ? [] : findExported(target, link.original, depth + 1)
    if ((there && there.length > 0) || (link.original !== '*' && link.original !== 'default')) return there
    // The whole of a CommonJS module is what it assigns to `module.exports`.
    const whole = scriptLanguages.has(link.language) ? findExported(target, 'exports', depth + 1) : []
    return whole && whole.length > 0 ? whole : link.original === '*' ? null : there
  }

  /** A member of a type, its base types included as far as they can be followed. */
  function findMember(type: SymbolRow, name: string, depth = 0): SymbolRow[] {
    const own = members(type, name)
    if (own.length > 0 || depth > maxDepth) return own
    for (const base of basesOf(type)) {
      const there = findMember(base, name, depth + 1)
      if (there.length > 0) return there
    }
    return []
  }

  /** The module that an imported name stands for: `import * as a`, or a name under which a module passes on another. */
  function importedModule(file: number, name: string, depth = 0): string | null {
    for (const link of store.links("l.file = ? AND l.kind = 'import' AND l.local = ?", file, name)) {
      const target = link.source === null ? null : findModule(link.language, link.path, link.source)
      const module =
        target === null || link.original === '*' ? target : exportedModule(target, link.original, depth + 1)
      if (module !== null) return module
    }
    return null
  }

  function exportedModule(path: string, name: string, depth = 0): string | null {
    const file = store.file(path)
    if (!file || depth > maxDepth) return null
    for (const link of store.links("l.file = ? AND l.kind = 'export' AND l.local IN (?, '*')", file.id, name)) {
      if (link.source === null) {
        const module = importedModule(file.id, link.original, depth + 1)
        if (module !== null) return module
        continue
      }
      const target = findModule(link.language, link.path, link.source)
      if (target === null) continue
      const module =
        link.local === '*'
          ? exportedModule(target, name, depth + 1)
          : link.original === '*'
            ? target
            : exportedModule(target, link.original, depth + 1)
      if (module !== null) return module
    }
    return null
  }

  const enclosingType = (symbol: number | null): SymbolRow | null =>
    enclosingSymbols(symbol).find(({ kind }) => typeKinds.has(kind)) ?? null
  const names: NameLookup = {
    named(name, at) {
      const meaning = resolveBareName(name, at)
      return meaning?.resolved ? meaning.targets : []
    },
    module: (name, at) => importedModule(at.file, name),
    exported: (path, name) => findExported(path, name) ?? [],
    exportedModule,
    member: findMember,
    enclosingType: ({ symbol }) => enclosingType(symbol),
    bases: basesOf,
  }

  function resolveBareName(name: string, { file, path, language, symbol }: ReferenceSite): Meaning | null {
    const chain = enclosingSymbols(symbol)
    const around = new Map(chain.map(({ id, kind }, index) => [id, { index, kind }]))
    const visible = symbolsInFile(file, name).flatMap((row) => {
      if (row.parent === null) return row.kind === 'method' ? [] : [{ row, depth: chain.length }]
      const scope = around.get(row.parent)
      // Members of a type or object are not seen by their bare name; a type's own name is, inside it.
      const isMember = typeKinds.has(scope?.kind ?? 'function') || row.kind === 'method' || row.kind === 'property'
      return scope && (!isMember || languagesWithImplicitMembers.has(language)) ? [{ row, depth: scope.index }] : []
    })
    let extensions: Meaning | null = null
    if (visible.length > 0) {
      const nearest = Math.min(...visible.map(({ depth }) => depth))
      const targets = visible.filter(({ depth }) => depth === nearest).map(({ row }) => row)
      const types = targets.filter(({ kind }) => kind !== 'impl')
      if (types.length > 0) return { targets: types, resolved: true }
      // Only extended here (Rust's impl, Swift's extension): what it extends may be followed.
      extensions = { targets, resolved: true }
    }
    if (languagesWithImplicitMembers.has(language)) {
      const type = chain.find(({ kind }) => typeKinds.has(kind))
      const targets = type ? findInheritedMember(type, name) : []
      if (targets.length > 0) return { targets, resolved: true }
    }
    const imports = store.links("l.file = ? AND l.kind = 'import' AND l.local = ?", file, name)
    for (const link of imports) {
      const targets = followLink(link)
      if (targets && targets.length > 0) return { targets, resolved: true }
    }
    // It comes from somewhere that is not in the index, so a namesake here is something else.
    if (imports.some((link) => link.source !== null && findModule.isExternal(language, path, link.source)))
      return unresolved
    if (imports.length > 0 && languagesWithFollowedImports.has(language)) return extensions
    if (namespaces.has(language)) {
      const targets = namespaces.visibleFrom(name, { file, path, language, symbol })
      if (targets.length > 0) return { targets, resolved: true }
    }
    if (folderPackageLanguages.has(language)) {
      const targets = symbolsInPackage(packageFolder(language, path), name).filter((row) => row.language === language)
      if (targets.length > 0) return { targets, resolved: true }
    }
    for (const link of store.links("l.file = ? AND l.kind = 'import' AND l.local = '*'", file)) {
      const inline = inlineMember(link, name)
      if (inline.length > 0) return { targets: inline, resolved: true }
      const target = link.source === null ? null : findModule(link.language, link.path, link.source)
      const targets = target === null ? null : findExported(target, name)
      if (targets && targets.length > 0) return { targets, resolved: true }
    }
    return extensions
  }

  function resolveAfterDot(given: ReferenceRow, receiver: string): Meaning | null {
    if ((selfWords[given.language] ?? defaultSelfWords).test(receiver)) {
      const type = enclosingType(given.symbol)
      const found = type
        ? /^(super|parent|base)/.test(receiver)
          ? findInheritedMember(type, given.name)
          : findMember(type, given.name)
        : []
      return found.length > 0 ? { targets: found, resolved: true } : null
    }
    for (const link of store.links("l.file = ? AND l.kind = 'import' AND l.local = ?", given.file, receiver)) {
      const target = link.source === null ? null : findModule(link.language, link.path, link.source)
      const submodule =
        link.source === null
          ? null
          : findModule(link.language, link.path, `${link.source}.${link.original}`.replace(/^(\.+)\./, '$1'))
      for (const module of [link.original === '*' ? target : null, link.language === 'python' ? submodule : null]) {
        const targets = module === null ? null : findExported(module, given.name)
        if (targets && targets.length > 0) return { targets, resolved: true }
      }
      if (
        target === null &&
        submodule === null &&
        link.original === '*' &&
        link.source !== null &&
        findModule.isExternal(link.language, link.path, link.source)
      )
        return unresolved
    }
    if (given.origin !== null) {
      const found = resolveMember(names, given.origin, given.name, given)
      if (found.length > 0) return { targets: found, resolved: true }
    }
    if (given.language === 'rust') {
      const module = findModule(given.language, given.path, receiver)
      const found = module === null ? null : findExported(module, given.name)
      if (found && found.length > 0) return { targets: found, resolved: true }
    }
    if (namespaces.has(given.language) && /^[\w.\\]+$/.test(receiver)) {
      const found = namespaces.byQualifiedName(given.language, `${receiver}.${given.name}`)
      if (found.length > 0) return { targets: found, resolved: true }
    }
    if (!/^[\w$]+$/.test(receiver)) return null
    const owner = resolveBareName(receiver, given)
    const found = owner?.resolved ? owner.targets.flatMap((type) => findMember(type, given.name)) : []
    return found.length > 0 ? { targets: found, resolved: true } : null
  }

  const findInheritedMember = (type: SymbolRow, name: string): SymbolRow[] =>
    basesOf(type).flatMap((base) => findMember(base, name))

  /** What a type extends and implements or mixes in, where that is followed: a namesake's members would be a guess. */
  function basesOf(type: SymbolRow): SymbolRow[] {
    return store.references("r.symbol = ? AND r.kind IN ('extends', 'implements')", type.id).flatMap((base) => {
      const { targets, resolved } = reference(base)
      return resolved ? targets.filter(({ id }) => id !== type.id) : []
    })
  }

  function reference(written: ReferenceRow): Meaning {
    // A type's bases are named outside of it: inside, they would be looked for among what it inherits from them.
    const outside = written.kind === 'extends' || written.kind === 'implements'
    const given = outside
      ? {
          ...written,
          symbol: written.symbol === null ? null : (store.symbols('s.id = ?', written.symbol)[0]?.parent ?? null),
        }
      : written
    const meaning =
      given.receiver === null ? resolveBareName(given.name, given) : resolveAfterDot(given, given.receiver)
    if (meaning) return given.kind === 'call' ? callTargets(meaning, given.language) : meaning
    const family = languageFamily(given.language)
    // Where an import is not followed, the name at its source is the one that counts.
    const [renamed] =
      given.receiver === null
        ? store.links(
            "l.file = ? AND l.kind = 'import' AND l.local = ? AND l.original NOT IN ('*', 'default')",
            given.file,
            given.name,
          )
        : []
    const nameMatches = store
      .symbols(
        `s.name = ? AND s.kind NOT IN ('import', 'export') AND ${nameMatchCondition(given)} LIMIT ?`,
        renamed?.original ?? given.name,
        maxNameMatches,
      )
      .filter(({ language }) => languageFamily(language) === family)
    return { targets: nameMatches, resolved: false }
  }

  return { reference, link: (link) => followLink(link) }
}

/** Languages in which methods share a name and differ by what they take. */
const overloadingLanguages = new Set(['java', 'csharp', 'kotlin', 'scala', 'swift'])

/** Which of several overloads is called, the arguments would tell; they are not read, so each is only a name match. */
function callTargets({ targets, resolved }: Meaning, language: string): Meaning {
  const callable = preferCallables(targets)
  return { targets: callable, resolved: resolved && !(callable.length > 1 && overloadingLanguages.has(language)) }
}

/** A field and a method may share a name; what is called is the method. */
function preferCallables(targets: SymbolRow[]): SymbolRow[] {
  const callables = targets.filter(({ kind }) => kind === 'function' || kind === 'method')
  return callables.length > 0 && callables.length < targets.length && targets.some(({ kind }) => kind === 'property')
    ? callables
    : targets
}
