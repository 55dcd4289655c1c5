import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { FileWithHistory, VersionSource } from '../../../shared/files/localHistory.ts'
import { statement } from '../sqlStatement.ts'

/** A version of a file whose content is a blob. */
export interface StoredVersion {
  id: number
  path: string
  /** Milliseconds since the epoch. */
  at: number
  source: Exclude<VersionSource, 'checkpoint'>
  conversationId?: string
  /** Hash of the blob. */
  hash: string
  /** Size of the content. */
  bytes: number
  /** Permission bits. */
  mode: number
}

/** Limits of the versions of all files of one folder. */
export interface HistoryLimits {
  versions: number
  /** Sum of the sizes of their contents. */
  bytes: number
}

/** The versions of one workspace's files in the shared database. */
export interface VersionRows {
  add(version: Omit<StoredVersion, 'id'>): void
  /** Replaces a version by a later one. */
  replace(id: number, version: Omit<StoredVersion, 'id' | 'path'>): void
  /** Returns versions of a file, newest first. */
  list(path: string, count: number): StoredVersion[]
  get(path: string, id: number): StoredVersion | undefined
  /** Lists the files with versions, latest change first. */
  files(count: number): FileWithHistory[]
  hasFile(path: string): boolean
  /** Moves the versions of a file, or of the files in a folder, to another path. */
  move(from: string, to: string): void
  /** Returns the conversation with a user message. */
  conversationOf(message: string): string | undefined
  /** Returns the title of a conversation; undefined if it was deleted. */
  titleOf(conversationId: string): string | undefined
  /** Deletes the oldest versions of a file. @returns the number of deleted versions */
  keepNewest(path: string, count: number): number
  /** Deletes the oldest versions of the folder beyond the limits. @returns the number of deleted versions */
  prune(limits: HistoryLimits): number
}

export function createVersionRows(db: DatabaseSync, workspace: string): VersionRows {
  const insert = statement(
    db,
    `INSERT INTO local_history (workspace, path, at, source, conversation_id, hash, bytes, mode)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const update = statement(
    db,
    'UPDATE local_history SET at = ?, source = ?, conversation_id = ?, hash = ?, bytes = ?, mode = ? WHERE id = ?',
  )
  const select = statement(
    db,
    'SELECT * FROM local_history WHERE workspace = ? AND path = ? ORDER BY at DESC, id DESC LIMIT ?',
  )
  const selectOne = statement(db, 'SELECT * FROM local_history WHERE workspace = ? AND path = ? AND id = ?')
  const selectFiles = statement(
    db,
    `SELECT path, max(at) AS at, count(*) AS versions FROM local_history WHERE workspace = ?
     GROUP BY path ORDER BY at DESC LIMIT ?`,
  )
  const selectAny = statement(db, 'SELECT 1 FROM local_history WHERE workspace = ? AND path = ? LIMIT 1')
  const move = statement(
    db,
    `UPDATE local_history SET path = ?3 || substr(path, length(?2) + 1)
     WHERE workspace = ?1 AND (path = ?2 OR substr(path, 1, length(?2) + 1) = ?2 || '/')`,
  )
  // Asks for each conversation, latest first, because messages have no index of their own.
  const selectConversation = statement(
    db,
    `SELECT id FROM conversations WHERE workspace = ? AND EXISTS (
       SELECT 1 FROM items WHERE conversation_id = conversations.id AND items.id = ?) ORDER BY updated_at DESC LIMIT 1`,
  )
  const selectTitle = statement(db, 'SELECT title FROM conversations WHERE id = ?')
  const keepNewest = statement(
    db,
    `DELETE FROM local_history WHERE workspace = ?1 AND path = ?2 AND id NOT IN (
       SELECT id FROM local_history WHERE workspace = ?1 AND path = ?2 ORDER BY at DESC, id DESC LIMIT ?3)`,
  )
  const prune = statement(
    db,
    `DELETE FROM local_history WHERE id IN (
       SELECT id FROM (
         SELECT id, row_number() OVER newest AS place, sum(bytes) OVER newest AS total FROM local_history
         WHERE workspace = ? WINDOW newest AS (ORDER BY at DESC, id DESC ROWS UNBOUNDED PRECEDING))
       WHERE place > ? OR total > ?)`,
  )
  return {
    add: ({ path, at, source, conversationId, hash, bytes, mode }) =>
      void insert.run(workspace, path, at, source, conversationId ?? null, hash, bytes, mode),
    replace: (id, { at, source, conversationId, hash, bytes, mode }) =>
      void update.run(at, source, conversationId ?? null, hash, bytes, mode, id),
    list: (path, count) => select.all(workspace, path, count).map(versionOf),
    get(path, id) {
      const row = selectOne.get(workspace, path, id)
      return row && versionOf(row)
    },
    files: (count) =>
      selectFiles.all(workspace, count).map(({ path, at, versions }) => ({
        path: String(path),
        at: Number(at),
        versions: Number(versions),
      })),
    hasFile: (path) => selectAny.get(workspace, path) !== undefined,
    move: (from, to) => void move.run(workspace, from, to),
    conversationOf: (message) => asText(selectConversation.get(workspace, message)?.id),
    titleOf: (conversationId) => asText(selectTitle.get(conversationId)?.title),
    keepNewest: (path, count) => Number(keepNewest.run(workspace, path, count).changes),
    prune: ({ versions, bytes }) => Number(prune.run(workspace, versions, bytes).changes),
  }
}

const asText = (value: SQLOutputValue | undefined): string | undefined =>
  value === undefined || value === null ? undefined : String(value)

function versionOf(row: Record<string, SQLOutputValue>): StoredVersion {
  return {
    id: Number(row.id),
    path: String(row.path),
    at: Number(row.at),
    // This module wrote it.
    source: String(row.source) as StoredVersion['source'],
    ...(row.conversation_id === null ? {} : { conversationId: String(row.conversation_id) }),
    hash: String(row.hash),
    bytes: Number(row.bytes),
    mode: Number(row.mode),
  }
}
