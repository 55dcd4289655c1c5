import type { DatabaseSync } from 'node:sqlite'
import { inWords, statement } from './sqlStatement.ts'

/** How much of a table is kept. */
export interface Retention {
  rows: number
  /** Sum of the column `bytes`. */
  bytes: number
}

/** Pages given back to the disk after one pruning, so that it stays short; the rest is reused or goes with the next. */
const pagesFreed = 2_000

/**
 * Keeps a table within its bounds: the oldest rows go first, and the file shrinks with them.
 * @param table has the columns `at` and `bytes`, with an index over both
 * @returns prunes; call it after every insert
 */
export function createPruner(db: DatabaseSync, table: 'edits' | 'full_texts' | 'images', keep: Retention): () => void {
  const prune = statement(
    db,
    `DELETE FROM ${table} WHERE rowid IN (
       SELECT id FROM (
         SELECT rowid AS id, row_number() OVER newest AS place, sum(bytes) OVER newest AS total FROM ${table}
         WINDOW newest AS (ORDER BY at DESC, rowid DESC ROWS UNBOUNDED PRECEDING))
       WHERE place > ? OR total > ?)`,
  )
  return () => {
    if (prune.run(keep.rows, keep.bytes).changes > 0) inWords(() => db.exec(`PRAGMA incremental_vacuum(${pagesFreed})`))
  }
}
