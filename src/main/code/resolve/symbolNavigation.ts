import { edgesOf } from './callGraph.ts'
import type { ModuleFinder } from './moduleFinder.ts'
import { pythonSubmodule } from './importResolver.ts'
import { createReferenceResolver, type ReferenceResolver } from './referenceResolver.ts'
import type { LinkRow, SymbolRow } from '../index/indexRows.ts'
import type { IndexStore } from '../index/indexStore.ts'

/** A cursor with its context in the text. Lines and columns are 1-based; columns count UTF-16 units. */
export interface Cursor {
  path: string
  line: number
  column: number
  /** The identifier at the cursor, its start column, and the receiver before its dot. */
  word: { text: string; column: number; receiver: string | null } | null
  /** The string or dotted name at the cursor, which may be a module. */
  module: string | null
  /** The lines before the identifier, up to the cursor. Shows whether it is in an import. */
  before: readonly string[]
}

/** The definitions of the symbol at a position. */
export interface DefinitionResult {
  targets: SymbolRow[]
  /** Files of the module, if the position is the name of a module. */
  modules: string[]
  /** Whether scopes and imports lead to the targets; otherwise only the name matches. */
  resolved: boolean
  /** Whether the index has a symbol, reference or import here; false for other words, e.g. in a comment. */
  indexed: boolean
  /** The word at the position, and its start column. */
  name: string
  column: number
}

/** A definition of a symbol or a reference to it. */
export interface SymbolLocation {
  path: string
  line: number
  column: number
  name: string
  resolved: boolean
  definition: boolean
}

/** Maximum number of unresolved matches returned. */
const maxNameMatches = 20
/** Maximum number of definitions whose references are collected. */
const maxTargets = 5
const referenceKinds = ['call', 'usage', 'extends', 'implements', 'import', 'export'] as const

/** The position to resolve, in an indexed file. */
interface CursorQuery {
  store: IndexStore
  findModule: ModuleFinder
  resolver: ReferenceResolver
  cursor: Cursor
  /** Row id of the file. */
  file: number
  language: string
}

/**
 * Returns the definitions of the word at a cursor, nearest first: same file, same folder, others. Null if nothing is
 * known about the position.
 */
export function definitionAt(store: IndexStore, findModule: ModuleFinder, cursor: Cursor): DefinitionResult | null {
  const row = store.file(cursor.path)
  if (!row) return null
  const resolver = createReferenceResolver(store, findModule)
  const query: CursorQuery = { store, findModule, resolver, cursor, file: row.id, language: row.language }
  return (
    definitionAtCursor(query) ??
    referenceAtCursor(query) ??
    linkAtCursor(query) ??
    moduleAtCursor(query) ??
    guessFromWord(query)
  )
}

/** Resolves a cursor on a definition's name to this definition. */
function definitionAtCursor({ store, cursor, file }: CursorQuery): DefinitionResult | null {
  const [own] = store.symbols(
    "s.file = ? AND s.kind NOT IN ('import', 'export') AND s.name_line = ?" +
      ' AND ? BETWEEN s.name_column AND s.name_column + length(s.name)',
    file,
    cursor.line,
    cursor.column,
  )
  return own
    ? { targets: [own], modules: [], resolved: true, indexed: true, name: own.name, column: own.name_column }
    : null
}

function referenceAtCursor(query: CursorQuery): DefinitionResult | null {
  const { store, resolver, cursor, file } = query
  const row = store
    .referencesIn(file)
    .findLast(
      ({ line, column, name }) =>
        line === cursor.line && column <= cursor.column && cursor.column <= column + name.length,
    )
  if (!row) return null
  const { targets, resolved } = resolver.resolveReference(row)
  const position = { indexed: true, name: row.name, column: row.column }
  const modules = targets.length > 0 && resolved ? [] : importedFiles(query, row.name)
  if (modules.length > 0) return { ...position, targets: [], modules, resolved: true }
  const sorted = nearestFirst(preferImplementations(targets), cursor.path)
  return { ...position, targets: resolved ? sorted : sorted.slice(0, maxNameMatches), modules: [], resolved }
}

function linkAtCursor(query: CursorQuery): DefinitionResult | null {
  const { store, resolver, cursor, file } = query
  const { word } = cursor
  if (!word) return null
  const sameName = store.links('l.file = ? AND ? IN (l.local, l.original) ORDER BY l.line DESC', file, word.text)
  const link = linkAt(sameName, cursor)
  if (!link) return null
  const targets = preferImplementations(resolver.resolveLink(link) ?? [])
  const modules = targets.length > 0 ? [] : moduleFiles(query, link)
  return { targets, modules, resolved: true, indexed: true, name: word.text, column: word.column }
}

function moduleAtCursor({ store, findModule, cursor, file }: CursorQuery): DefinitionResult | null {
  const { module, path, column } = cursor
  if (module === null) return null
  const links = store.links('l.file = ? AND l.source IN (?, ?)', file, module, `"${module}"`)
  const files = links.flatMap((link) =>
    link.source === null ? [] : fileOf(findModule(link.language, path, link.source)),
  )
  if (files.length === 0) return null
  return { targets: [], modules: [...new Set(files)], resolved: true, indexed: true, name: module, column }
}

/** Resolves the word like a reference. Tag queries do not capture every use, so the result counts as unresolved. */
function guessFromWord(query: CursorQuery): DefinitionResult | null {
  const { store, resolver, cursor, file, language } = query
  const { path, line, word } = cursor
  if (!word) return null
  const [enclosing] = store.symbols(
    's.file = ? AND s.line <= ? AND s.end_line >= ? ORDER BY s.line DESC, s.column DESC LIMIT 1',
    file,
    line,
    line,
  )
  const { targets, resolved } = resolver.resolveReference({
    id: 0,
    file,
    path,
    language,
    symbol: enclosing?.id ?? null,
    kind: 'usage',
    name: word.text,
    receiver: word.receiver,
    origin: null,
    line,
    column: word.column,
  })
  const modules = resolved || word.receiver !== null ? [] : importedFiles(query, word.text)
  const position = { resolved: false, indexed: false, name: word.text, column: word.column }
  return { ...position, targets: resolved ? preferImplementations(targets) : [], modules }
}

/** Returns the files of the module that a name refers to. */
function importedFiles(query: CursorQuery, name: string): string[] {
  const links = query.store.links("l.file = ? AND l.kind = 'import' AND l.local = ?", query.file, name)
  return links.flatMap((link) => moduleFiles(query, link))
}

/** Returns the files of the module that a link refers to as a whole. */
function moduleFiles({ findModule, cursor }: CursorQuery, link: LinkRow): string[] {
  if (link.source === null) return []
  const whole = link.original === '*' ? link.source : null
  // In Python's `from package import module`, the name itself can be a module.
  const submodule = link.language === 'python' && whole === null ? pythonSubmodule(link.source, link.original) : null
  return [whole, submodule].flatMap((source) =>
    source === null ? [] : fileOf(findModule(link.language, cursor.path, source)),
  )
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
    const nameMatches = [...store.referencesTo(found.name)].flat().filter((row) => row.language === language)
    for (const { path, line, column, name } of nameMatches.slice(0, limit))
      add({ path, line, column, name, resolved: false, definition: false })
  }
  const rank = ({ definition, resolved }: SymbolLocation): number => (definition ? 0 : resolved ? 1 : 2)
  const all = [...places.values()].toSorted((a, b) => rank(a) - rank(b))
  return { places: all.slice(0, limit), total: all.length }
}

/** Returns the import or export statement around a cursor. No other statement ends between its start and the cursor. */
function linkAt(links: readonly LinkRow[], { line, before }: Cursor): LinkRow | undefined {
  return links.find((link) => {
    const first = before.length - 1 - (line - link.line)
    if (link.line > line || first < 0) return false
    const between = [(before[first] ?? '').slice(link.column - 1), ...before.slice(first + 1)].join('\n')
    // Statements span lines only inside brackets.
    return (
      (link.line < line || (before.at(-1) ?? '').length >= link.column - 1) &&
      /^[^;=)'"}\n]*([{(][^;=)'"}]*)?$/.test(between)
    )
  })
}

/** Reduces overloads of a function to the one with a body. */
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

/** Returns the file of a module; none for a module that is a folder. */
function fileOf(module: string | null): string[] {
  return module === null || module.endsWith('/') ? [] : [module]
}
