import type { IndexStore, LinkRow, SymbolRow } from '../index/indexStore.ts'
import type { ReferenceSite } from './expressionMembers.ts'

/** Languages that find names through namespaces or packages, in whatever file they are written. */
const namespaceLanguages: ReadonlySet<string> = new Set(['csharp', 'php', 'kotlin', 'scala'])
/** More symbols than this of one name say nothing. */
const maxNameMatches = 50

/** What names mean by the namespaces they are in and are seen from. */
export interface NamespaceLookup {
  has(language: string): boolean
  /** What a bare name means by its namespace, those around it and those that its file uses; empty where nothing there has it. */
  visibleFrom(name: string, at: ReferenceSite): SymbolRow[]
  /** What an import of one name brings in. */
  imported(link: LinkRow): SymbolRow[]
  /** Symbols by their namespace and name, as `App\Base` or `App.Base`. */
  byQualifiedName(language: string, full: string): SymbolRow[]
}

export function createNamespaceLookup(store: IndexStore): NamespaceLookup {
  /** A namespace without a body (`namespace App;`, `package app`) is that of the file. */
  function fileNamespace(file: number, line = Number.MAX_SAFE_INTEGER): string {
    const [found] = store.symbols(
      "s.file = ? AND s.kind = 'namespace' AND s.body_line IS NULL AND s.line <= ? ORDER BY s.line DESC LIMIT 1",
      file,
      line,
    )
    return found ? toDotted(found.name) : ''
  }

  /** The namespace that a symbol is declared in; null for a member of something else. */
  function namespaceOf({ file, parent, line }: SymbolRow): string | null {
    if (parent === null) return fileNamespace(file, line)
    const [around] = store.symbols('s.id = ?', parent)
    return around?.kind === 'namespace' ? toDotted(around.qualified) : null
  }

  function around({ file, symbol }: ReferenceSite): string {
    for (let id = symbol; id !== null;) {
      const [row] = store.symbols('s.id = ?', id)
      if (!row) break
      if (row.kind === 'namespace') return toDotted(row.qualified)
      if (row.parent === null) return fileNamespace(file, row.line)
      id = row.parent
    }
    return fileNamespace(file)
  }

  function inNamespaces(language: string, name: string, namespaces: readonly string[]): SymbolRow[] {
    const found = store
      .symbols(
        "f.language = ? AND s.name = ? AND s.kind NOT IN ('import', 'export', 'namespace') ORDER BY f.path, s.line LIMIT ?",
        language,
        name,
        maxNameMatches,
      )
      .map((row) => ({ row, namespace: namespaceOf(row) }))
    for (const wanted of namespaces) {
      const there = found.filter(({ namespace }) => namespace === wanted)
      if (there.length > 0) return there.map(({ row }) => row)
    }
    return []
  }

  function byQualifiedName(language: string, full: string): SymbolRow[] {
    const written = toDotted(full)
    const dot = written.lastIndexOf('.')
    return inNamespaces(language, written.slice(dot + 1), [dot < 0 ? '' : written.slice(0, dot)])
  }

  return {
    has: (language) => namespaceLanguages.has(language),
    byQualifiedName,
    imported({ language, source, original, local }) {
      if (source === null || local === '*') return []
      return byQualifiedName(language, language === 'scala' ? `${source}.${original}` : source)
    },
    visibleFrom(name, at) {
      const own = around(at)
      const used = store
        .links("l.file = ? AND l.kind = 'import' AND l.local = '*' ORDER BY l.line", at.file)
        .flatMap(({ source }) => (source === null ? [] : toDotted(source)))
      // C# looks outward through the namespaces around a place; the others see their own only. PHP falls back to the global one for functions alone.
      const outward = at.language === 'csharp' ? enclosingNamespaces(own) : [own]
      const found = inNamespaces(at.language, name, [...outward, ...used])
      if (found.length > 0 || at.language !== 'php') return found
      return inNamespaces(at.language, name, ['']).filter(({ kind }) => kind === 'function' || kind === 'constant')
    },
  }
}

/** `A.B`, then `A`, then the global one. */
function enclosingNamespaces(namespace: string): string[] {
  const parts = namespace === '' ? [] : namespace.split('.')
  return Array.from({ length: parts.length + 1 }, (_, index) => parts.slice(0, parts.length - index).join('.'))
}

const toDotted = (name: string): string => name.replaceAll('\\', '.').replace(/^\./, '')
