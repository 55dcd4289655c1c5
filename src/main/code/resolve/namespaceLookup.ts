import type { LinkRow, SymbolRow } from '../index/indexRows.ts'
import type { IndexStore } from '../index/indexStore.ts'
import type { ReferenceSite } from './expressionMembers.ts'
import { maxNameMatches } from './symbolLookup.ts'

/** Languages that resolve names through namespaces or packages, independent of files. */
const namespaceLanguages: ReadonlySet<string> = new Set(['csharp', 'php', 'kotlin', 'scala'])

/** Name resolution through namespaces, in the languages that do not import files. */
export interface NamespaceLookup {
  /** Whether a language resolves names through namespaces. */
  has(language: string): boolean
  /** Resolves a bare name through its namespace, the enclosing ones and those that the file imports. */
  visibleFrom(name: string, at: ReferenceSite): SymbolRow[]
  /** Returns the symbols that an import of one name refers to. */
  imported(link: LinkRow): SymbolRow[]
  /** Returns symbols by namespace and name: `App\Base` or `App.Base`. */
  byQualifiedName(language: string, full: string): SymbolRow[]
}

export function createNamespaceLookup(store: IndexStore): NamespaceLookup {
  /** Returns the file's namespace, declared without a body (`namespace App;`, `package app`). */
  function fileNamespace(file: number, line = Number.MAX_SAFE_INTEGER): string {
    const [found] = store.symbols(
      "s.file = ? AND s.kind = 'namespace' AND s.body_line IS NULL AND s.line <= ? ORDER BY s.line DESC LIMIT 1",
      file,
      line,
    )
    return found ? toDotted(found.name) : ''
  }

  /** Returns the namespace of a symbol; null for a member of another symbol. */
  function namespaceOf({ file, parent, line }: SymbolRow): string | null {
    if (parent === null) return fileNamespace(file, line)
    const enclosing = store.symbol(parent)
    return enclosing?.kind === 'namespace' ? toDotted(enclosing.qualified) : null
  }

  function namespaceAt({ file, symbol }: ReferenceSite): string {
    for (let id = symbol; id !== null;) {
      const row = store.symbol(id)
      if (!row) break
      if (row.kind === 'namespace') return toDotted(row.qualified)
      if (row.parent === null) return fileNamespace(file, row.line)
      id = row.parent
    }
    return fileNamespace(file)
  }

  function inNamespaces(language: string, name: string, namespaces: readonly string[]): SymbolRow[] {
    const found = store
      .symbolsNamed(
        name,
        "s.language = ? AND s.kind NOT IN ('import', 'export', 'namespace') ORDER BY s.path, s.line LIMIT ?",
        language,
        maxNameMatches,
      )
      .map((row) => ({ row, namespace: namespaceOf(row) }))
    for (const wanted of namespaces) {
      const matches = found.filter(({ namespace }) => namespace === wanted)
      if (matches.length > 0) return matches.map(({ row }) => row)
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
      const own = namespaceAt(at)
      const used = store
        .links("l.file = ? AND l.kind = 'import' AND l.local = '*' ORDER BY l.line", at.file)
        .flatMap(({ source }) => (source === null ? [] : toDotted(source)))
      // C# searches enclosing namespaces, other languages only their own. PHP falls back to the global namespace for
      // functions and constants.
      const outward = at.language === 'csharp' ? enclosingNamespaces(own) : [own]
      const found = inNamespaces(at.language, name, [...outward, ...used])
      if (found.length > 0 || at.language !== 'php') return found
      return inNamespaces(at.language, name, ['']).filter(({ kind }) => kind === 'function' || kind === 'constant')
    },
  }
}

/** Returns `A.B`, then `A`, then the global namespace. */
function enclosingNamespaces(namespace: string): string[] {
  const parts = namespace === '' ? [] : namespace.split('.')
  return Array.from({ length: parts.length + 1 }, (_, index) => parts.slice(0, parts.length - index).join('.'))
}

const toDotted = (name: string): string => name.replaceAll('\\', '.').replace(/^\./, '')
