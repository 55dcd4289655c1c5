import { mkdirSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { classifyError, IndexDamaged, isLocked } from '../process/indexErrors.ts'
import { identifierWords } from '../search/nameScore.ts'
import type { Passage } from './splitPassages.ts'
import { createPassageStore, passageSchema, type PassageStore } from './passageStore.ts'
import { createSymbolIds } from './symbolIds.ts'
import type { EdgeKind, Extraction, SymbolKind } from './symbolTypes.ts'

/** Increase this when queries or tables change; an index of another version is rebuilt. */
const version = 13

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
  CREATE TABLE skipped (path TEXT PRIMARY KEY, hash TEXT NOT NULL, reason TEXT NOT NULL) STRICT;
  ${passageSchema}
  PRAGMA user_version = ${version};`

export interface FileRow {
  id: number
  path: string
  language: string
  size: number
  mtime: number
  hash: string
  problem: string
}

/** A text that crashed the index process. */
export interface SkippedFile {
  path: string
  /** SHA-1 of the text. */
  hash: string
  reason: string
}

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

export interface ReferenceRow {
  id: number
  file: number
  path: string
  language: string
  symbol: number | null
  kind: EdgeKind
  name: string
  receiver: string | null
  origin: string | null
  line: number
  column: number
}
export interface LinkRow {
  id: number
  file: number
  path: string
  language: string
  kind: 'import' | 'export'
  local: string
  original: string
  source: string | null
  line: number
  column: number
}

export interface NameEntry {
  lower: string
  /** Number of symbols with this name. */
  count: number
}

/** Types that SQLite binds. */
type Value = string | number | null

/**
 * The symbols of one workspace in SQLite. Synchronous, since it runs in the index process. Throws SQLite's errors after
 * `classifyError`.
 */
export interface IndexStore {
  /** Why the previous index was discarded; '' if it was not. */
  readonly rebuildReason: string
  /** All symbol names except imports and exports. */
  readonly names: ReadonlyMap<string, NameEntry>
  /** Increases with every change of the content. */
  readonly changes: number
  file(path: string): FileRow | undefined
  files(): FileRow[]
  /** Returns the paths of files that match a condition. */
  paths(where: string, ...values: Value[]): string[]
  /** Passages for full-text search. */
  readonly passages: PassageStore
  replace(file: Omit<FileRow, 'id'>, found: Extraction, passages: readonly Passage[]): void
  /** Skips a text until its file changes. */
  addSkipped(file: SkippedFile): void
  removeSkipped(path: string): void
  skipped(path: string): SkippedFile | undefined
  allSkipped(): SkippedFile[]
  updateFileStat(id: number, size: number, mtime: number): void
  remove(id: number): void
  /** Runs several changes in one transaction. */
  transaction(change: () => void): void
  symbols(where: string, ...values: Value[]): SymbolRow[]
  references(where: string, ...values: Value[]): ReferenceRow[]
  links(where: string, ...values: Value[]): LinkRow[]
  /** Finds symbols by words in their name, signature or comment, best first. */
  searchText(words: readonly string[], limit: number): SymbolRow[]
  /** Returns the symbol names that are referenced from the most files, with the number of files. */
  mostReferenced(limit: number): { name: string; files: number }[]
  counts(): { files: number; symbols: number }
  close(): void
  /** Closes and deletes the database file. */
  closeAndDelete(): void
}

export interface IndexStoreOptions {
  /** Maximum size of the database file in bytes. */
  maxBytes?: number
  /** Milliseconds to wait for another process to close the file. */
  lockTimeout?: number
}

const defaultMaxBytes = 4 * 1024 ** 3
/** Maximum number of processes with an index file for the same folder; further ones keep their index in memory. */
const maxFiles = 8
/** Milliseconds after which an unused extra index file is removed. */
const unusedAfter = 14 * 24 * 60 * 60 * 1000

/**
 * Opens or creates an index file. A process locks its file, because it caches part of the content in memory. If the
 * file is locked, `NAME-2.db` is used, then `NAME-3.db` and so on. The lock ends with the process. A damaged or
 * outdated file is discarded, since it can be rebuilt.
 */
export function openIndexStore(
  file: string,
  { maxBytes = defaultMaxBytes, lockTimeout = 2500 }: IndexStoreOptions = {},
): IndexStore {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  for (let number = 1; number <= maxFiles; number++) {
    const candidate = numberedPath(file, number)
    try {
      const store = openFile(candidate, maxBytes, number === 1 ? lockTimeout : 0)
      if (number === 1) removeUnused(file)
      return store
    } catch (error) {
      if (!isLocked(error)) throw error
    }
  }
  return openFile(':memory:', maxBytes, 0)
}

function numberedPath(file: string, number: number): string {
  return number === 1 ? file : file.replace(/(?:\.db)?$/, `-${number}$&`)
}

function removeUnused(file: string): void {
  for (let number = 2; number <= maxFiles; number++) {
    const found = statSync(numberedPath(file, number), { throwIfNoEntry: false })
    if (found && Date.now() - found.mtimeMs > unusedAfter) removeIndex(numberedPath(file, number))
  }
}

function removeIndex(file: string): void {
  if (file !== ':memory:') for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
}

function openFile(file: string, maxBytes: number, lockTimeout: number): IndexStore {
  try {
    return createStore(open(file, maxBytes, lockTimeout), '', file)
  } catch (error) {
    if (isLocked(error)) throw error
    removeIndex(file)
    return createStore(
      open(file, maxBytes, lockTimeout),
      `The code index could not be read (${error instanceof Error ? error.message : String(error)}). It is being rebuilt.`,
      file,
    )
  }
}

function open(file: string, maxBytes: number, lockTimeout: number): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: lockTimeout })
  try {
    // The first write takes the lock until the process ends. The index can be rebuilt, so losing it in a power cut is
    // acceptable.
    db.exec(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; BEGIN IMMEDIATE; COMMIT',
    )
    const found = Number(db.prepare('PRAGMA user_version').get()?.user_version ?? 0)
    if (found === 0) db.exec(`BEGIN; ${schema} COMMIT`)
    else if (found !== version) throw new Error(`it has version ${found}`)
    const [check] = Object.values(db.prepare('PRAGMA quick_check(1)').get() ?? {})
    if (check !== 'ok') throw new Error(String(check))
    db.exec(
      `PRAGMA max_page_count = ${Math.ceil(maxBytes / Number(db.prepare('PRAGMA page_size').get()?.page_size ?? 4096))}`,
    )
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

// Longer than 100 lines, because its methods share the prepared statements and the name cache.
function createStore(db: DatabaseSync, rebuildReason: string, file: string): IndexStore {
  const prepared = new Map<string, StatementSync>()
  const sql = (text: string): StatementSync => {
    const before = prepared.get(text)
    if (before) return before
    const statement = db.prepare(text)
    prepared.set(text, statement)
    return statement
  }
  // Tables are STRICT and columns match the row types, so the cast is safe.
  const rows = <Row>(text: string, values: readonly Value[]): Row[] => sql(text).all(...values) as Row[]

  const passages = createPassageStore(sql)

  // Cached in memory, because a fuzzy query visits every name.
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
  function countAll(): void {
    names.clear()
    total = 0
    for (const { name } of rows<{ name: string }>(
      "SELECT name FROM symbols WHERE kind NOT IN ('import', 'export')",
      [],
    ))
      count(name, 1)
  }
  countAll()

  function forget(file: number): void {
    for (const { name } of rows<{ name: string }>(
      "SELECT name FROM symbols WHERE file = ? AND kind NOT IN ('import', 'export')",
      [file],
    ))
      count(name, -1)
    changes++
    sql('DELETE FROM symbol_text WHERE rowid IN (SELECT id FROM symbols WHERE file = ?)').run(file)
    passages.removeFile(file)
    for (const table of ['symbols', 'refs', 'links']) sql(`DELETE FROM ${table} WHERE file = ?`).run(file)
  }

  function insert(
    file: number,
    place: string,
    { symbols, references, links }: Extraction,
    blocks: readonly Passage[],
  ): void {
    changes++
    const unique = createSymbolIds(place)
    const addSymbol =
      sql(`INSERT INTO symbols (symbol_id, file, parent, kind, name, lower, qualified, line, column, end_line, end_column, body_line, body_end_line, name_line, name_column,
      signature, doc, exported) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
    const addText = sql('INSERT INTO symbol_text (rowid, words, signature, doc) VALUES (?, ?, ?, ?)')
    const ids: number[] = []
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
      const id = Number(
        addSymbol.run(
          unique(qualified, kind),
          file,
          parent === null ? null : (ids[parent] ?? null),
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
        ).lastInsertRowid,
      )
      ids.push(id)
      addText.run(id, identifierWords(qualified).join(' '), signature, doc)
      count(name, 1)
    }
    passages.add(file, place, blocks, ids)
    const addReference = sql(
      'INSERT INTO refs (file, symbol, kind, name, receiver, origin, line, column) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    )
    for (const { from, kind, name, receiver, origin, line, column } of references) {
      addReference.run(file, from === null ? null : (ids[from] ?? null), kind, name, receiver, origin, line, column)
    }
    const addLink = sql(
      'INSERT INTO links (file, kind, local, original, source, line, column) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
    for (const { kind, local, original, source, line, column } of links) {
      addLink.run(file, kind, local, original, source, line, column)
      const text = source === null ? `${kind} ${original}` : `${kind} ${original} from ${source}`
      addSymbol.run(
        unique(local, kind),
        file,
        null,
        kind,
        local,
        local.toLowerCase(),
        local,
        line,
        column,
        line,
        column,
        null,
        null,
        line,
        column,
        text,
        '',
        0,
      )
    }
  }

  function transaction(change: () => void): void {
    try {
      db.exec('BEGIN')
      change()
      db.exec('COMMIT')
    } catch (error) {
      const known = classifyError(error)
      // SQLite rolls back automatically after some errors, such as a full disk. A damaged file is discarded, so
      // counting again would be wasted.
      if (db.isTransaction) db.exec('ROLLBACK')
      if (!(known instanceof IndexDamaged)) countAll()
      throw known
    }
  }

  return {
    rebuildReason,
    names,
    passages,
    get changes() {
      return changes
    },
    transaction,
    file: (place) => rows<FileRow>('SELECT * FROM files WHERE path = ?', [place])[0],
    files: () => rows<FileRow>('SELECT * FROM files ORDER BY path', []),
    paths: (where, ...values) =>
      rows<{ path: string }>(`SELECT path FROM files WHERE ${where}`, values).map((row) => row.path),
    replace({ path: place, language, size, mtime, hash, problem }, found, blocks) {
      const before = rows<{ id: number }>('SELECT id FROM files WHERE path = ?', [place])[0]
      if (before) forget(before.id)
      sql(`INSERT INTO files (path, language, size, mtime, hash, problem) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (path) DO UPDATE SET language = excluded.language, size = excluded.size, mtime = excluded.mtime, hash = excluded.hash, problem = excluded.problem`).run(
        place,
        language,
        size,
        mtime,
        hash,
        problem,
      )
      const id = before?.id ?? rows<{ id: number }>('SELECT id FROM files WHERE path = ?', [place])[0]?.id
      if (id !== undefined) insert(id, place, found, blocks)
    },
    addSkipped: ({ path: place, hash, reason }) =>
      void sql('INSERT OR REPLACE INTO skipped (path, hash, reason) VALUES (?, ?, ?)').run(place, hash, reason),
    removeSkipped: (place) => void sql('DELETE FROM skipped WHERE path = ?').run(place),
    skipped: (place) => rows<SkippedFile>('SELECT path, hash, reason FROM skipped WHERE path = ?', [place])[0],
    allSkipped: () => rows<SkippedFile>('SELECT path, hash, reason FROM skipped ORDER BY path', []),
    updateFileStat: (id, size, mtime) =>
      void sql('UPDATE files SET size = ?, mtime = ? WHERE id = ?').run(size, mtime, id),
    remove(id) {
      forget(id)
      sql('DELETE FROM files WHERE id = ?').run(id)
    },
    symbols: (where, ...values) =>
      rows<SymbolRow>(
        `SELECT s.*, f.path, f.language FROM symbols s JOIN files f ON f.id = s.file WHERE ${where}`,
        values,
      ),
    references: (where, ...values) =>
      rows<ReferenceRow>(
        `SELECT r.*, f.path, f.language FROM refs r JOIN files f ON f.id = r.file WHERE ${where}`,
        values,
      ),
    links: (where, ...values) =>
      rows<LinkRow>(`SELECT l.*, f.path, f.language FROM links l JOIN files f ON f.id = l.file WHERE ${where}`, values),
    searchText(words, limit) {
      const query = words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' OR ')
      if (query === '') return []
      return rows<SymbolRow>(
        `SELECT s.*, f.path, f.language FROM symbol_text t JOIN symbols s ON s.id = t.rowid JOIN files f ON f.id = s.file
        WHERE symbol_text MATCH ? ORDER BY bm25(symbol_text, 4.0, 2.0, 1.0), s.id LIMIT ?`,
        [query, limit],
      )
    },
    mostReferenced: (limit) =>
      rows(
        `SELECT name, count(DISTINCT file) AS files FROM refs
      WHERE name IN (SELECT name FROM symbols WHERE kind NOT IN ('import', 'export')) GROUP BY name ORDER BY files DESC, name LIMIT ?`,
        [limit],
      ),
    counts: () => ({
      files: rows<{ files: number }>('SELECT count(*) AS files FROM files', [])[0]?.files ?? 0,
      symbols: total,
    }),
    close: () => db.close(),
    closeAndDelete() {
      db.close()
      removeIndex(file)
    },
  }
}
