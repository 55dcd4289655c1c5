import type { ContentRows } from './contentRows.ts'
import type { SymbolRow } from './indexRows.ts'
import type { StatementCache } from './statementCache.ts'
import { symbolColumns, toSymbolRow, type StoredSymbol } from './storedSymbols.ts'
import { symbolKinds, type SymbolKind } from './symbolTypes.ts'

/** Maximum number of passages of a file, as bits of a passage's id: FILE * 2^12 + NTH. */
const passageBits = 12
const nthMask = (1 << passageBits) - 1

/** Tables of the passages. Only words are stored; the text is read from the file. `end_line` counts from `line`. */
export const passageSchema = `
  CREATE TABLE passages (file INTEGER NOT NULL, nth INTEGER NOT NULL, symbol INTEGER, line INTEGER NOT NULL, end_line INTEGER NOT NULL, PRIMARY KEY (file, nth)) STRICT, WITHOUT ROWID;
  CREATE VIRTUAL TABLE passage_text USING fts5 (name, about, body, path, content = '', contentless_delete = 1, tokenize = 'porter unicode61');`

/** A passage that contains a word. `score`: BM25, higher is better. */
export interface WordHit {
  id: number
  file: number
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
  add(file: number, content: Pick<ContentRows, 'passages' | 'passageTexts'>): void
  removeFile(file: number): void
  /** Returns the passages that contain a word, best first. */
  containing(word: string, limit: number): WordHit[]
  file(id: number): Pick<PassageRow, 'path' | 'language'>
  /** Returns the kind of the innermost symbol around a passage; null if there is none. */
  kind(id: number): SymbolKind | null
  row(id: number): PassageRow | undefined
  count(): number
}

/** Weights of name, signature and comment, body, and path. Names describe a passage best. */
const weights = '6.0, 3.0, 1.0, 4.0'

const passageOf = (id: string): string =>
  `passages p ON p.file = ${id} >> ${passageBits} AND p.nth = ${id} & ${nthMask}`

type SymbolOfPassage = Pick<PassageRow, 'symbol_id' | 'kind' | 'qualified' | 'signature' | 'doc' | 'symbol_line'>
const symbolOfPassage = ({ symbol_id, kind, qualified, signature, doc, line }: SymbolRow): SymbolOfPassage => ({
  symbol_id,
  kind,
  qualified,
  signature,
  doc,
  symbol_line: line,
})
type PassageOfFile = Omit<PassageRow, keyof SymbolOfPassage> & { file: number; symbol: number | null }
const noSymbol: SymbolOfPassage = {
  symbol_id: null,
  kind: null,
  qualified: null,
  signature: null,
  doc: null,
  symbol_line: null,
}

export function createPassageStore(sql: StatementCache): PassageStore {
  return {
    add(file, { passages, passageTexts }) {
      const addPassage = sql('INSERT INTO passages (file, nth, symbol, line, end_line) VALUES (?, ?, ?, ?, ?)')
      for (const passage of passages) addPassage.run(file, ...passage)
      const addText = sql('INSERT INTO passage_text (rowid, name, about, body, path) VALUES (?, ?, ?, ?, ?)')
      for (const [nth, text] of passageTexts.entries()) addText.run(file * (1 << passageBits) + nth, ...text)
    },
    removeFile(file) {
      sql(
        `DELETE FROM passage_text WHERE rowid IN (SELECT (file << ${passageBits}) + nth FROM passages WHERE file = ?)`,
      ).run(file)
      sql('DELETE FROM passages WHERE file = ?').run(file)
    },
    // Tables are STRICT and columns match the row types, so the casts are safe.
    containing(word, limit) {
      // A frequent word has thousands of passages, so nothing is joined.
      const hits = sql(
        `SELECT rowid, -bm25(passage_text, ${weights}) AS score FROM passage_text WHERE passage_text MATCH ? ORDER BY score DESC, rowid LIMIT ?`,
        'arrays',
      ).all(`"${word.replaceAll('"', '""')}"`, limit) as unknown as [id: number, score: number][]
      return hits.map(([id, score]) => ({ id, file: Math.floor(id / (1 << passageBits)), score }))
    },
    file(id) {
      const file = sql('SELECT path, language FROM files WHERE id = ?').get(id)
      return { path: String(file?.path ?? ''), language: String(file?.language ?? '') }
    },
    kind(id) {
      const found = sql(
        `SELECT r.kind FROM (SELECT ? AS id) w JOIN ${passageOf('w.id')} JOIN symbol_rows r ON r.file = p.file AND r.nth = p.symbol`,
      ).get(id)
      return found ? (symbolKinds[Number(found.kind)] ?? null) : null
    },
    row(id) {
      const passage =
        sql(`SELECT w.id, f.path, f.language, p.line, p.line + p.end_line AS end_line, p.file, p.symbol FROM (SELECT ? AS id) w
      JOIN ${passageOf('w.id')} JOIN files f ON f.id = p.file`).get(id) as unknown as PassageOfFile | undefined
      if (!passage) return undefined
      const { file, symbol, ...place } = passage
      const stored =
        symbol === null
          ? undefined
          : (sql(`SELECT ${symbolColumns} FROM symbols s WHERE s.file = ? AND s.nth = ?`, 'arrays').get(
              file,
              symbol,
            ) as unknown as StoredSymbol | undefined)
      return { ...place, ...(stored ? symbolOfPassage(toSymbolRow(stored)) : noSymbol) }
    },
    count: () => Number(sql('SELECT count(*) AS passages FROM passages').get()?.passages ?? 0),
  }
}
