import { edgesOf } from './callGraph.ts'
import type { ModuleFinder } from './moduleFinder.ts'
import { createResolver } from './referenceResolver.ts'
import type { IndexStore, LinkRow, SymbolRow } from '../index/indexStore.ts'

/** A cursor in a text, read by codeIndex.ts, which has the text. Lines and columns are 1-based, columns in UTF-16 units. */
export interface Cursor {
  path: string
  line: number
  column: number
  /** The identifier around it, what stands before its dot, and where it begins. */
  word: { text: string; column: number; receiver: string | null } | null
  /** The string or dotted name around it, which may be a module's. */
  moduleAtCursor: string | null
  /** The text up to the identifier, by lines, the cursor's line last: whether it belongs to an import. */
  before: readonly string[]
}

/** What a place means. */
export interface DefinitionResult {
  targets: SymbolRow[]
  /** Files that are meant as a whole: a module's name stands there. */
  modules: string[]
  /** Scopes and imports led there; otherwise the targets merely have the name. */
  resolved: boolean
  /** The index has this place itself; otherwise only its word was looked up, which may stand in a comment. */
  indexed: boolean
  /** The word that was looked up. */
  name: string
  column: number
}

/** A place that refers to a symbol, or its definition. */
export interface SymbolLocation {
  path: string
  line: number
  column: number
  /** As written there, where the index knows it. */
  name: string
  resolved: boolean
  definition: boolean
}

/** Namesakes that are offered where nothing better is known. */
const maxNameMatches = 20
/** Definitions whose references are gathered for one question. */
const maxTargets = 5
const referenceKinds = ['call', 'usage', 'extends', 'implements', 'import', 'export'] as const

/** What the word at a cursor means: best first, those in the same file, then the same folder before others. */
export function definitionAt(store: IndexStore, findModule: ModuleFinder, cursor: Cursor): DefinitionResult | null {
  const { path, line, column, word } = cursor
  const found = store.file(path)
  if (!found) return null
  const { id: file, language } = found
  const resolver = createResolver(store, findModule)

  const moduleFiles = (link: LinkRow): string[] => {
    if (link.source === null) return []
    const whole = link.original === '*' ? link.source : null
    // `from package import module` (Python): the name itself may be a module.
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

  function module(): DefinitionResult | null {
    if (cursor.moduleAtCursor === null) return null
    const links = store.links(
      'l.file = ? AND l.source IN (?, ?)',
      file,
      cursor.moduleAtCursor,
      `"${cursor.moduleAtCursor}"`,
    )
    const modules = links.flatMap((link) =>
      link.source === null ? [] : fileOf(findModule(link.language, path, link.source)),
    )
    if (modules.length === 0) return null
    return {
      targets: [],
      modules: [...new Set(modules)],
      resolved: true,
      indexed: true,
      name: cursor.moduleAtCursor,
      column,
    }
  }

  /** The tag queries do not name every use. What the word would mean here is likely, and no more than that. */
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

  return definitionAtCursor() ?? referenceAtCursor() ?? linkAtCursor() ?? module() ?? guessFromWord()
}

/** Every place that refers to what is meant at a cursor, its definitions first; resolved ones before namesakes, then by file. */
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
  // Defined outside of the workspace: the places that name it are all that is known.
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

/** The import or export that a cursor stands in: between its beginning and the cursor nothing ends it. */
function linkAt(links: readonly LinkRow[], { line, before }: Cursor): LinkRow | undefined {
  return links.find((link) => {
    const first = before.length - 1 - (line - link.line)
    if (link.line > line || first < 0) return false
    const between = [(before[first] ?? '').slice(link.column - 1), ...before.slice(first + 1)].join('\n')
    // It goes over several lines only inside brackets.
    return (
      (link.line < line || (before.at(-1) ?? '').length >= link.column - 1) &&
      /^[^;=)'"}\n]*([{(][^;=)'"}]*)?$/.test(between)
    )
  })
}

/** Of several declarations of one thing (overloads) the one with a body is what is looked for. */
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

/** A module that is a folder is no place to go to. */
function fileOf(module: string | null): string[] {
  return module === null || module.endsWith('/') ? [] : [module]
}
