import { identifierWords } from '../search/nameScore.ts'
import type { PassageStore } from './passageStore.ts'
import type { Passage } from './splitPassages.ts'
import { createSymbolIds } from './symbolIds.ts'
import type { StatementCache } from './statementCache.ts'
import type { SymbolNames } from './symbolNames.ts'
import type { Extraction, FoundLink, FoundReference, FoundSymbol } from './symbolTypes.ts'

type SymbolIds = ReturnType<typeof createSymbolIds>

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
      const idOf = createSymbolIds(path)
      const rowIds = insertSymbols(sql, file, symbols, idOf)
      for (const { name } of symbols) names.add(name)
      passages.add(file, path, blocks, rowIds)
      insertReferences(sql, file, references, rowIds)
      insertLinks(sql, file, links, idOf)
    },
    remove(file) {
      names.removeFile(file)
      sql('DELETE FROM symbol_text WHERE rowid IN (SELECT id FROM symbols WHERE file = ?)').run(file)
      passages.removeFile(file)
      for (const table of ['symbols', 'refs', 'links']) sql(`DELETE FROM ${table} WHERE file = ?`).run(file)
    },
  }
}

const insertSymbol = `INSERT INTO symbols (symbol_id, file, parent, kind, name, lower, qualified, line, column, end_line, end_column, body_line, body_end_line,
  name_line, name_column, signature, doc, exported) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** Returns the row ids in the order of the symbols. */
function insertSymbols(sql: StatementCache, file: number, symbols: readonly FoundSymbol[], idOf: SymbolIds): number[] {
  const addSymbol = sql(insertSymbol)
  const addText = sql('INSERT INTO symbol_text (rowid, words, signature, doc) VALUES (?, ?, ?, ?)')
  const rowIds: number[] = []
  for (const {
    kind,
    name,
    qualified,
    range,
    body,
    nameLine,
    nameColumn,
    signature,
    doc,
    exported,
    parent,
  } of symbols) {
    const { lastInsertRowid } = addSymbol.run(
      idOf(qualified, kind),
      file,
      parent === null ? null : (rowIds[parent] ?? null),
      kind,
      name,
      name.toLowerCase(),
      qualified,
      range.line,
      range.column,
      range.endLine,
      range.endColumn,
      body?.line ?? null,
      body?.endLine ?? null,
      nameLine,
      nameColumn,
      signature,
      doc,
      exported ? 1 : 0,
    )
    const rowId = Number(lastInsertRowid)
    rowIds.push(rowId)
    addText.run(rowId, identifierWords(qualified).join(' '), signature, doc)
  }
  return rowIds
}

function insertReferences(
  sql: StatementCache,
  file: number,
  references: readonly FoundReference[],
  rowIds: readonly number[],
): void {
  const addReference = sql(
    'INSERT INTO refs (file, symbol, kind, name, receiver, origin, line, column) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  )
  for (const { from, kind, name, receiver, origin, line, column } of references)
    addReference.run(file, from === null ? null : (rowIds[from] ?? null), kind, name, receiver, origin, line, column)
}

/** Imports and exports are also symbols, so that a search by kind finds them. */
function insertLinks(sql: StatementCache, file: number, links: readonly FoundLink[], idOf: SymbolIds): void {
  const addLink = sql(
    'INSERT INTO links (file, kind, local, original, source, line, column) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const addSymbol = sql(insertSymbol)
  for (const { kind, local, original, source, line, column } of links) {
    addLink.run(file, kind, local, original, source, line, column)
    const signature = source === null ? `${kind} ${original}` : `${kind} ${original} from ${source}`
    const position = [line, column, line, column] as const
    addSymbol.run(
      idOf(local, kind),
      file,
      null,
      kind,
      local,
      local.toLowerCase(),
      local,
      ...position,
      null,
      null,
      line,
      column,
      signature,
      '',
      0,
    )
  }
}
