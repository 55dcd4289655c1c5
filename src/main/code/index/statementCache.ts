import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** Returns the prepared statement of an SQL text. */
export type StatementCache = (text: string) => StatementSync

/** Prepares each statement once. */
export function createStatementCache(db: DatabaseSync): StatementCache {
  const prepared = new Map<string, StatementSync>()
  return (text) => {
    const cached = prepared.get(text)
    if (cached) return cached
    const statement = db.prepare(text)
    prepared.set(text, statement)
    return statement
  }
}
