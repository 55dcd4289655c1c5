import type { DatabaseSync } from 'node:sqlite'
import { classifyError, IndexDamaged } from '../process/indexErrors.ts'
import { createExtractionWriter } from './extractionWriter.ts'
import type { Passage } from './splitPassages.ts'
import { createPassageStore, type PassageStore } from './passageStore.ts'
import { createStatementCache, type StatementCache } from './statementCache.ts'
import { createSymbolNames, type SymbolNames } from './symbolNames.ts'
import type { EdgeKind, Extraction, SymbolKind } from './symbolTypes.ts'

/**
 * A file of the workspace. Rows have the columns of the tables in indexSchema.ts; `path` and `language` of its file.
 */
export interface FileRow {
  id: number
  /** Relative to the workspace. */
  path: string
  /** Language id (languages.ts); '' if unknown. */
  language: string
  /** Bytes of the file on disk, or UTF-16 units of an unsaved text. */
  size: number
  /** Milliseconds since 1970; -1 for an unsaved text. */
  mtime: number
  /** SHA-1 of the text; '' if the file was not read. */
  hash: string
  /** Why symbols may be missing; '' if there is no known problem. */
  problem: string
}

/** A text that crashed the index process. */
export interface SkippedFile {
  path: string
  /** SHA-1 of the text. */
  hash: string
  reason: string
}

/** A definition, import or export in a file. Positions are those of `FoundSymbol`. */
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

/** A use of a name (`FoundReference`). `symbol` is the innermost enclosing symbol. */
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

/** An imported or exported name (`FoundLink`). */
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

/** Types that SQLite binds. */
type Value = string | number | null

/**
 * The symbols of one workspace in SQLite. Synchronous, since it runs in the index process. A parameter `where` is an
 * SQL condition on the tables symbols `s`, refs `r`, links `l` and files `f`, with `?` for the values.
 * @throws SQLite's errors; `transaction` converts them with `classifyError`
 */
export interface IndexStore {
  /** Why the previous index was discarded; '' if it was not. */
  readonly rebuildReason: string
  readonly names: SymbolNames
  /** Increases with every change of the content. */
  readonly changes: number
  file(path: string): FileRow | undefined
  files(): FileRow[]
  /** Returns the paths of files that match a condition. */
  paths(where: string, ...values: Value[]): string[]
  readonly passages: PassageStore
  /** Stores a file and its content instead of any previous content. */
  replace(file: Omit<FileRow, 'id'>, extraction: Extraction, passages: readonly Passage[]): void
  /** Records a text that is not read again until its file changes. */
  addSkipped(file: SkippedFile): void
  removeSkipped(path: string): void
  skipped(path: string): SkippedFile | undefined
  allSkipped(): SkippedFile[]
  updateFileStat(id: number, size: number, mtime: number): void
  /** Removes a file and its content. */
  remove(id: number): void
  /** Runs several changes in one transaction. Rolls back if one fails. */
  transaction(change: () => void): void
  symbols(where: string, ...values: Value[]): SymbolRow[]
  references(where: string, ...values: Value[]): ReferenceRow[]
  links(where: string, ...values: Value[]): LinkRow[]
  /** Finds symbols by words in their name, signature or comment, best first. */
  searchText(words: readonly string[], limit: number): SymbolRow[]
  /** Returns the symbol names that are referenced from the most files, with the number of files. */
  topReferencedNames(limit: number): { name: string; files: number }[]
  counts(): { files: number; symbols: number }
  close(): void
  /** Closes and deletes the database file. */
  closeAndDelete(): void
}

/**
 * Creates the store of an open database with the tables of indexSchema.ts.
 * @param deleteFile deletes the file of the closed database
 */
export function createStore(db: DatabaseSync, rebuildReason: string, deleteFile: () => void): IndexStore {
  const sql = createStatementCache(db)
  const names = createSymbolNames(sql)
  const passages = createPassageStore(sql)
  const writer = createExtractionWriter(sql, names, passages)
  let changes = 0

  return {
    rebuildReason,
    names,
    passages,
    get changes() {
      return changes
    },
    transaction: (change) => runTransaction(db, names, change),
    replace(file, extraction, blocks) {
      changes++
      const before = fileByPath(sql, file.path)
      if (before) writer.remove(before.id)
      writeFileRow(sql, file)
      const id = before?.id ?? fileByPath(sql, file.path)?.id
      if (id !== undefined) writer.insert(id, file.path, extraction, blocks)
    },
    remove(id) {
      changes++
      writer.remove(id)
      sql('DELETE FROM files WHERE id = ?').run(id)
    },
    updateFileStat: (id, size, mtime) =>
      void sql('UPDATE files SET size = ?, mtime = ? WHERE id = ?').run(size, mtime, id),
    ...skippedFiles(sql),
    ...rowQueries(sql),
    counts: () => ({
      files: Number(sql('SELECT count(*) AS files FROM files').get()?.files ?? 0),
      symbols: names.total,
    }),
    close: () => db.close(),
    closeAndDelete() {
      db.close()
      deleteFile()
    },
  }
}

function runTransaction(db: DatabaseSync, names: SymbolNames, change: () => void): void {
  try {
    db.exec('BEGIN')
    change()
    db.exec('COMMIT')
  } catch (error) {
    const classified = classifyError(error)
    // SQLite rolls back automatically after some errors, such as a full disk.
    if (db.isTransaction) db.exec('ROLLBACK')
    // The cached names may include symbols of the failed change. A damaged file is discarded with its names.
    if (!(classified instanceof IndexDamaged)) names.reload()
    throw classified
  }
}

// Tables are STRICT and columns match the row types, so the cast is safe.
const rows = <Row>(sql: StatementCache, text: string, values: readonly Value[]): Row[] =>
  sql(text).all(...values) as Row[]

function fileByPath(sql: StatementCache, path: string): FileRow | undefined {
  return rows<FileRow>(sql, 'SELECT * FROM files WHERE path = ?', [path])[0]
}

function writeFileRow(sql: StatementCache, { path, language, size, mtime, hash, problem }: Omit<FileRow, 'id'>): void {
  sql(`INSERT INTO files (path, language, size, mtime, hash, problem) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (path) DO UPDATE SET language = excluded.language, size = excluded.size, mtime = excluded.mtime, hash = excluded.hash, problem = excluded.problem`).run(
    path,
    language,
    size,
    mtime,
    hash,
    problem,
  )
}

function skippedFiles(
  sql: StatementCache,
): Pick<IndexStore, 'addSkipped' | 'removeSkipped' | 'skipped' | 'allSkipped'> {
  return {
    addSkipped: ({ path, hash, reason }) =>
      void sql('INSERT OR REPLACE INTO skipped (path, hash, reason) VALUES (?, ?, ?)').run(path, hash, reason),
    removeSkipped: (path) => void sql('DELETE FROM skipped WHERE path = ?').run(path),
    skipped: (path) => rows<SkippedFile>(sql, 'SELECT path, hash, reason FROM skipped WHERE path = ?', [path])[0],
    allSkipped: () => rows<SkippedFile>(sql, 'SELECT path, hash, reason FROM skipped ORDER BY path', []),
  }
}

type RowQueries = Pick<
  IndexStore,
  'file' | 'files' | 'paths' | 'symbols' | 'references' | 'links' | 'searchText' | 'topReferencedNames'
>

function rowQueries(sql: StatementCache): RowQueries {
  return {
    file: (path) => fileByPath(sql, path),
    files: () => rows(sql, 'SELECT * FROM files ORDER BY path', []),
    paths: (where, ...values) =>
      rows<{ path: string }>(sql, `SELECT path FROM files WHERE ${where}`, values).map((row) => row.path),
    symbols: (where, ...values) =>
      rows(sql, `SELECT s.*, f.path, f.language FROM symbols s JOIN files f ON f.id = s.file WHERE ${where}`, values),
    references: (where, ...values) =>
      rows(sql, `SELECT r.*, f.path, f.language FROM refs r JOIN files f ON f.id = r.file WHERE ${where}`, values),
    links: (where, ...values) =>
      rows(sql, `SELECT l.*, f.path, f.language FROM links l JOIN files f ON f.id = l.file WHERE ${where}`, values),
    searchText(words, limit) {
      const query = words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' OR ')
      if (query === '') return []
      return rows(
        sql,
        `SELECT s.*, f.path, f.language FROM symbol_text t JOIN symbols s ON s.id = t.rowid JOIN files f ON f.id = s.file
        WHERE symbol_text MATCH ? ORDER BY bm25(symbol_text, 4.0, 2.0, 1.0), s.id LIMIT ?`,
        [query, limit],
      )
    },
    topReferencedNames: (limit) =>
      rows(
        sql,
        `SELECT name, count(DISTINCT file) AS files FROM refs
      WHERE name IN (SELECT name FROM symbols WHERE kind NOT IN ('import', 'export')) GROUP BY name ORDER BY files DESC, name LIMIT ?`,
        [limit],
      ),
  }
}
