import type { SymbolRow } from './indexRows.ts'
import type { PassageSymbol } from './splitPassages.ts'
import { symbolKinds } from './symbolTypes.ts'

// A symbol as indexSchema.ts stores it.

/** SQL condition that excludes imports and exports, which refer to symbols by name. */
export const notLink = `kind NOT IN (${symbolKinds.indexOf('import')}, ${symbolKinds.indexOf('export')})`

/** Columns of the view `symbols s`, in the order that `toSymbolRow` expects. */
export const symbolColumns =
  's.id, s.file, s.path, s.language, s.parent, s.kind_code, s.name, s.longer_name, s.repeat, s.line, s.column, s.end_line, s.end_column, s.body_line, s.body_end_line, s.name_line, s.name_column, s.packed_signature, s.doc, s.exported'

/** Values of `symbolColumns`. Arrays, because SQLite's row objects are slow to create and read. */
export type StoredSymbol = [
  id: number,
  file: number,
  path: string,
  language: string,
  parent: number | null,
  kind: number,
  name: string,
  /** The qualified name; null if it equals the name. */
  longerName: string | null,
  /** Number of earlier symbols in the file with the same qualified name and kind. */
  repeat: number,
  line: number,
  column: number,
  end_line: number,
  end_column: number,
  body_line: number | null,
  body_end_line: number | null,
  name_line: number,
  name_column: number,
  signature: string,
  doc: string,
  exported: number,
]

export function toSymbolRow(stored: StoredSymbol): SymbolRow {
  const [id, file, path, language, parent, kindCode, name, longerName, repeat] = stored
  const kind = symbolKinds[kindCode] ?? 'variable'
  const qualified = longerName ?? name
  return {
    id,
    symbol_id: symbolId(path, qualified, kind, repeat),
    file,
    path,
    language,
    parent,
    kind,
    name,
    qualified,
    line: stored[9],
    column: stored[10],
    end_line: stored[11],
    end_column: stored[12],
    body_line: stored[13],
    body_end_line: stored[14],
    name_line: stored[15],
    name_column: stored[16],
    signature: unpackSignature(stored[17], name),
    doc: stored[18],
    exported: stored[19],
  }
}

/** What the words of a file need from a definition. */
export type StoredDefinition = [
  kind: number,
  name: string,
  /** The qualified name; null if it equals the name. */
  longerName: string | null,
  line: number,
  /** Relative to `line`. */
  endLine: number,
  parent: number | null,
  signature: string,
  doc: string,
]

/** SQL that selects the definitions of a file in text order, without imports and exports. */
export const definitionsOfFile = `SELECT kind, name, qualified, line, end_line, parent, signature, doc FROM symbol_rows
  WHERE file = ? AND ${notLink} ORDER BY nth`

export function toPassageSymbol(stored: StoredDefinition): PassageSymbol {
  const [kindCode, name, longerName, line, endLine, parent, signature, doc] = stored
  return {
    kind: symbolKinds[kindCode] ?? 'variable',
    name,
    qualified: longerName ?? name,
    range: { line, endLine: line + endLine },
    parent,
    signature: unpackSignature(signature, name),
    doc,
  }
}

/** Returns a symbol id. A repeated symbol has the suffix `~2`, `~3`. */
export function symbolId(path: string, qualified: string, kind: string, repeat: number): string {
  return `${path}::${qualified}#${kind}${repeat === 0 ? '' : `~${repeat + 1}`}`
}

/** Replaces the name in a stored signature. */
const nameMark = '\u0001'

export function packSignature(signature: string, name: string): string {
  const at = name === '' ? -1 : signature.indexOf(name)
  const plain = signature.replaceAll(nameMark, ' ')
  return at < 0 ? plain : plain.slice(0, at) + nameMark + plain.slice(at + name.length)
}

function unpackSignature(packed: string, name: string): string {
  const at = packed.indexOf(nameMark)
  return at < 0 ? packed : packed.slice(0, at) + name + packed.slice(at + 1)
}
