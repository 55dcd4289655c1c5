import { identifierWords } from '../search/nameScore.ts'
import { symbolBits } from './indexSchema.ts'
import { nameHash } from './nameHash.ts'
import type { PassageStore } from './passageStore.ts'
import { decodeReferences, encodeReferences, kindBits } from './referenceCodec.ts'
import type { Passage } from './splitPassages.ts'
import { packSignature } from './storedSymbols.ts'
import { countRepeats } from './symbolIds.ts'
import type { StatementCache } from './statementCache.ts'
import type { SymbolNames } from './symbolNames.ts'
import {
  symbolKinds,
  type Extraction,
  type FoundLink,
  type FoundReference,
  type FoundSymbol,
  type SymbolKind,
} from './symbolTypes.ts'

/** Writes symbols, references, links and passages of a file to the database. */
export interface ExtractionWriter {
  /** @param file row id of the file */
  insert(file: number, path: string, extraction: Extraction, passages: readonly Passage[]): void
  /** Deletes everything that was inserted for a file. */
  remove(file: number): void
}

export function createExtractionWriter(
  sql: StatementCache,
  names: SymbolNames,
  passages: PassageStore,
): ExtractionWriter {
  return {
    insert(file, path, { symbols, references, links }, blocks) {
      insertSymbols(sql, file, [...symbols, ...links.map(symbolOfLink)])
      insertText(sql, file, symbols)
      for (const { name } of symbols) names.add(name)
      passages.add(file, path, blocks)
      insertReferences(sql, file, references)
      insertLinks(sql, file, links)
    },
    remove(file) {
      names.removeFile(file)
      sql(
        `DELETE FROM symbol_text WHERE rowid IN (SELECT (file << ${symbolBits}) + nth FROM symbol_rows WHERE file = ?)`,
      ).run(file)
      passages.removeFile(file)
      removeMentions(sql, file)
      for (const table of ['symbol_rows', 'refs', 'link_rows']) sql(`DELETE FROM ${table} WHERE file = ?`).run(file)
    },
  }
}

/** A symbol with the values that the database stores; imports and exports have no range of their own. */
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

function insertSymbols(sql: StatementCache, file: number, symbols: readonly SymbolToStore[]): void {
  const add =
    sql(`INSERT INTO symbol_rows (file, nth, kind, name, hash, qualified, repeat, parent, line, column, end_line, end_column, body_line, body_end_line,
    name_line, name_column, signature, doc, exported) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const repeatOf = countRepeats()
  for (const [nth, symbol] of symbols.entries()) {
    const { kind, name, qualified, range, body, nameLine, nameColumn, signature, doc, exported, parent } = symbol
    add.run(
      file,
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
    )
  }
}

function insertText(sql: StatementCache, file: number, symbols: readonly FoundSymbol[]): void {
  const addText = sql('INSERT INTO symbol_text (rowid, words, signature, doc) VALUES (?, ?, ?, ?)')
  for (const [nth, { qualified, signature, doc }] of symbols.entries())
    addText.run(file * 2 ** symbolBits + nth, identifierWords(qualified).join(' '), signature, doc)
}

function insertReferences(sql: StatementCache, file: number, references: readonly FoundReference[]): void {
  if (references.length === 0) return
  sql('INSERT INTO refs (file, bytes) VALUES (?, ?)').run(file, encodeReferences(references))
  const kinds = new Map<number, number>()
  for (const { name, kind } of references) {
    const hash = nameHash(name)
    kinds.set(hash, (kinds.get(hash) ?? 0) | kindBits([kind]))
  }
  const addMention = sql('INSERT INTO mentions (hash, file, kinds) VALUES (?, ?, ?)')
  for (const [hash, bits] of kinds) addMention.run(hash, file, bits)
}

function removeMentions(sql: StatementCache, file: number): void {
  const bytes = sql('SELECT bytes FROM refs WHERE file = ?').get(file)?.bytes
  if (!(bytes instanceof Uint8Array)) return
  const removeMention = sql('DELETE FROM mentions WHERE hash = ? AND file = ?')
  for (const hash of new Set(decodeReferences(bytes).map(({ reference }) => nameHash(reference.name))))
    removeMention.run(hash, file)
}

function insertLinks(sql: StatementCache, file: number, links: readonly FoundLink[]): void {
  const addLink = sql(
    'INSERT INTO link_rows (file, nth, export, local, original, source, line, column) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  )
  for (const [nth, { kind, local, original, source, line, column }] of links.entries())
    addLink.run(file, nth, kind === 'export' ? 1 : 0, local, original === local ? null : original, source, line, column)
}
