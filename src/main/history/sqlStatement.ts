import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementResultingChanges } from 'node:sqlite'
import { ToolError } from '../../shared/errors.ts'

/** A prepared statement whose failures are in words. */
export interface Statement {
  get(...values: SQLInputValue[]): Record<string, SQLOutputValue> | undefined
  all(...values: SQLInputValue[]): Record<string, SQLOutputValue>[]
  run(...values: SQLInputValue[]): StatementResultingChanges
}

/** Prepares a statement of Tizona's own store. Its methods throw `no_space`, `permission_denied` or `io_error` where the disk is at fault. */
export function statement(db: DatabaseSync, sql: string): Statement {
  const prepared = db.prepare(sql)
  const watched = <T>(act: () => T): T =>
    inWords(() => {
      try {
        return act()
      } catch (error) {
        if (isCorrupt(error)) reportDamage(db)
        throw error
      }
    })
  return {
    get: (...values) => watched(() => prepared.get(...values)),
    all: (...values) => watched(() => prepared.all(...values)),
    run: (...values) => watched(() => prepared.run(...values)),
  }
}

const damageListeners = new WeakMap<DatabaseSync, () => void>()

/** Calls `listener` when a statement first meets damage in the store. */
export function onStoreDamage(db: DatabaseSync, listener: () => void): void {
  damageListeners.set(db, listener)
}

function reportDamage(db: DatabaseSync): void {
  const listener = damageListeners.get(db)
  damageListeners.delete(db)
  listener?.()
}

/** SQLITE_CORRUPT is 11, SQLITE_NOTADB is 26 (sqlite.org/rescode.html); extended codes hold them in their low byte. */
export function isCorrupt(error: unknown): boolean {
  return (
    error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    [11, 26].includes(error.errcode & 0xff)
  )
}

/** Runs `act`; an error of the store that the user can do something about becomes a `ToolError`, any other passes unchanged. */
export function inWords<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw storeError(error)
  }
}

/** SQLite's primary result codes (sqlite.org/rescode.html); the extended ones hold them in their low byte. */
function storeError(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return error
  const said = (code: 'no_space' | 'permission_denied' | 'io_error', why: string, next: string) =>
    new ToolError(code, `Tizona's own store cannot be used: ${why}.`, next, { cause: error })
  switch (error.errcode & 0xff) {
    case 5: // SQLITE_BUSY
    case 6: // SQLITE_LOCKED
      return said('io_error', 'another process keeps it locked', 'Close other copies of Tizona, then try again.')
    case 8: // SQLITE_READONLY
      return said('permission_denied', 'it may only be read', "Make Tizona's data folder writable, then try again.")
    case 10: // SQLITE_IOERR
      return said(
        'io_error',
        'the disk reports an error',
        "Free space on the disk that holds Tizona's data folder and check that it works, then try again.",
      )
    case 11: // SQLITE_CORRUPT
    case 26: // SQLITE_NOTADB
      return said(
        'io_error',
        'its file is damaged',
        'Restart Tizona: what can be read is copied into a new store, and the damaged file is kept.',
      )
    case 13: // SQLITE_FULL
      return said(
        'no_space',
        'the disk is full',
        "Free space on the disk that holds Tizona's data folder, then try again.",
      )
    case 14: // SQLITE_CANTOPEN
      return said(
        'io_error',
        'its file cannot be opened',
        "Check that Tizona's data folder exists, may be written, and has space left.",
      )
    default:
      return error
  }
}
