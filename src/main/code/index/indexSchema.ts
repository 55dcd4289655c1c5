import { passageSchema } from './passageStore.ts'
import { symbolKinds } from './symbolTypes.ts'

/** Increase this when tag queries or tables change. An index with another version is rebuilt. */
export const indexVersion = 17

/** Maximum number of symbols per file, as bits of a symbol id: FILE * 2^20 + NTH. */
export const symbolBits = 20

/**
 * Number of full-text index segments merged into one, instead of SQLite's 4: merging takes a quarter of the time for
 * storing words, and a search in up to 7 segments per level is as fast.
 */
const mergedSegments = 8

const kindName = `CASE r.kind ${symbolKinds.map((kind, code) => `WHEN ${code} THEN '${kind}'`).join(' ')} END`

/**
 * SQL that creates the tables of an empty database. Rows are compact, because there is one for each symbol:
 * - They are stored in the order of their files and need no index by file. One index is by the hash of the name, and
 *   a small one has the names with a dot, most of which are imports.
 * - Positions count from the start of the symbol. Common values are NULL or 0: the qualified name if it equals the
 *   name, the original name of a link if it equals the local one. In a signature, char(1) replaces the name.
 * - References are bytes (referenceCodec.ts). A table maps each name to the files that mention it and the reference
 *   kinds there, as bits.
 */
export const indexSchema = `
  CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, language TEXT NOT NULL, size INTEGER NOT NULL, mtime REAL NOT NULL, hash TEXT NOT NULL, problem TEXT NOT NULL DEFAULT '', words INTEGER NOT NULL) STRICT;
  CREATE TABLE symbol_rows (
    file INTEGER NOT NULL, nth INTEGER NOT NULL, kind INTEGER NOT NULL, name TEXT NOT NULL, hash INTEGER NOT NULL, qualified TEXT, repeat INTEGER NOT NULL, parent INTEGER,
    line INTEGER NOT NULL, column INTEGER NOT NULL, end_line INTEGER NOT NULL, end_column INTEGER NOT NULL, body_line INTEGER, body_end_line INTEGER,
    name_line INTEGER NOT NULL, name_column INTEGER NOT NULL, signature TEXT NOT NULL, doc TEXT NOT NULL, exported INTEGER NOT NULL, PRIMARY KEY (file, nth)) STRICT, WITHOUT ROWID;
  CREATE INDEX symbols_by_name ON symbol_rows (hash);
  CREATE INDEX symbols_with_dot ON symbol_rows (kind) WHERE instr(name, '.') > 0;
  CREATE VIEW symbols AS SELECT (r.file << ${symbolBits}) + r.nth AS id, r.file, r.nth, f.path, f.language, r.parent AS parent_nth,
    (r.file << ${symbolBits}) + r.parent AS parent, r.kind AS kind_code, ${kindName} AS kind, r.name, r.hash, r.qualified AS longer_name, coalesce(r.qualified, r.name) AS qualified,
    r.repeat, r.line, r.column, r.line + r.end_line AS end_line, r.end_column, r.line + r.body_line AS body_line, r.line + r.body_end_line AS body_end_line,
    r.line + r.name_line AS name_line, r.column + r.name_column AS name_column, r.signature AS packed_signature, r.doc, r.exported
    FROM symbol_rows r JOIN files f ON f.id = r.file;
  CREATE TABLE refs (file INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
  CREATE TABLE mentions (hash INTEGER NOT NULL, file INTEGER NOT NULL, kinds INTEGER NOT NULL, PRIMARY KEY (hash, file)) STRICT, WITHOUT ROWID;
  CREATE TABLE link_rows (file INTEGER NOT NULL, nth INTEGER NOT NULL, export INTEGER NOT NULL, local TEXT NOT NULL, original TEXT, source TEXT, line INTEGER NOT NULL,
    column INTEGER NOT NULL, PRIMARY KEY (file, nth)) STRICT, WITHOUT ROWID;
  CREATE INDEX links_by_original ON link_rows (original) WHERE original IS NOT NULL;
  CREATE VIEW links AS SELECT (r.file << ${symbolBits}) + r.nth AS id, r.file, f.path, f.language, CASE r.export WHEN 0 THEN 'import' ELSE 'export' END AS kind, r.local,
    r.original AS renamed, coalesce(r.original, r.local) AS original, r.source, r.line, r.column FROM link_rows r JOIN files f ON f.id = r.file;
  CREATE VIRTUAL TABLE symbol_text USING fts5 (words, signature, doc, content = '', contentless_delete = 1, tokenize = 'porter unicode61');
  CREATE TABLE skipped (path TEXT PRIMARY KEY, hash TEXT NOT NULL, reason TEXT NOT NULL) STRICT;
  ${passageSchema}
  ${['symbol_text', 'passage_text', 'path_text'].map((table) => `INSERT INTO ${table} (${table}, rank) VALUES ('automerge', ${mergedSegments});`).join(' ')}
  PRAGMA user_version = ${indexVersion};`
