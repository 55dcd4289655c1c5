import { passageSchema } from './passageStore.ts'

/** Increase this when tag queries or tables change. An index with another version is rebuilt. */
export const indexVersion = 13

/** SQL that creates the tables of an empty database. */
export const indexSchema = `
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
  PRAGMA user_version = ${indexVersion};`
