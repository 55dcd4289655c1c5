import type { DatabaseSync } from 'node:sqlite'
import { withStoreErrors, statement } from './sqlStatement.ts'

/** Limits of a table. */
export interface Retention {
  rows: number
  /** Sum of the column `bytes`. */
  bytes: number
}

/** Maximum number of pages to free after each pruning, to keep it short. The rest is reused or freed later. */
const maxFreedPages = 2_000

/**
 * Keeps a table within its limits: deletes the oldest rows and shrinks the file.
 * @param table has the columns `at` and `bytes`, with an index over both
 * @returns the prune function, to be called after every insert
 */
export function createPruner(
  db: DatabaseSync,
  table: 'edits' | 'full_texts' | 'images',
  limits: Retention,
): () => void {
  const prune = statement(
    db,
    `DELETE FROM ${table} WHERE rowid IN (
       SELECT id FROM (
         SELECT rowid AS id, row_number() OVER newest AS place, sum(bytes) OVER newest AS total FROM ${table}
         WINDOW newest AS (ORDER BY at DESC, rowid DESC ROWS UNBOUNDED PRECEDING))
       WHERE place > ? OR total > ?)`,
  )
  return () => {
    if (prune.run(limits.rows, limits.bytes).changes > 0)
      withStoreErrors(() => db.exec(`PRAGMA incremental_vacuum(${maxFreedPages})`))
  }
}
