import type { SymbolRow } from './indexRows.ts'
import type { StatementCache } from './statementCache.ts'
import { symbolColumns, toSymbolRow, type StoredSymbol } from './storedSymbols.ts'
import { symbolKinds, type SymbolKind } from './symbolTypes.ts'
import type { WordRows } from './wordRows.ts'

/** Maximum number of passages per file, as bits of a passage id: FILE * 2^12 + NTH. */
const passageBits = 12
const nthMask = (1 << passageBits) - 1

/**
 * Tables of passages. Only words are stored; the text is read from the file. `end_line` is relative to `line`. The
 * words of a path are stored once for all passages of its file.
 */
export const passageSchema = `
  CREATE TABLE passages (file INTEGER NOT NULL, nth INTEGER NOT NULL, symbol INTEGER, line INTEGER NOT NULL, end_line INTEGER NOT NULL, PRIMARY KEY (file, nth)) STRICT, WITHOUT ROWID;
  CREATE VIRTUAL TABLE passage_text USING fts5 (name, about, body, content = '', contentless_delete = 1, tokenize = 'porter unicode61');
  CREATE VIRTUAL TABLE path_text USING fts5 (path, content = '', contentless_delete = 1, tokenize = 'porter unicode61');`

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
  add(file: number, words: Pick<WordRows, 'passages' | 'passageTexts' | 'path'>): void
  removeFile(file: number): void
  /** Returns the passages whose text or path contains a word, best first. */
  containing(word: string, limit: number): WordHit[]
  file(id: number): Pick<PassageRow, 'path' | 'language'>
  /** Returns the kind of the innermost symbol around a passage; null if there is none. */
  kind(id: number): SymbolKind | null
  row(id: number): PassageRow | undefined
  count(): number
}

/** Weights of name, signature and comment, and body. Names describe a passage best. */
const weights = '6.0, 3.0, 1.0'
const pathWeight = 4

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

type Hit = [id: number, score: number]
type PathHit = [id: number, lines: number]

/** BM25 constants, as in SQLite. */
const saturation = 1.2
const lengthShare = 0.75

/** BM25 weight of a word found in `hits` of `total` passages, as in SQLite. */
const rarity = (total: number, hits: number): number => Math.max(Math.log((total - hits + 0.5) / (hits + 0.5)), 1e-6)

export function createPassageStore(sql: StatementCache): PassageStore {
  /** Number of passages and their average number of lines; undefined after a change. */
  let averages: { total: number; lines: number } | undefined

  function readAverages(): { total: number; lines: number } {
    const found = sql('SELECT count(*) AS total, avg(end_line + 1) AS lines FROM passages').get()
    return { total: Number(found?.total ?? 0), lines: Number(found?.lines ?? 1) }
  }

  /** Returns how many passages contain a word in their text and in their path. */
  function countHits(query: string): { inText: number; inPath: number } {
    const found = sql(`SELECT (SELECT count(*) FROM passage_text WHERE passage_text MATCH ?1) AS in_text,
      (SELECT count(*) FROM passages WHERE file IN (SELECT rowid FROM path_text WHERE path_text MATCH ?1)) AS in_path`).get(
      query,
    )
    return { inText: Number(found?.in_text ?? 0), inPath: Number(found?.in_path ?? 0) }
  }

  /**
   * Adds the path to a word's scores, roughly as if its words were in each passage: the word becomes less rare, and
   * its frequency higher. The number of lines estimates a passage's length.
   */
  function withPaths(query: string, hits: readonly Hit[], inPaths: readonly PathHit[], limit: number): Hit[] {
    averages ??= readAverages()
    const { total, lines: meanLines } = averages
    const { inText, inPath } = countHits(query)
    const pathIds = new Set(inPaths.map(([id]) => id))
    const both = hits.filter(([id]) => pathIds.has(id)).length
    const rarityInText = rarity(total, inText)
    const rarityWithPaths = rarity(total, inText + inPath - both)
    const frequencies = new Map(
      hits.map(([id, score]) => {
        const share = score / rarityInText / (saturation + 1)
        return [id, share / (1 - share)]
      }),
    )
    for (const [id, lines] of inPaths) {
      const added = pathWeight / (saturation * (1 - lengthShare + (lengthShare * lines) / meanLines))
      frequencies.set(id, (frequencies.get(id) ?? 0) + added)
    }
    return [...frequencies]
      .map(([id, frequency]): Hit => [id, (rarityWithPaths * (saturation + 1) * frequency) / (1 + frequency)])
      .toSorted((a, b) => b[1] - a[1] || a[0] - b[0])
      .slice(0, limit)
  }

  return {
    add(file, { passages, passageTexts, path }) {
      averages = undefined
      const addPassage = sql('INSERT INTO passages (file, nth, symbol, line, end_line) VALUES (?, ?, ?, ?, ?)')
      for (const passage of passages) addPassage.run(file, ...passage)
      const addText = sql('INSERT INTO passage_text (rowid, name, about, body) VALUES (?, ?, ?, ?)')
      for (const [nth, text] of passageTexts.entries()) addText.run(file * (1 << passageBits) + nth, ...text)
      if (path !== '') sql('INSERT INTO path_text (rowid, path) VALUES (?, ?)').run(file, path)
    },
    removeFile(file) {
      averages = undefined
      sql('DELETE FROM path_text WHERE rowid = ?').run(file)
      sql(
        `DELETE FROM passage_text WHERE rowid IN (SELECT (file << ${passageBits}) + nth FROM passages WHERE file = ?)`,
      ).run(file)
      sql('DELETE FROM passages WHERE file = ?').run(file)
    },
    // Tables are STRICT and columns match the row types, so the casts are safe.
    containing(word, limit) {
      const query = `"${word.replaceAll('"', '""')}"`
      // A frequent word has thousands of passages, so this query joins nothing.
      const hits = sql(
        `SELECT rowid, -bm25(passage_text, ${weights}) AS score FROM passage_text WHERE passage_text MATCH ? ORDER BY score DESC, rowid LIMIT ?`,
        'arrays',
      ).all(query, limit) as unknown as Hit[]
      const inPaths = sql(
        `SELECT (file << ${passageBits}) + nth, end_line + 1 FROM passages WHERE file IN (SELECT rowid FROM path_text WHERE path_text MATCH ?)
          ORDER BY end_line, file, nth LIMIT ?`,
        'arrays',
      ).all(query, limit) as unknown as PathHit[]
      const scored = inPaths.length === 0 ? hits : withPaths(query, hits, inPaths, limit)
      return scored.map(([id, score]) => ({ id, file: Math.floor(id / (1 << passageBits)), score }))
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
