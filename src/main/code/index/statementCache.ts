import type { DatabaseSync, StatementSync } from 'node:sqlite'

/**
 * Returns the prepared statement of an SQL text. @param form of its rows: objects by default
 */
export type StatementCache = (text: string, form?: 'arrays') => StatementSync

/** Prepares each statement once, with one row format. */
export function createStatementCache(db: DatabaseSync): StatementCache {
  const prepared = new Map<string, StatementSync>()
  return (text, form) => {
    const cached = prepared.get(text)
    if (cached) return cached
    const statement = db.prepare(text)
    if (form === 'arrays') statement.setReturnArrays(true)
    prepared.set(text, statement)
    return statement
  }
}
