import type { DatabaseSync } from 'node:sqlite'
import { compareCodeUnits } from '../../base/nameOrder.ts'
import { copyOpenIndex } from './indexCopy.ts'
import { classifyError, IndexDamaged } from './indexErrors.ts'
import { type ContentRows, nameHash, createSymbolIds } from './contentRows.ts'
import { createExtractionWriter } from './extractionWriter.ts'
import type { LinkRow, ReferenceRow, SymbolRow } from './indexRows.ts'
import { symbolBits } from './indexSchema.ts'
import { createPassageStore, type PassageStore } from './passageStore.ts'
import { createReferenceReader } from './referenceReader.ts'
import { createStatementCache, type StatementCache } from './statementCache.ts'
import {
  definitionsOfFile,
  symbolColumns,
  toSymbolRow,
  type StoredDefinition,
  type StoredSymbol,
} from './storedSymbols.ts'
import { createSymbolNames, type SymbolNames } from './symbolNames.ts'
import type { EdgeKind, FoundSymbol } from './symbolTypes.ts'
import type { WordRows } from './wordRows.ts'

/**
 * A file of the workspace. Rows have the columns of the tables in indexSchema.ts, plus the file's `path` and
 * `language`.
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
  /** Whether the words of its text are stored too: 1 or 0. */
  words: number
}

/** A text that crashed the index process. */
export interface SkippedFile {
  path: string
  /** SHA-1 of the text. */
  hash: string
  reason: string
}

/** Types that SQLite binds. */
type Value = string | number | null

type NameTest = (symbol: Pick<SymbolRow, 'name' | 'qualified'>) => boolean

/**
 * The symbols of one workspace in SQLite. Synchronous, because it runs in the index process. `where` parameters are
 * SQL conditions on the views symbols `s` and links `l` or the table files `f`, with `?` for the values. Conditions
 * on a file are fast. Conditions on a name are slow, except in the methods for names.
 * @throws SQLite's errors; `transaction` converts them with `classifyError`
 */
export interface IndexStore {
  /** Why the previous index was discarded; '' if it was not. */
  readonly rebuildReason: string
  readonly names: SymbolNames
  /** Incremented with every change to the content. */
  readonly changes: number
  file(path: string): FileRow | undefined
  files(): FileRow[]
  /** Returns the paths of files that match a condition. */
  paths(where: string, ...values: Value[]): string[]
  readonly passages: PassageStore
  /**
   * Stores a file, replacing its previous content.
   * @param content null if the text was not read
   * @param words null if they were not read or are added later
   */
  replace(file: Omit<FileRow, 'id'>, content: ContentRows | null, words: WordRows | null): void
  /** Adds the words of a file stored without them. */
  addWords(id: number, words: WordRows): void
  /** Returns the files stored without their words. */
  filesWithoutWords(): FileRow[]
  /** Returns the definitions of a file, which are needed to read its words. */
  definitionsIn(file: number): StoredDefinition[]
  /** Assigns ids to new files in this order, whatever order they are stored in: ids break ties between equal ranks. */
  reserveIds(paths: readonly string[]): void
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
  /** Shrinks the database file and its log to the size they need now. */
  compact(): void
  /** Copies the database to a path without one, for the index of another folder (indexCopy.ts). */
  copyTo(file: string): Promise<void>
  symbol(id: number): SymbolRow | undefined
  symbolsWithId(symbolId: string): SymbolRow[]
  symbols(where: string, ...values: Value[]): SymbolRow[]
  /** Returns symbols by name and a condition. */
  symbolsNamed(name: string, where: string, ...values: Value[]): SymbolRow[]
  /** Returns symbols by a condition and a test of their names. */
  symbolsWith(test: NameTest, where: string, ...values: Value[]): SymbolRow[]
  /**
   * Returns symbols by name, a condition and a test of their names; without an order, in the order of `names`. A
   * LIMIT applies before the test.
   */
  symbolsNamedWith(test: NameTest, names: readonly string[], where: string, ...values: Value[]): SymbolRow[]
  /** Returns the references of a file in text order. */
  referencesIn(file: number): readonly ReferenceRow[]
  /** Yields the references to a name, one file at a time, ordered by path. @param kinds default: all */
  referencesTo(name: string, kinds?: readonly EdgeKind[]): Iterable<ReferenceRow[]>
  links(where: string, ...values: Value[]): LinkRow[]
  /** Returns the imports and exports whose original name differs from their local one. */
  linksRenaming(original: string): LinkRow[]
  /** Finds symbols by words in their name, signature or comment, best first. */
  searchText(words: readonly string[], limit: number): SymbolRow[]
  /** Returns the symbol names referenced by the most files, with the number of files. */
  topReferencedNames(limit: number): { name: string; files: number }[]
  counts(): { files: number; symbols: number }
  close(): void
  /** Closes and deletes the database file. */
  closeAndDelete(): void
}

/**
 * Creates the store for an open database with the tables of indexSchema.ts.
 * @param file its path, or `:memory:`
 * @param deleteFile deletes the file once the database is closed
 */
export function createStore(
  db: DatabaseSync,
  rebuildReason: string,
  { file: database, deleteFile }: { file: string; deleteFile: () => void },
): IndexStore {
  const sql = createStatementCache(db)
  const names = createSymbolNames(sql)
  const passages = createPassageStore(sql)
  const writer = createExtractionWriter(sql, names, passages)
  const references = createReferenceReader(sql)
  const fileIds = createFileIds(sql)
  let changes = 0

  function removeContent(file: number): void {
    references.forget(file)
    writer.remove(file)
  }

  return {
    rebuildReason,
    names,
    passages,
    get changes() {
      return changes
    },
    transaction: (change) => runTransaction(db, names, change),
    compact() {
      db.exec('PRAGMA incremental_vacuum')
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    },
    async copyTo(file) {
      if (database !== ':memory:') await copyOpenIndex(db, file)
    },
    replace(file, content, words) {
      changes++
      const before = fileByPath(sql, file.path)
      if (before) removeContent(before.id)
      const id = before?.id ?? fileIds.take(file.path)
      writeFileRow(sql, { id, ...file })
      if (content) writer.insert(id, content)
      if (words) writer.insertWords(id, words)
    },
    addWords(id, words) {
      changes++
      writer.insertWords(id, words)
      sql('UPDATE files SET words = 1 WHERE id = ?').run(id)
    },
    filesWithoutWords: () => rows(sql, 'SELECT * FROM files WHERE words = 0 ORDER BY id', []),
    definitionsIn: (file) => sql(definitionsOfFile, 'arrays').all(file) as unknown as StoredDefinition[],
    reserveIds: fileIds.reserve,
    remove(id) {
      changes++
      removeContent(id)
      sql('DELETE FROM files WHERE id = ?').run(id)
    },
    updateFileStat: (id, size, mtime) =>
      void sql('UPDATE files SET size = ?, mtime = ? WHERE id = ?').run(size, mtime, id),
    ...skippedFiles(sql),
    ...rowQueries(sql),
    referencesIn: references.inFile,
    referencesTo: references.toName,
    topReferencedNames: (limit) => topReferencedNames(sql, names, limit),
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

/** Ids reserved for new files. */
interface FileIds {
  reserve(paths: readonly string[]): void
  /** Returns the id of a file without a row. */
  take(path: string): number
}

function createFileIds(sql: StatementCache): FileIds {
  const reserved = new Map<string, number>()
  let last = Number(sql('SELECT max(id) AS last FROM files').get()?.last ?? 0)
  return {
    reserve(paths) {
      reserved.clear()
      const known = new Set(
        sql('SELECT path FROM files', 'arrays')
          .all()
          .map((row) => (row as unknown as [string])[0]),
      )
      for (const place of paths) if (!known.has(place)) reserved.set(place, ++last)
    },
    take(place) {
      const id = reserved.get(place) ?? ++last
      // A file that is removed and added again gets a new id.
      reserved.delete(place)
      return id
    },
  }
}

function writeFileRow(sql: StatementCache, { id, path, language, size, mtime, hash, problem, words }: FileRow): void {
  sql(`INSERT INTO files (id, path, language, size, mtime, hash, problem, words) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (path) DO UPDATE SET language = excluded.language, size = excluded.size, mtime = excluded.mtime, hash = excluded.hash, problem = excluded.problem, words = excluded.words`).run(
    id,
    path,
    language,
    size,
    mtime,
    hash,
    problem,
    words,
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

type NameOfSymbol = [file: number, nth: number, name: string, longerName: string | null]

type RowQueries = Pick<
  IndexStore,
  | 'file'
  | 'files'
  | 'paths'
  | 'symbol'
  | 'symbolsWithId'
  | 'symbols'
  | 'symbolsNamed'
  | 'symbolsWith'
  | 'symbolsNamedWith'
  | 'links'
  | 'linksRenaming'
  | 'searchText'
>

const linkColumns = 'l.id, l.file, l.path, l.language, l.kind, l.local, l.original, l.source, l.line, l.column'

function rowQueries(sql: StatementCache): RowQueries {
  const symbolsFrom = (from: string, values: readonly Value[]): SymbolRow[] =>
    (sql(`SELECT ${symbolColumns} FROM ${from}`, 'arrays').all(...values) as unknown as StoredSymbol[]).map(toSymbolRow)
  const symbols = (where: string, values: readonly Value[]): SymbolRow[] =>
    symbolsFrom(`symbols s WHERE ${where}`, values)
  // Most rows fail the test, so the remaining columns are read afterwards.
  const symbolsTested = (test: NameTest, from: string, values: readonly Value[]): SymbolRow[] =>
    (
      sql(`SELECT s.file, s.nth, s.name, s.longer_name FROM ${from}`, 'arrays').all(
        ...values,
      ) as unknown as NameOfSymbol[]
    )
      .filter(([, , name, longerName]) => test({ name, qualified: longerName ?? name }))
      .flatMap(([file, nth]) => symbols('s.file = ? AND s.nth = ?', [file, nth]))
  const links = (where: string, values: readonly Value[]): LinkRow[] =>
    rows(sql, `SELECT ${linkColumns} FROM links l WHERE ${where}`, values)

  return {
    file: (path) => fileByPath(sql, path),
    files: () => rows(sql, 'SELECT * FROM files ORDER BY path', []),
    paths: (where, ...values) =>
      rows<{ path: string }>(sql, `SELECT path FROM files WHERE ${where}`, values).map((row) => row.path),
    symbol: (id) => symbols('s.file = ? AND s.nth = ?', [Math.floor(id / 2 ** symbolBits), id % 2 ** symbolBits])[0],
    symbolsWithId(symbolId) {
      // A path can contain the separator.
      for (let at = symbolId.indexOf('::'); at >= 0; at = symbolId.indexOf('::', at + 1)) {
        const file = fileByPath(sql, symbolId.slice(0, at))
        const found = file ? symbols('s.file = ?', [file.id]).filter((row) => row.symbol_id === symbolId) : []
        if (found.length > 0) return found
      }
      return []
    },
    symbols: (where, ...values) => symbols(where, values),
    symbolsNamed: (name, where, ...values) =>
      symbols(`s.hash = ? AND s.name = ? AND ${where}`, [nameHash(name), name, ...values]),
    symbolsWith: (test, where, ...values) => symbolsTested(test, `symbols s WHERE ${where}`, values),
    symbolsNamedWith: (test, list, where, ...values) => symbolsTested(test, ...namedAny(list, where, values)),
    links: (where, ...values) => links(where, values),
    linksRenaming: (original) => links('l.renamed = ?', [original]),
    searchText(words, limit) {
      const query = words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' OR ')
      if (query === '') return []
      return symbolsFrom(
        `(SELECT rowid AS id, bm25(symbol_text, 4.0, 2.0, 1.0) AS score FROM symbol_text WHERE symbol_text MATCH ? ORDER BY score, id LIMIT ?) t
        CROSS JOIN symbols s ON s.file = t.id >> ${symbolBits} AND s.nth = t.id & ${2 ** symbolBits - 1} ORDER BY t.score, t.id`,
        [query, limit],
      )
    },
  }
}

/** Returns the SQL that selects symbols by name from the view: its tables, condition and values. */
function namedAny(names: readonly string[], where: string, values: readonly Value[]): [string, Value[]] {
  return [
    `json_each(?) n CROSS JOIN symbols s WHERE s.hash = n.value ->> 0 AND s.name = n.value ->> 1 AND ${where}`,
    [JSON.stringify(names.map((name) => [nameHash(name), name])), ...values],
  ]
}

function topReferencedNames(sql: StatementCache, names: SymbolNames, limit: number): { name: string; files: number }[] {
  const counts = new Map<number, number>()
  for (const { hash, files } of sql('SELECT hash, count(*) AS files FROM mentions GROUP BY hash').iterate())
    counts.set(Number(hash), Number(files))
  return [...names]
    .flatMap(([name]) => {
      const files = counts.get(nameHash(name)) ?? 0
      return files === 0 ? [] : [{ name, files }]
    })
    .toSorted((a, b) => b.files - a.files || compareCodeUnits(a.name, b.name))
    .slice(0, limit)
}

/** Converts symbols of a draft to rows with the ids they would have in the index. */
export function toDraftRows(path: string, language: string, symbols: readonly FoundSymbol[]): SymbolRow[] {
  const idOf = createSymbolIds(path)
  const rows = symbols.map((symbol, index): SymbolRow => ({
    id: index,
    symbol_id: idOf(symbol.qualified, symbol.kind),
    file: 0,
    path,
    language,
    parent: symbol.parent,
    kind: symbol.kind,
    name: symbol.name,
    qualified: symbol.qualified,
    line: symbol.range.line,
    column: symbol.range.column,
    end_line: symbol.range.endLine,
    end_column: symbol.range.endColumn,
    body_line: symbol.body?.line ?? null,
    body_end_line: symbol.body?.endLine ?? null,
    name_line: symbol.nameLine,
    name_column: symbol.nameColumn,
    signature: symbol.signature,
    doc: symbol.doc,
    exported: symbol.exported ? 1 : 0,
  }))
  // Same order as `outline` of the index.
  return rows.toSorted((a, b) => a.line - b.line || a.column - b.column || b.end_line - a.end_line || a.id - b.id)
}
