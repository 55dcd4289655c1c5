import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementResultingChanges, StatementSync } from 'node:sqlite'
import { ToolError } from '../../shared/errors.ts'

/** A prepared statement that converts disk failures to `ToolError`s. */
export interface Statement {
  get(...values: SQLInputValue[]): Record<string, SQLOutputValue> | undefined
  all(...values: SQLInputValue[]): Record<string, SQLOutputValue>[]
  run(...values: SQLInputValue[]): StatementResultingChanges
}

/**
 * Returns a statement that is prepared on first use, because most commands use few. Its methods throw ToolError
 * `no_space`, `permission_denied` or `io_error` for disk failures.
 */
export function statement(db: DatabaseSync, sql: string): Statement {
  let prepared: StatementSync | undefined
  const ready = (): StatementSync => (prepared ??= db.prepare(sql))
  const detectingDamage = <T>(act: () => T): T =>
    withStoreErrors(() => {
      try {
        return act()
      } catch (error) {
        if (isCorrupt(error)) reportDamage(db)
        throw error
      }
    })
  return {
    get: (...values) => detectingDamage(() => ready().get(...values)),
    all: (...values) => detectingDamage(() => ready().all(...values)),
    run: (...values) => detectingDamage(() => ready().run(...values)),
  }
}

const damageListeners = new WeakMap<DatabaseSync, () => void>()

/** Calls `listener` when a statement first detects damage. */
export function onStoreDamage(db: DatabaseSync, listener: () => void): void {
  damageListeners.set(db, listener)
}

function reportDamage(db: DatabaseSync): void {
  const listener = damageListeners.get(db)
  damageListeners.delete(db)
  listener?.()
}

/**
 * Whether SQLite reports damage: SQLITE_CORRUPT (11) or SQLITE_NOTADB (26) in the low byte (sqlite.org/rescode.html).
 */
export function isCorrupt(error: unknown): boolean {
  return (
    error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    [11, 26].includes(error.errcode & 0xff)
  )
}

/** Runs `act` and converts known store errors to a `ToolError` with a hint. Throws other errors unchanged. */
export function withStoreErrors<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw storeError(error)
  }
}

/**
 * Runs `act` in a transaction, which is committed completely or not at all.
 * @throws what `act` throws; ToolError (`storeError`) if the store fails
 */
export function inTransaction<T>(db: DatabaseSync, act: () => T): T {
  withStoreErrors(() => db.exec('BEGIN IMMEDIATE'))
  try {
    const result = act()
    withStoreErrors(() => db.exec('COMMIT'))
    return result
  } catch (error) {
    // After some errors, such as a full disk, SQLite has already rolled back (sqlite.org/lang_transaction.html).
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** Converts an error by its primary result code, the low byte of the extended code (sqlite.org/rescode.html). */
function storeError(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return error
  const storeFailure = (code: 'no_space' | 'permission_denied' | 'io_error', why: string, next: string) =>
    new ToolError(code, `Tizona's data store is not usable. ${why}`, next, { cause: error })
  switch (error.errcode & 0xff) {
    case 5: // SQLITE_BUSY
    case 6: // SQLITE_LOCKED
      return storeFailure('io_error', 'Another process has locked it.', 'Close other copies of Tizona, then try again.')
    case 8: // SQLITE_READONLY
      return storeFailure(
        'permission_denied',
        'It is read-only.',
        "Make Tizona's data folder writable, then try again.",
      )
    case 10: // SQLITE_IOERR
      return storeFailure(
        'io_error',
        'The disk reports an error.',
        "Free up space on the disk of Tizona's data folder and check the disk, then try again.",
      )
    case 11: // SQLITE_CORRUPT
    case 26: // SQLITE_NOTADB
      return storeFailure(
        'io_error',
        'Its file is damaged.',
        'Restart Tizona to copy the readable data to a new store. The damaged file is kept.',
      )
    case 13: // SQLITE_FULL
      return storeFailure(
        'no_space',
        'The disk is full.',
        "Free up space on the disk of Tizona's data folder, then try again.",
      )
    case 14: // SQLITE_CANTOPEN
      return storeFailure(
        'io_error',
        'Its file cannot be opened.',
        "Check that Tizona's data folder exists, is writable, and has free space.",
      )
    default:
      return error
  }
}
