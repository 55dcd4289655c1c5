import { chmod, copyFile, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { errorCode } from '../base/fileErrors.ts'
import { makeFolder } from '../base/makeFolder.ts'
import { ToolError } from '../../shared/errors.ts'
import { plural } from '../../shared/text/plural.ts'
import { salvage, type SalvageResult } from './salvage.ts'
import { requestSearchTexts } from './searchTexts.ts'
import { copyOf, copyTime, isStoreLost } from './storeCopy.ts'
import { withStoreErrors, isCorrupt, onStoreDamage } from './sqlStatement.ts'
import { beginStoreUse, clearDamage, recordDamage } from './storeUse.ts'

/**
 * Tizona's store in the user data folder. With WAL and `synchronous = NORMAL`, a killed process loses no committed
 * data, while a power failure may lose the latest.
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
  // 2: sizes, to limit both tables by bytes. Edits of version 1 contained whole files and are dropped (undo reports
  // that they are no longer stored). Full texts are kept, except those over 8 MB.
  `DROP TABLE edits;
   CREATE TABLE edits (
     id TEXT PRIMARY KEY, call_id TEXT NOT NULL, workspace TEXT NOT NULL, at INTEGER NOT NULL, bytes INTEGER NOT NULL,
     undone INTEGER NOT NULL DEFAULT 0, changes TEXT NOT NULL) STRICT;
   CREATE INDEX edits_by_age ON edits (at, bytes);
   ALTER TABLE full_texts RENAME TO full_texts_1;
   CREATE TABLE full_texts (call_id TEXT PRIMARY KEY, at INTEGER NOT NULL, bytes INTEGER NOT NULL, text TEXT NOT NULL) STRICT;
   CREATE INDEX full_texts_by_age ON full_texts (at, bytes);
   INSERT INTO full_texts (call_id, at, bytes, text)
     SELECT call_id, saved_at, octet_length(text), text FROM full_texts_1 WHERE octet_length(text) <= 8388608 ORDER BY rowid;
   DROP TABLE full_texts_1;`,
  // 3: process that runs a turn of a conversation (history/conversationRunner.ts), or NULL.
  'ALTER TABLE conversations ADD COLUMN runner TEXT;',
  // 4: checkpoints (history/checkpoints/). A folder is stored once for all checkpoints. Blobs are outside this
  // store.
  `CREATE TABLE checkpoints (
     id INTEGER PRIMARY KEY AUTOINCREMENT, workspace TEXT NOT NULL, at INTEGER NOT NULL, reason TEXT NOT NULL, conversation_id TEXT,
     turn_id TEXT, paths TEXT, root TEXT NOT NULL, files INTEGER NOT NULL, not_kept INTEGER NOT NULL) STRICT;
   CREATE INDEX checkpoints_of_workspace ON checkpoints (workspace, id);
   CREATE TABLE checkpoint_folders (
     workspace TEXT NOT NULL, hash TEXT NOT NULL, entries TEXT NOT NULL, PRIMARY KEY (workspace, hash)) STRICT;`,
  // 5: prompt profile of a conversation (shared/agent/promptProfile.ts); NULL to follow the settings.
  'ALTER TABLE conversations ADD COLUMN profile TEXT;',
  // 6: origin of a forked conversation; pinned conversations.
  `ALTER TABLE conversations ADD COLUMN forked_from TEXT;
   ALTER TABLE conversations ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;`,
  // 7: queued messages (agent/messageQueue.ts) as JSON; the mode before plan mode, to return to it.
  'ALTER TABLE conversations ADD COLUMN queue TEXT; ALTER TABLE conversations ADD COLUMN mode_before_plan TEXT;',
  // 8: images in messages (history/images.ts), keyed by the hash of their bytes.
  `CREATE TABLE images (
     id TEXT PRIMARY KEY, at INTEGER NOT NULL, bytes INTEGER NOT NULL, mime_type TEXT NOT NULL, width INTEGER NOT NULL,
     height INTEGER NOT NULL, data BLOB NOT NULL) STRICT;
   CREATE INDEX images_by_age ON images (at, bytes);`,
  // 9: items whose text lacks tool output, which searches include (history/searchTexts.ts). No row once all are
  // migrated.
  `CREATE TABLE search_backfill (next_item INTEGER NOT NULL, last_item INTEGER NOT NULL) STRICT; ${requestSearchTexts}`,
  // 10: reviews (history/storedReviewRows.ts). Their blobs are stored with those of checkpoints.
  `CREATE TABLE review_state (
     workspace TEXT NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL, json TEXT NOT NULL,
     PRIMARY KEY (workspace, kind, key)) STRICT;`,
  // 11: external agent of a conversation (settings `agents`), and its session.
  'ALTER TABLE conversations ADD COLUMN agent TEXT; ALTER TABLE conversations ADD COLUMN agent_session TEXT;',
  // 12: conversations that the sessions view hides.
  'ALTER TABLE conversations ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;',
  // 13: versions of single files (history/localHistory/). Their blobs are stored with those of checkpoints.
  `CREATE TABLE IF NOT EXISTS local_history (
     id INTEGER PRIMARY KEY AUTOINCREMENT, workspace TEXT NOT NULL, path TEXT NOT NULL, at INTEGER NOT NULL,
     source TEXT NOT NULL, conversation_id TEXT, hash TEXT NOT NULL, bytes INTEGER NOT NULL, mode INTEGER NOT NULL) STRICT;
   CREATE INDEX IF NOT EXISTS local_history_of_file ON local_history (workspace, path, at, id);`,
]

export interface OpenedDatabase {
  db: DatabaseSync
  /** Message for the user about a damaged store. */
  problem?: string
  /** New path of a renamed damaged store. */
  damagedStorePath?: string
  /** Returns the number of other running processes that use the store. */
  otherProcesses(): number
  close(): void
}

/**
 * Opens or creates `tizona.db`. A store that was not closed properly is checked first (history/storeUse.ts). A damaged
 * store is renamed, never deleted, and its readable data is copied to a new one. The daily copy (history/storeCopy.ts)
 * fills the gaps, and replaces a store that is missing or empty although the user had one.
 * @param onDamaged called once when damage is detected during use
 * @throws ToolError for disk failures
 */
export async function openDatabase(userData: string, onDamaged?: (message: string) => void): Promise<OpenedDatabase> {
  const file = storeFile(userData)
  const isLost = isStoreLost(userData, file)
  await createPrivateFile(userData, file)
  const use = withStoreErrors(() => beginStoreUse(file))
  // A store that another process is creating is briefly empty.
  const problem = isLost && use.othersAtStart === 0 ? await restoreCopy(file) : undefined
  const opened = (
    db: DatabaseSync,
    more: Pick<OpenedDatabase, 'problem' | 'damagedStorePath'> = {},
  ): OpenedDatabase => {
    onStoreDamage(db, () => {
      recordDamage(file)
      onDamaged?.(`Tizona's data store is damaged. Restart Tizona to copy the readable data to a new one.`)
    })
    return {
      db,
      ...more,
      otherProcesses: use.countOthers,
      close() {
        db.close()
        use.closed()
      },
    }
  }
  let db: DatabaseSync | undefined
  try {
    db = prepare(file)
    if (!use.mustCheck || isIntact(db)) {
      if (use.mustCheck) clearDamage(file)
      return opened(db, problem === undefined ? {} : { problem })
    }
  } catch (error) {
    db?.close()
    db = undefined
    if (!isCorrupt(error))
      return withStoreErrors(() => {
        throw error
      })
  }
  if (use.othersAtStart > 0) {
    const what =
      use.othersAtStart === 1
        ? "Tizona's data store is damaged. It cannot be repaired while another Tizona process uses it."
        : `Tizona's data store is damaged. It cannot be repaired while ${use.othersAtStart} other Tizona processes use it.`
    const next = 'Close all Tizona windows and commands, then start Tizona again.'
    if (db) return opened(db, { problem: `${what} ${next}` })
    throw new ToolError('io_error', what, next)
  }
  db?.close()
  const damagedStorePath = `${file}.broken-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}`
  for (const ending of ['-wal', '']) await renameIfExists(file + ending, damagedStorePath + ending)
  await rm(`${file}-shm`, { force: true })
  await createPrivateFile(userData, file)
  const repaired = prepare(file)
  const salvaged = salvage(damagedStorePath, repaired)
  // Rows keep their ids in the copy, so only missing rows are added.
  const added = salvaged.gaps > 0 && copyTime(file) ? salvage(copyOf(file), repaired) : undefined
  // Copied rows may come from an earlier version, and row ids are new.
  repaired.exec(requestSearchTexts)
  clearDamage(file)
  return opened(repaired, { damagedStorePath, problem: describeRepair(salvaged, added, damagedStorePath) })
}

/** Returns the path of the store in a user data folder. */
export const storeFile = (userData: string): string => join(userData, 'tizona.db')

/**
 * Replaces a missing or empty store with the daily copy.
 * @returns a message for the user
 */
async function restoreCopy(file: string): Promise<string> {
  const what = "Tizona's data store with your conversations is missing or empty."
  const made = copyTime(file)
  if (made === undefined)
    return `${what} The conversations are lost, and there is no copy. If you have a backup of ${file}, close Tizona and restore it.`
  const restoring = `${file}.restoring`
  await copyFile(copyOf(file), restoring)
  await chmod(restoring, 0o600)
  for (const ending of ['-wal', '-shm']) await rm(file + ending, { force: true })
  await rename(restoring, file)
  return `${what} The copy from ${made.toISOString().slice(0, 16).replace('T', ' ')} UTC was restored. Later changes are lost.`
}

function describeRepair(salvaged: SalvageResult, added: SalvageResult | undefined, aside: string): string {
  const { gaps } = salvaged
  const rows = [...Object.values(salvaged.rows), ...Object.values(added?.rows ?? {})]
  const conversations = (salvaged.rows.conversations ?? 0) + (added?.rows.conversations ?? 0)
  const sentences = [
    "Tizona's data store with your conversations was damaged.",
    rows.reduce((sum, count) => sum + count, 0) === 0
      ? 'It contained no readable data, so a new one was created.'
      : `A new one was created with ${plural(conversations, 'conversation')}.`,
    gaps > 0 && (added ? 'Unreadable rows were restored from the daily copy.' : 'Some rows could not be read.'),
    `The damaged file was renamed to ${aside}.`,
  ]
  return sentences.filter(Boolean).join(' ')
}

/** Checks the whole store (sqlite.org/pragma.html#pragma_quick_check). */
function isIntact(db: DatabaseSync): boolean {
  const [row] = db.prepare('PRAGMA quick_check(1)').all()
  return row?.quick_check === 'ok'
}

async function renameIfExists(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
}

/** Creates the file so that only the user can access it. SQLite creates its other files with the same mode. */
async function createPrivateFile(userData: string, file: string): Promise<void> {
  try {
    await makeFolder(userData)
    await open(file, 'wx', 0o600).then(
      (made) => made.close(),
      async (error: unknown) => {
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
        // Opening and closing the file would release the locks of other connections in this process.
        await chmod(file, 0o600)
      },
    )
  } catch (error) {
    const code = errorCode(error)
    // Parent folders are created first, so ENOENT means a system folder such as /proc, or a missing drive.
    const reason =
      code === 'ENOENT' ? 'Folders cannot be created there (ENOENT).' : `The system reports ${code ?? String(error)}.`
    throw new ToolError(
      'io_error',
      `Tizona's data folder ${userData} cannot be created. ${reason}`,
      code === 'ENOENT'
        ? 'Set TIZONA_USER_DATA to another folder.'
        : 'Check free space and permissions, or set TIZONA_USER_DATA to another folder.',
      { cause: error },
    )
  }
}

function prepare(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: 5000 })
  try {
    // Only takes effect in a file without pages. In others, SQLite would rewrite the setting and wait for the disk.
    if (isEmpty(db)) db.exec('PRAGMA auto_vacuum = INCREMENTAL')
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON')
    const version = versionOf(db)
    if (version > schema.length) {
      throw new ToolError(
        'conflict',
        `The store ${file} was written by a newer version of Tizona. This version cannot read it and did not change it.`,
        'Start the newer version, or choose another data folder with TIZONA_USER_DATA.',
      )
    }
    if (version < schema.length) upgrade(db)
    // Detects a damaged schema here instead of in the first query.
    db.prepare('SELECT count(*) FROM sqlite_schema').get()
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Runs all upgrade steps or none. Reads the version again inside the transaction, because another process may have
 * upgraded.
 */
function upgrade(db: DatabaseSync): void {
  db.exec('BEGIN IMMEDIATE')
  for (const step of schema.slice(versionOf(db))) db.exec(step)
  db.exec(`PRAGMA user_version = ${schema.length}; COMMIT`)
}

function isEmpty(db: DatabaseSync): boolean {
  return db.prepare('PRAGMA page_count').get()?.page_count === 0
}

function versionOf(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.user_version ?? 0)
}
