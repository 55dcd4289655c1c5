import { edgesOf } from './callGraph.ts'
import type { ModuleFinder } from './moduleFinder.ts'
import { createResolver } from './referenceResolver.ts'
import type { IndexStore, LinkRow, SymbolRow } from '../index/indexStore.ts'

/** A cursor with its context, created by codeIndex.ts. Lines and columns are 1-based; columns count UTF-16 units. */
export interface Cursor {
  path: string
  line: number
  column: number
  /** The identifier at the cursor, its start column, and the receiver before its dot. */
  word: { text: string; column: number; receiver: string | null } | null
  /** The string or dotted name at the cursor, which may be a module. */
  module: string | null
  /** The lines up to the identifier, ending with the cursor's line, to detect imports. */
  before: readonly string[]
}

/** The definitions of the symbol at a position. */
export interface DefinitionResult {
  targets: SymbolRow[]
  /** Files that the position refers to as a whole, because it is a module name. */
  modules: string[]
  /** Whether scopes and imports lead to the targets; otherwise only the name matches. */
  resolved: boolean
  /** Whether the index has this position; otherwise only the word was looked up, e.g. from a comment. */
  indexed: boolean
  /** The word that was looked up. */
  name: string
  column: number
}

/** A definition of a symbol or a reference to it. */
export interface SymbolLocation {
  path: string
  line: number
  column: number
  /** The name at this position, if the index has it. */
  name: string
  resolved: boolean
  definition: boolean
}

/** Maximum number of unresolved matches returned. */
const maxNameMatches = 20
/** Maximum number of definitions whose references are collected. */
const maxTargets = 5
const referenceKinds = ['call', 'usage', 'extends', 'implements', 'import', 'export'] as const

/** Returns the definitions of the word at a cursor, nearest first: same file, same folder, others. */
export function definitionAt(store: IndexStore, findModule: ModuleFinder, cursor: Cursor): DefinitionResult | null {
  const { path, line, column, word } = cursor
  const found = store.file(path)
  if (!found) return null
  const { id: file, language } = found
  const resolver = createResolver(store, findModule)

  const moduleFiles = (link: LinkRow): string[] => {
    if (link.source === null) return []
    const whole = link.original === '*' ? link.source : null
    // In Python's `from package import module`, the name itself can be a module.
    const inner =
      link.language === 'python' && whole === null ? `${link.source}.${link.original}`.replace(/^(\.+)\./, '$1') : null
    return [whole, inner].flatMap((source) => (source === null ? [] : fileOf(findModule(link.language, path, source))))
  }
  const importedFiles = (name: string): string[] =>
    store.links("l.file = ? AND l.kind = 'import' AND l.local = ?", file, name).flatMap(moduleFiles)

  function definitionAtCursor(): DefinitionResult | null {
    const [own] = store.symbols(
      "s.file = ? AND s.kind NOT IN ('import', 'export') AND s.name_line = ?" +
        ' AND ? BETWEEN s.name_column AND s.name_column + length(s.name)',
      file,
      line,
      column,
    )
    return own
      ? { targets: [own], modules: [], resolved: true, indexed: true, name: own.name, column: own.name_column }
      : null
  }

  function referenceAtCursor(): DefinitionResult | null {
    const [row] = store.references(
      'r.file = ? AND r.line = ? AND ? BETWEEN r.column AND r.column + length(r.name) ORDER BY r.column DESC',
      file,
      line,
      column,
    )
    if (!row) return null
    const { targets, resolved } = resolver.reference(row)
    const here = { indexed: true, name: row.name, column: row.column }
    const modules = targets.length > 0 && resolved ? [] : importedFiles(row.name)
    if (modules.length > 0) return { ...here, targets: [], modules, resolved: true }
    const best = nearestFirst(preferImplementations(targets), path)
    return { ...here, targets: resolved ? best : best.slice(0, maxNameMatches), modules: [], resolved }
  }

  function linkAtCursor(): DefinitionResult | null {
    if (!word) return null
    const named = store.links('l.file = ? AND ? IN (l.local, l.original) ORDER BY l.line DESC', file, word.text)
    const link = linkAt(named, cursor)
    if (!link) return null
    const targets = preferImplementations(resolver.link(link) ?? [])
    const modules = targets.length > 0 ? [] : moduleFiles(link)
    return { targets, modules, resolved: true, indexed: true, name: word.text, column: word.column }
  }

  function moduleAtCursor(): DefinitionResult | null {
    if (cursor.module === null) return null
    const links = store.links('l.file = ? AND l.source IN (?, ?)', file, cursor.module, `"${cursor.module}"`)
    const modules = links.flatMap((link) =>
      link.source === null ? [] : fileOf(findModule(link.language, path, link.source)),
    )
    if (modules.length === 0) return null
    return {
      targets: [],
      modules: [...new Set(modules)],
      resolved: true,
      indexed: true,
      name: cursor.module,
      column,
    }
  }

  /**
   * Resolves the word as if it were a reference. Tag queries do not capture every use, so the result counts as
   * unresolved.
   */
  function guessFromWord(): DefinitionResult | null {
    if (!word) return null
    const [around] = store.symbols(
      's.file = ? AND s.line <= ? AND s.end_line >= ? ORDER BY s.line DESC, s.column DESC LIMIT 1',
      file,
      line,
      line,
    )
    const { targets, resolved } = resolver.reference({
      id: 0,
      file: file,
      path,
      language,
      symbol: around?.id ?? null,
      kind: 'usage',
      name: word.text,
      receiver: word.receiver,
      origin: null,
      line,
      column: word.column,
    })
    const modules = resolved || word.receiver !== null ? [] : importedFiles(word.text)
    const here = { resolved: false, indexed: false, name: word.text, column: word.column }
    return { ...here, targets: resolved ? preferImplementations(targets) : [], modules }
  }

  return definitionAtCursor() ?? referenceAtCursor() ?? linkAtCursor() ?? moduleAtCursor() ?? guessFromWord()
}

/** Returns the references to the symbol at a cursor: definitions first, then resolved references, then name matches. */
export function referencesAt(
  store: IndexStore,
  findModule: ModuleFinder,
  cursor: Cursor,
  limit: number,
): { places: SymbolLocation[]; total: number } {
  const found = definitionAt(store, findModule, cursor)
  if (!found) return { places: [], total: 0 }
  const places = new Map<string, SymbolLocation>()
  const add = (place: SymbolLocation): void => {
    const key = `${place.path}:${place.line}:${place.column}`
    const before = places.get(key)
    if (!before || (place.resolved && !before.resolved)) places.set(key, place)
  }
  const targets = found.targets.slice(0, maxTargets)
  for (const target of targets) {
    const { name } = target
    add({
      path: target.path,
      line: target.name_line,
      column: target.name_column,
      name,
      resolved: found.resolved,
      definition: true,
    })
    for (const kind of referenceKinds) {
      for (const { direction, path, line, column, resolved } of edgesOf(
        store,
        findModule,
        target,
        kind,
        Number.POSITIVE_INFINITY,
      ).edges) {
        if (direction === 'incoming')
          add({ path, line, column, name, resolved: resolved && found.resolved, definition: false })
      }
    }
  }
  // The symbol is defined outside the workspace, so only uses of its name are known.
  if (targets.length === 0 && found.indexed && found.modules.length === 0) {
    const { language } = store.file(cursor.path) ?? { language: '' }
    const nameMatches = store.references(
      'r.name = ? AND f.language = ? ORDER BY f.path, r.line LIMIT ?',
      found.name,
      language,
      limit,
    )
    for (const { path, line, column, name } of nameMatches)
      add({ path, line, column, name, resolved: false, definition: false })
  }
  const rank = ({ definition, resolved }: SymbolLocation): number => (definition ? 0 : resolved ? 1 : 2)
  const all = [...places.values()].toSorted((a, b) => rank(a) - rank(b))
  return { places: all.slice(0, limit), total: all.length }
}

/** Returns the import or export statement around a cursor: no statement ends between its start and the cursor. */
function linkAt(links: readonly LinkRow[], { line, before }: Cursor): LinkRow | undefined {
  return links.find((link) => {
    const first = before.length - 1 - (line - link.line)
    if (link.line > line || first < 0) return false
    const between = [(before[first] ?? '').slice(link.column - 1), ...before.slice(first + 1)].join('\n')
    // It can only span lines inside brackets.
    return (
      (link.line < line || (before.at(-1) ?? '').length >= link.column - 1) &&
      /^[^;=)'"}\n]*([{(][^;=)'"}]*)?$/.test(between)
    )
  })
}

/** Prefers the overload with a body. */
function preferImplementations(targets: readonly SymbolRow[]): SymbolRow[] {
  const groups = Map.groupBy(targets, ({ path, qualified, kind }) => `${path} ${kind} ${qualified}`)
  return [...groups.values()].flatMap(
    (group) => group.find(({ body_line: body }) => body !== null) ?? group.slice(0, 1),
  )
}

function nearestFirst(targets: readonly SymbolRow[], path: string): SymbolRow[] {
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const beside = (other: string): boolean => other.startsWith(folder) && !other.slice(folder.length).includes('/')
  const distance = (row: SymbolRow): number => (row.path === path ? 0 : beside(row.path) ? 1 : 2)
  return targets.toSorted((a, b) => distance(a) - distance(b))
}

/** A module that is a folder cannot be opened. */
function fileOf(module: string | null): string[] {
  return module === null || module.endsWith('/') ? [] : [module]
}
