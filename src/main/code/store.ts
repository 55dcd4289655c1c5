import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { humps } from './names.ts'
import type { Passage } from './passages.ts'
import { createPassageStore, passageSchema, type PassageStore } from './passageStore.ts'
import type { EdgeKind, Extraction, SymbolKind } from './symbols.ts'

/** Raise it when queries or tables change: an index of another version is built anew. */
const version = 11

const schema = `
  CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, language TEXT NOT NULL, size INTEGER NOT NULL, mtime REAL NOT NULL, hash TEXT NOT NULL, problem TEXT NOT NULL DEFAULT '') STRICT;
  CREATE TABLE symbols (
    id INTEGER PRIMARY KEY, symbol_id TEXT NOT NULL UNIQUE, file INTEGER NOT NULL, parent INTEGER, kind TEXT NOT NULL, name TEXT NOT NULL, lower TEXT NOT NULL,
    qualified TEXT NOT NULL, line INTEGER NOT NULL, column INTEGER NOT NULL, end_line INTEGER NOT NULL, end_column INTEGER NOT NULL, body_line INTEGER,
    body_end_line INTEGER, name_line INTEGER NOT NULL, name_column INTEGER NOT NULL, signature TEXT NOT NULL, doc TEXT NOT NULL, exported INTEGER NOT NULL) STRICT;
  CREATE INDEX symbols_of_file ON symbols (file, line);
  CREATE INDEX symbols_by_name ON symbols (name);
  CREATE INDEX symbols_by_lower ON symbols (lower);
  CREATE INDEX symbols_by_parent ON symbols (parent);
  CREATE TABLE refs (id INTEGER PRIMARY KEY, file INTEGER NOT NULL, symbol INTEGER, kind TEXT NOT NULL, name TEXT NOT NULL, receiver TEXT, origin TEXT, line INTEGER NOT NULL, column INTEGER NOT NULL) STRICT;
  CREATE INDEX refs_of_file ON refs (file);
  CREATE INDEX refs_of_symbol ON refs (symbol);
  CREATE INDEX refs_by_name ON refs (name, kind);
  CREATE TABLE links (id INTEGER PRIMARY KEY, file INTEGER NOT NULL, kind TEXT NOT NULL, local TEXT NOT NULL, original TEXT NOT NULL, source TEXT, line INTEGER NOT NULL, column INTEGER NOT NULL) STRICT;
  CREATE INDEX links_of_file ON links (file, local);
  CREATE INDEX links_by_original ON links (original);
  CREATE VIRTUAL TABLE symbol_text USING fts5 (words, signature, doc, content = '', contentless_delete = 1, tokenize = 'porter unicode61');
  ${passageSchema}
  PRAGMA user_version = ${version};`

export interface FileRow { id: number; path: string; language: string; size: number; mtime: number; hash: string; problem: string }

export interface SymbolRow {
  id: number
  symbol_id: string
  file: number
  path: string
  language: string
  parent: number | null
  kind: SymbolKind
  name: string
  qualified: string
  line: number
  column: number
  end_line: number
  end_column: number
  body_line: number | null
  body_end_line: number | null
  name_line: number
  name_column: number
  signature: string
  doc: string
  exported: number
}

export interface ReferenceRow { id: number; file: number; path: string; language: string; symbol: number | null; kind: EdgeKind; name: string; receiver: string | null; origin: string | null; line: number; column: number }
export interface LinkRow { id: number; file: number; path: string; language: string; kind: 'import' | 'export'; local: string; original: string; source: string | null; line: number; column: number }

export interface NameEntry {
  lower: string
  /** How many symbols have it. */
  count: number
}

/** What SQLite binds. */
type Value = string | number | null

/** The symbols of one workspace in SQLite. Synchronous: it lives in the index's own thread. */
export interface IndexStore {
  /** Why an earlier index was thrown away, in words; '' when it was not. */
  readonly rebuilt: string
  /** Every name of a symbol, imports and exports left out. */
  readonly names: ReadonlyMap<string, NameEntry>
  /** Grows with every change of what the index holds. */
  readonly changes: number
  file(path: string): FileRow | undefined
  files(): FileRow[]
  /** Paths of files that meet a condition. */
  paths(where: string, ...values: Value[]): string[]
  /** The text by blocks, for search by words. */
  readonly passages: PassageStore
  replace(file: Omit<FileRow, 'id'>, found: Extraction, passages: readonly Passage[]): void
  touch(id: number, size: number, mtime: number): void
  remove(id: number): void
  /** Several changes as one write. */
  together(change: () => void): void
  symbols(where: string, ...values: Value[]): SymbolRow[]
  references(where: string, ...values: Value[]): ReferenceRow[]
  links(where: string, ...values: Value[]): LinkRow[]
  /** Symbols whose words, signature or comment hold these words, best first. */
  described(words: readonly string[], limit: number): SymbolRow[]
  /** Names of symbols that are referred to from most files, and from how many. */
  referenced(limit: number): { name: string; files: number }[]
  counts(): { files: number; symbols: number }
  close(): void
}

/** Opens or creates an index file. One that is damaged or of another version is thrown away: it can be built again. */
export function openIndexStore(file: string): IndexStore {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  let rebuilt = ''
  let db: DatabaseSync
  try {
    db = open(file)
  } catch (error) {
    rebuilt = `The code index could not be read (${error instanceof Error ? error.message : String(error)}) and is built anew.`
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
    db = open(file)
  }
  return createStore(db, rebuilt)
}

function open(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: 5000 })
  try {
    // It can be built again, so a power cut may cost it.
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY')
    const found = Number(db.prepare('PRAGMA user_version').get()?.user_version ?? 0)
    if (found === 0) db.exec(`BEGIN; ${schema} COMMIT`)
    else if (found !== version) throw new Error(`it is of version ${found}`)
    const [check] = Object.values(db.prepare('PRAGMA quick_check(1)').get() ?? {})
    if (check !== 'ok') throw new Error(String(check))
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function createStore(db: DatabaseSync, rebuilt: string): IndexStore {
  const prepared = new Map<string, StatementSync>()
  const sql = (text: string): StatementSync => {
    const before = prepared.get(text)
    if (before) return before
    const statement = db.prepare(text)
    prepared.set(text, statement)
    return statement
  }
  // The tables are STRICT and the columns are named as the row types are, so a row is what its type says.
  const rows = <Row>(text: string, values: readonly Value[]): Row[] => sql(text).all(...values) as Row[]

  const passages = createPassageStore(sql)

  // In memory, because a fuzzy query looks at each of them.
  const names = new Map<string, NameEntry>()
  let changes = 0
  let total = 0
  function count(name: string, by: 1 | -1): void {
    const entry = names.get(name) ?? { lower: name.toLowerCase(), count: 0 }
    entry.count += by
    total += by
    if (entry.count > 0) names.set(name, entry)
    else names.delete(name)
  }
  for (const { name } of rows<{ name: string }>("SELECT name FROM symbols WHERE kind NOT IN ('import', 'export')", [])) count(name, 1)

  function forget(file: number): void {
    for (const { name } of rows<{ name: string }>("SELECT name FROM symbols WHERE file = ? AND kind NOT IN ('import', 'export')", [file])) count(name, -1)
    changes++
    sql('DELETE FROM symbol_text WHERE rowid IN (SELECT id FROM symbols WHERE file = ?)').run(file)
    passages.forget(file)
    for (const table of ['symbols', 'refs', 'links']) sql(`DELETE FROM ${table} WHERE file = ?`).run(file)
  }

  function insert(file: number, place: string, { symbols, references, links }: Extraction, blocks: readonly Passage[]): void {
    changes++
    const used = new Map<string, number>()
    /** Overloads get `~2`, `~3` in the order they stand. */
    const unique = (qualified: string, kind: string): string => {
      const id = `${place}::${qualified}#${kind}`
      const times = (used.get(id) ?? 0) + 1
      used.set(id, times)
      return times === 1 ? id : `${id}~${times}`
    }
    const addSymbol = sql(`INSERT INTO symbols (symbol_id, file, parent, kind, name, lower, qualified, line, column, end_line, end_column, body_line, body_end_line, name_line, name_column,
      signature, doc, exported) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
    const addText = sql('INSERT INTO symbol_text (rowid, words, signature, doc) VALUES (?, ?, ?, ?)')
    const ids: number[] = []
    for (const { kind, name, qualified, range, body, nameLine, nameColumn, signature, doc, exported, parent } of symbols) {
      const id = Number(addSymbol.run(unique(qualified, kind), file, parent === null ? null : (ids[parent] ?? null), kind, name, name.toLowerCase(), qualified, range.line, range.column,
        range.endLine, range.endColumn, body?.line ?? null, body?.endLine ?? null, nameLine, nameColumn, signature, doc, exported ? 1 : 0).lastInsertRowid)
      ids.push(id)
      addText.run(id, humps(qualified).join(' '), signature, doc)
      count(name, 1)
    }
    passages.add(file, place, blocks, ids)
    const addReference = sql('INSERT INTO refs (file, symbol, kind, name, receiver, origin, line, column) VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
    for (const { from, kind, name, receiver, origin, line, column } of references) {
      addReference.run(file, from === null ? null : (ids[from] ?? null), kind, name, receiver, origin, line, column)
    }
    const addLink = sql('INSERT INTO links (file, kind, local, original, source, line, column) VALUES (?, ?, ?, ?, ?, ?, ?)')
    for (const { kind, local, original, source, line, column } of links) {
      addLink.run(file, kind, local, original, source, line, column)
      const text = source === null ? `${kind} ${original}` : `${kind} ${original} from ${source}`
      addSymbol.run(unique(local, kind), file, null, kind, local, local.toLowerCase(), local, line, column, line, column, null, null, line, column, text, '', 0)
    }
  }

  function together(change: () => void): void {
    db.exec('BEGIN')
    try {
      change()
      db.exec('COMMIT')
    } catch (error) {
      db.exec('ROLLBACK')
      throw error
    }
  }

  return {
    rebuilt,
    names,
    passages,
    get changes() {
      return changes
    },
    together,
    file: (place) => rows<FileRow>('SELECT * FROM files WHERE path = ?', [place])[0],
    files: () => rows<FileRow>('SELECT * FROM files ORDER BY path', []),
    paths: (where, ...values) => rows<{ path: string }>(`SELECT path FROM files WHERE ${where}`, values).map((row) => row.path),
    replace({ path: place, language, size, mtime, hash, problem }, found, blocks) {
      const before = rows<{ id: number }>('SELECT id FROM files WHERE path = ?', [place])[0]
      if (before) forget(before.id)
      sql(`INSERT INTO files (path, language, size, mtime, hash, problem) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (path) DO UPDATE SET language = excluded.language, size = excluded.size, mtime = excluded.mtime, hash = excluded.hash, problem = excluded.problem`)
        .run(place, language, size, mtime, hash, problem)
      const id = before?.id ?? rows<{ id: number }>('SELECT id FROM files WHERE path = ?', [place])[0]?.id
      if (id !== undefined) insert(id, place, found, blocks)
    },
    touch: (id, size, mtime) => void sql('UPDATE files SET size = ?, mtime = ? WHERE id = ?').run(size, mtime, id),
    remove(id) {
      forget(id)
      sql('DELETE FROM files WHERE id = ?').run(id)
    },
    symbols: (where, ...values) => rows<SymbolRow>(`SELECT s.*, f.path, f.language FROM symbols s JOIN files f ON f.id = s.file WHERE ${where}`, values),
    references: (where, ...values) => rows<ReferenceRow>(`SELECT r.*, f.path, f.language FROM refs r JOIN files f ON f.id = r.file WHERE ${where}`, values),
    links: (where, ...values) => rows<LinkRow>(`SELECT l.*, f.path, f.language FROM links l JOIN files f ON f.id = l.file WHERE ${where}`, values),
    described(words, limit) {
      const query = words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' OR ')
      if (query === '') return []
      return rows<SymbolRow>(`SELECT s.*, f.path, f.language FROM symbol_text t JOIN symbols s ON s.id = t.rowid JOIN files f ON f.id = s.file
        WHERE symbol_text MATCH ? ORDER BY bm25(symbol_text, 4.0, 2.0, 1.0), s.id LIMIT ?`, [query, limit])
    },
    referenced: (limit) => rows(`SELECT name, count(DISTINCT file) AS files FROM refs
      WHERE name IN (SELECT name FROM symbols WHERE kind NOT IN ('import', 'export')) GROUP BY name ORDER BY files DESC, name LIMIT ?`, [limit]),
    counts: () => ({ files: rows<{ files: number }>('SELECT count(*) AS files FROM files', [])[0]?.files ?? 0, symbols: total }),
    close: () => db.close(),
  }
}
