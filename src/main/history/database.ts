import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Tizona's own store under the user's data folder. WAL with `synchronous = NORMAL`: a killed process loses nothing that
 * was committed; only a power cut may lose the last moment.
 */
const schema = [
  `CREATE TABLE conversations (
     id TEXT PRIMARY KEY, workspace TEXT NOT NULL, title TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
     mode TEXT NOT NULL, toolset TEXT NOT NULL, endpoint_id TEXT, model TEXT) STRICT;
   CREATE INDEX conversations_by_workspace ON conversations (workspace, updated_at DESC);
   CREATE TABLE items (
     conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE, id TEXT NOT NULL, position INTEGER NOT NULL,
     text TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (conversation_id, id)) STRICT;
   CREATE INDEX items_in_order ON items (conversation_id, position);
   CREATE TABLE full_texts (call_id TEXT PRIMARY KEY, saved_at INTEGER NOT NULL, text TEXT NOT NULL) STRICT;
   CREATE TABLE edits (id TEXT PRIMARY KEY, call_id TEXT NOT NULL, workspace TEXT NOT NULL, at INTEGER NOT NULL, changes TEXT NOT NULL, undone INTEGER NOT NULL DEFAULT 0) STRICT;
   CREATE TABLE layouts (workspace TEXT PRIMARY KEY, layout TEXT NOT NULL) STRICT;`,
]

export interface OpenedDatabase {
  db: DatabaseSync
  /** Where a broken store was put aside, when it was. */
  brokenAside?: string
}

/** Opens or creates `tizona.db`. A store that cannot be read is put aside under another name, never deleted. */
export async function openDatabase(userData: string): Promise<OpenedDatabase> {
  await mkdir(userData, { recursive: true, mode: 0o700 })
  const file = join(userData, 'tizona.db')
  try {
    return { db: prepare(file) }
  } catch (error) {
    if (!isCorrupt(error)) throw error
    const brokenAside = `${file}.broken-${Date.now()}`
    await rename(file, brokenAside)
    return { db: prepare(file), brokenAside }
  }
}

function prepare(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: 5000 })
  try {
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON')
    const row = db.prepare('PRAGMA user_version').get()
    const version = Number(row?.user_version ?? 0)
    for (const [index, step] of schema.entries()) {
      if (index < version) continue
      db.exec(`BEGIN; ${step} PRAGMA user_version = ${index + 1}; COMMIT`)
    }
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** SQLITE_CORRUPT is 11, SQLITE_NOTADB is 26 (sqlite.org/rescode.html). */
function isCorrupt(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (error.errcode === 11 || error.errcode === 26)
}
