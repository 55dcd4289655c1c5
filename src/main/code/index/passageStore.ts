import type { StatementSync } from 'node:sqlite'
import type { Passage } from './splitPassages.ts'
import type { SymbolKind } from './symbolTypes.ts'
import { wordsOf } from '../search/searchWords.ts'

/** The text of a workspace by passages. Only words are kept, not the text: that is read from the file it stands in. */
export const passageSchema = `
  CREATE TABLE passages (id INTEGER PRIMARY KEY, file INTEGER NOT NULL, symbol INTEGER, line INTEGER NOT NULL, end_line INTEGER NOT NULL) STRICT;
  CREATE INDEX passages_of_file ON passages (file);
  CREATE VIRTUAL TABLE passage_text USING fts5 (name, about, body, path, content = '', contentless_delete = 1, tokenize = 'porter unicode61');`

/** A passage that holds a word. `score`: BM25, more is better. */
export interface WordHit {
  id: number
  file: number
  path: string
  language: string
  kind: SymbolKind | null
  score: number
}

export interface PassageRow {
  id: number
  path: string
  language: string
  /** 1-based, both ends inclusive. */
  line: number
  end_line: number
  /** The innermost symbol around it; null outside of all. */
  symbol_id: string | null
  kind: SymbolKind | null
  qualified: string | null
  signature: string | null
  doc: string | null
  symbol_line: number | null
}

export interface PassageStore {
  /** @param symbols row ids of the file's symbols in their order */
  add(file: number, path: string, passages: readonly Passage[], symbols: readonly number[]): void
  removeFile(file: number): void
  /** The passages that hold a word, best first. */
  containing(word: string, limit: number): WordHit[]
  row(id: number): PassageRow | undefined
  count(): number
}

/** A name says most of what a passage is about, its path and its comment more than a word in its body. */
const weights = '6.0, 3.0, 1.0, 4.0'

/** @param sql prepares a statement once */
export function createPassageStore(sql: (text: string) => StatementSync): PassageStore {
  return {
    add(file, path, passages, symbols) {
      const addPassage = sql('INSERT INTO passages (file, symbol, line, end_line) VALUES (?, ?, ?, ?)')
      const addText = sql('INSERT INTO passage_text (rowid, name, about, body, path) VALUES (?, ?, ?, ?, ?)')
      const pathWords = wordsOf(path).join(' ')
      for (const { line, endLine, symbol, name, about, body } of passages) {
        const id = addPassage.run(
          file,
          symbol === null ? null : (symbols[symbol] ?? null),
          line,
          endLine,
        ).lastInsertRowid
        addText.run(id, name, about, body, pathWords)
      }
    },
    removeFile(file) {
      sql('DELETE FROM passage_text WHERE rowid IN (SELECT id FROM passages WHERE file = ?)').run(file)
      sql('DELETE FROM passages WHERE file = ?').run(file)
    },
    // The tables are STRICT and the columns are named as the row types are, so a row is what its type says.
    containing: (word, limit) =>
      sql(`SELECT p.id, p.file, f.path, f.language, s.kind, -bm25(passage_text, ${weights}) AS score
      FROM passage_text JOIN passages p ON p.id = passage_text.rowid JOIN files f ON f.id = p.file LEFT JOIN symbols s ON s.id = p.symbol
      WHERE passage_text MATCH ? ORDER BY score DESC, p.id LIMIT ?`).all(
        `"${word.replaceAll('"', '""')}"`,
        limit,
      ) as unknown as WordHit[],
    row: (id) =>
      sql(`SELECT p.id, f.path, f.language, p.line, p.end_line, s.symbol_id, s.kind, s.qualified, s.signature, s.doc, s.line AS symbol_line
      FROM passages p JOIN files f ON f.id = p.file LEFT JOIN symbols s ON s.id = p.symbol WHERE p.id = ?`).get(id) as
        | PassageRow
        | undefined,
    count: () => Number(sql('SELECT count(*) AS passages FROM passages').get()?.passages ?? 0),
  }
}
