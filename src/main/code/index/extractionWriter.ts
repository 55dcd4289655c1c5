import { type ContentRows, nameHash } from './contentRows.ts'
import { symbolBits } from './indexSchema.ts'
import type { PassageStore } from './passageStore.ts'
import { decodeReferences } from './referenceCodec.ts'
import type { StatementCache } from './statementCache.ts'
import type { SymbolNames } from './symbolNames.ts'
import type { WordRows } from './wordRows.ts'

export interface ExtractionWriter {
  /** @param file row id of the file */
  insert(file: number, content: ContentRows): void
  insertWords(file: number, words: WordRows): void
  /** Deletes everything that was inserted for a file. */
  remove(file: number): void
}

export function createExtractionWriter(
  sql: StatementCache,
  names: SymbolNames,
  passages: PassageStore,
): ExtractionWriter {
  return {
    insert(file, { symbols, names: added, references, mentions, links }) {
      const addSymbol =
        sql(`INSERT INTO symbol_rows (file, nth, kind, name, hash, qualified, repeat, parent, line, column, end_line, end_column, body_line, body_end_line,
    name_line, name_column, signature, doc, exported) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
      for (const symbol of symbols) addSymbol.run(file, ...symbol)
      for (const name of added) names.add(name)
      if (references) sql('INSERT INTO refs (file, bytes) VALUES (?, ?)').run(file, references)
      const addMention = sql('INSERT INTO mentions (hash, file, kinds) VALUES (?, ?, ?)')
      for (const [hash, kinds] of mentions) addMention.run(hash, file, kinds)
      const addLink = sql(
        'INSERT INTO link_rows (file, nth, export, local, original, source, line, column) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      )
      for (const link of links) addLink.run(file, ...link)
    },
    insertWords(file, words) {
      const addText = sql('INSERT INTO symbol_text (rowid, words, signature, doc) VALUES (?, ?, ?, ?)')
      const firstSymbol = file * 2 ** symbolBits
      for (const [nth, text] of words.symbols.entries()) addText.run(firstSymbol + nth, ...text)
      passages.add(file, words)
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

function removeMentions(sql: StatementCache, file: number): void {
  const bytes = sql('SELECT bytes FROM refs WHERE file = ?').get(file)?.bytes
  if (!(bytes instanceof Uint8Array)) return
  const removeMention = sql('DELETE FROM mentions WHERE hash = ? AND file = ?')
  for (const hash of new Set(decodeReferences(bytes).map(({ reference }) => nameHash(reference.name))))
    removeMention.run(hash, file)
}
