import type { Passage } from './splitPassages.ts'
import type { StatementCache } from './statementCache.ts'
import type { SymbolKind } from './symbolTypes.ts'
import { wordsOf } from '../search/searchWords.ts'

/** Tables of the passages. Only words are stored; the text is read from the file. */
export const passageSchema = `
  CREATE TABLE passages (id INTEGER PRIMARY KEY, file INTEGER NOT NULL, symbol INTEGER, line INTEGER NOT NULL, end_line INTEGER NOT NULL) STRICT;
  CREATE INDEX passages_of_file ON passages (file);
  CREATE VIRTUAL TABLE passage_text USING fts5 (name, about, body, path, content = '', contentless_delete = 1, tokenize = 'porter unicode61');`

/** A passage that contains a word. `score`: BM25, higher is better. */
export interface WordHit {
  id: number
  file: number
  path: string
  language: string
  kind: SymbolKind | null
  score: number
}

/** A passage and its symbol. */
export interface PassageRow {
  id: number
  path: string
  language: string
  /** 1-based, both ends inclusive. */
  line: number
  end_line: number
  /** Innermost enclosing symbol; null if there is none. */
  symbol_id: string | null
  kind: SymbolKind | null
  qualified: string | null
  signature: string | null
  doc: string | null
  symbol_line: number | null
}

/** Passages (splitPassages.ts) for full-text search. */
export interface PassageStore {
  /** @param symbols row ids of the file's symbols, in order */
  add(file: number, path: string, passages: readonly Passage[], symbols: readonly number[]): void
  removeFile(file: number): void
  /** Returns the passages that contain a word, best first. */
  containing(word: string, limit: number): WordHit[]
  row(id: number): PassageRow | undefined
  count(): number
}

/** Weights of name, signature and comment, body, and path. Names describe a passage best. */
const weights = '6.0, 3.0, 1.0, 4.0'

export function createPassageStore(sql: StatementCache): PassageStore {
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
    // Tables are STRICT and columns match the row types, so the cast is safe.
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
