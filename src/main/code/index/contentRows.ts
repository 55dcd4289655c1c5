import { encodeReferences, kindBits } from './referenceCodec.ts'
import { packSignature, symbolId } from './storedSymbols.ts'
import {
  symbolKinds,
  type Extraction,
  type FoundLink,
  type FoundReference,
  type FoundSymbol,
  type SymbolKind,
} from './symbolTypes.ts'

type Value = string | number | null

/**
 * The symbols, references and links of a file as table values (indexSchema.ts), in column order and without the file
 * id. Prepared where the file is read, which may be another thread, so that storing only binds values.
 */
export interface ContentRows {
  /** `symbol_rows` from the column `nth` on: definitions, then imports and exports. */
  symbols: Value[][]
  /** Names of the definitions. */
  names: string[]
  /** `refs.bytes`; null without references. */
  references: Uint8Array | null
  /** `mentions`: the hash of each referenced name, and the kinds of its references as bits. */
  mentions: [hash: number, kinds: number][]
  /** `link_rows` from the column `nth` on. */
  links: Value[][]
}

export function toContentRows({ symbols, references, links }: Extraction): ContentRows {
  return {
    symbols: symbolRows([...symbols, ...links.map(symbolOfLink)]),
    names: symbols.map(({ name }) => name),
    references: references.length > 0 ? encodeReferences(references) : null,
    mentions: mentionsOf(references),
    links: links.map(({ kind, local, original, source, line, column }, nth) => [
      nth,
      kind === 'export' ? 1 : 0,
      local,
      original === local ? null : original,
      source,
      line,
      column,
    ]),
  }
}

/** A symbol with its stored values. Imports and exports have no range of their own. */
type SymbolToStore = Omit<FoundSymbol, 'kind'> & { kind: SymbolKind }

/** Imports and exports are also symbols, so that a search by kind finds them. */
function symbolOfLink({ kind, local, original, source, line, column }: FoundLink): SymbolToStore {
  return {
    kind,
    name: local,
    qualified: local,
    range: { line, column, endLine: line, endColumn: column },
    nameLine: line,
    nameColumn: column,
    signature: source === null ? `${kind} ${original}` : `${kind} ${original} from ${source}`,
    doc: '',
    exported: false,
    parent: null,
  }
}

function symbolRows(symbols: readonly SymbolToStore[]): Value[][] {
  const repeatOf = countRepeats()
  return symbols.map(
    ({ kind, name, qualified, range, body, nameLine, nameColumn, signature, doc, exported, parent }, nth) => [
      nth,
      symbolKinds.indexOf(kind),
      name,
      nameHash(name),
      qualified === name ? null : qualified,
      repeatOf(qualified, kind),
      parent,
      range.line,
      range.column,
      range.endLine - range.line,
      range.endColumn,
      body ? body.line - range.line : null,
      body ? body.endLine - range.line : null,
      nameLine - range.line,
      nameColumn - range.column,
      packSignature(signature, name),
      doc,
      exported ? 1 : 0,
    ],
  )
}

function mentionsOf(references: readonly FoundReference[]): ContentRows['mentions'] {
  const kinds = new Map<number, number>()
  for (const { name, kind } of references) {
    const hash = nameHash(name)
    kinds.set(hash, (kinds.get(hash) ?? 0) | kindBits([kind]))
  }
  return [...kinds]
}

/** Creates the ids of a file's symbols in order. */
export function createSymbolIds(path: string): (qualified: string, kind: string) => string {
  const repeatOf = countRepeats()
  return (qualified, kind) => symbolId(path, qualified, kind, repeatOf(qualified, kind))
}

/** Returns the number of earlier symbols in the file with the same qualified name and kind. */
function countRepeats(): (qualified: string, kind: string) => number {
  const used = new Map<string, number>()
  return (qualified, kind) => {
    const key = `${qualified}#${kind}`
    const repeat = used.get(key) ?? 0
    used.set(key, repeat + 1)
    return repeat
  }
}

/**
 * Returns a 32-bit hash of a name (FNV-1a over its UTF-16 units). SQL indexes hold hashes, because most names are
 * longer. A query compares the name too.
 */
export function nameHash(name: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < name.length; index++) hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193)
  return hash | 0
}
