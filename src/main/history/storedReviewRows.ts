import type { DatabaseSync } from 'node:sqlite'
import { inTransaction, statement } from './sqlStatement.ts'

/**
 * Kinds of stored review data. The key is a path for `file`, a number for `action`, a checkpoint for `restore` and a
 * name for `state`.
 */
export type ReviewRowKind = 'file' | 'action' | 'restore' | 'state'

export interface ReviewRow {
  key: string
  /** Time of the last change in milliseconds since the epoch. */
  at: number
  json: string
}

/** The stored reviews of one workspace. The values are JSON. */
export interface ReviewRows {
  get(kind: ReviewRowKind, key: string): string | undefined
  /** Returns the rows of a kind, sorted by key. */
  all(kind: ReviewRowKind): ReviewRow[]
  set(kind: ReviewRowKind, key: string, json: string): void
  remove(kind: ReviewRowKind, key: string): void
  /** Makes several changes in one transaction. */
  inTransaction(act: () => void): void
}

export function createReviewRows(db: DatabaseSync, workspace: string): ReviewRows {
  const select = statement(db, 'SELECT json FROM review_state WHERE workspace = ? AND kind = ? AND key = ?')
  const selectAll = statement(
    db,
    'SELECT key, at, json FROM review_state WHERE workspace = ? AND kind = ? ORDER BY key',
  )
  const upsert = statement(
    db,
    `INSERT INTO review_state (workspace, kind, key, at, json) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET at = excluded.at, json = excluded.json`,
  )
  const remove = statement(db, 'DELETE FROM review_state WHERE workspace = ? AND kind = ? AND key = ?')
  return {
    get(kind, key) {
      const row = select.get(workspace, kind, key)
      return row && String(row.json)
    },
    all: (kind) =>
      selectAll
        .all(workspace, kind)
        .map(({ key, at, json }) => ({ key: String(key), at: Number(at), json: String(json) })),
    set: (kind, key, json) => void upsert.run(workspace, kind, key, Date.now(), json),
    remove: (kind, key) => void remove.run(workspace, kind, key),
    inTransaction: (act) => inTransaction(db, act),
  }
}
