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

/**
 * The symbols that a reference refers to. `resolved`: imports and scopes lead there; otherwise only the name matches.
 */
export interface Meaning {
  targets: SymbolRow[]
  resolved: boolean
}

const typeKinds: ReadonlySet<SymbolKind> = new Set(['class', 'struct', 'interface', 'trait', 'impl', 'enum'])
/** Languages in which all files of a folder share a scope; in Swift, all files of a module. */
const folderPackageLanguages = new Set(['go', 'java', 'swift'])
/** Languages in which an imported name cannot refer to a symbol of another file. */
const languagesWithFollowedImports = new Set(['typescript', 'tsx', 'javascript', 'vue', 'svelte', 'python', 'java'])
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
const unresolved: Meaning = { targets: [], resolved: false }
/** Maximum number of re-exports and base classes followed. */
const maxDepth = 8
/** Above this number, a name match is meaningless. */
const maxNameMatches = 50

export interface Resolver {
  reference(reference: ReferenceRow): Meaning
  /** Returns the symbols that an import or export refers to; null if its module is outside the workspace. */
  link(link: LinkRow): SymbolRow[] | null
}

/** Resolves references through the scopes and imports in the index. */
// Longer than 100 lines, because its functions are mutually recursive.
export function createResolver(store: IndexStore, findModule: ModuleFinder): Resolver {
  const namespaces = createNamespaceLookup(store)
  const symbolsInFile = (file: number, name: string) =>
    store
      .symbols("s.file = ? AND s.name = ? AND s.kind NOT IN ('import', 'export') ORDER BY s.line", file, name)
      .filter(({ kind, body_line }) => kind !== 'namespace' || body_line !== null)
  /** Returns top-level symbols of a package (Go, Java) or of a module with its subfolders (Swift). */
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
  /**
   * Matches by qualified name, which includes methods declared outside their type (Go, Rust, C++). Excludes symbols
   * inside a function of that name.
   */
  function members({ id, kind, file, qualified }: SymbolRow, name: string): SymbolRow[] {
    const found = store.symbols(
      `s.file = ? AND s.name = ? AND s.qualified = ? AND s.kind NOT IN ('import', 'export')
      AND NOT EXISTS (SELECT 1 FROM symbols p WHERE p.id = s.parent AND p.kind IN ('function', 'method')) ORDER BY s.line`,
      file,
      name,
      `${qualified}.${name}`,
    )
    // An interface and a constant can share a name, while methods of a struct are declared beside it.
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

  /** Returns the symbols that a module exports under a name; null if it is outside the workspace. */
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
    // In Python, imported names and submodules can be imported again.
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

  /** Returns members of a module declared in the same file (Rust's `mod a { … }`). */
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
    // A CommonJS module as a whole is the value assigned to `module.exports`.
    const whole = scriptLanguages.has(link.language) ? findExported(target, 'exports', depth + 1) : []
    return whole && whole.length > 0 ? whole : link.original === '*' ? null : there
  }

  /** Returns a member of a type, including members of resolved base types. */
  function findMember(type: SymbolRow, name: string, depth = 0): SymbolRow[] {
    const own = members(type, name)
    if (own.length > 0 || depth > maxDepth) return own
    for (const base of basesOf(type)) {
      const there = findMember(base, name, depth + 1)
      if (there.length > 0) return there
    }
    return []
  }

  /** Returns the module that an imported name refers to: `import * as a`, or a re-exported module. */
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
      // Members are not accessible by their bare name; the name of a type is, inside the type.
      const isMember = typeKinds.has(scope?.kind ?? 'function') || row.kind === 'method' || row.kind === 'property'
      return scope && (!isMember || languagesWithImplicitMembers.has(language)) ? [{ row, depth: scope.index }] : []
    })
    let extensions: Meaning | null = null
    if (visible.length > 0) {
      const nearest = Math.min(...visible.map(({ depth }) => depth))
      const targets = visible.filter(({ depth }) => depth === nearest).map(({ row }) => row)
      const types = targets.filter(({ kind }) => kind !== 'impl')
      if (types.length > 0) return { targets: types, resolved: true }
      // The type is only extended here (Rust's impl, Swift's extension); its declaration may be imported.
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
    // The name is imported from outside the workspace, so a symbol of the same name here is unrelated.
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

  /**
   * Returns the resolved base types, interfaces and mixins of a type. Name matches are omitted, since their members
   * would be guesses.
   */
  function basesOf(type: SymbolRow): SymbolRow[] {
    return store.references("r.symbol = ? AND r.kind IN ('extends', 'implements')", type.id).flatMap((base) => {
      const { targets, resolved } = reference(base)
      return resolved ? targets.filter(({ id }) => id !== type.id) : []
    })
  }

  function reference(written: ReferenceRow): Meaning {
    // Base types are resolved outside the type; inside, inherited members would be searched too.
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
    // For an unresolved import, the name at its source counts.
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

/** Languages with overloaded methods. */
const overloadingLanguages = new Set(['java', 'csharp', 'kotlin', 'scala', 'swift'])

/** Restricts a call to callable symbols. Arguments are not compared, so several overloads count as unresolved. */
function callTargets({ targets, resolved }: Meaning, language: string): Meaning {
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
