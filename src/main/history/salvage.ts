import { closeSync, copyFileSync, ftruncateSync, openSync, readSync, rmSync, statSync, writeSync } from 'node:fs'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'

/** Result of copying a damaged store. */
export interface SalvageResult {
  /** Number of rows by table. Unreadable tables are missing. */
  rows: Record<string, number>
  /** Number of unreadable rows and ranges of rows. */
  gaps: number
}

/** Maximum number of reads around damaged pages. Each reads a few pages. */
const maxTries = 5_000
/** Names of columns that contain JSON, in any table. */
const jsonColumns = ['json', 'changes', 'queue', 'runner', 'entries', 'paths']
/** Size of SQLite's header in bytes (sqlite.org/fileformat.html, 1.3). */
const headerSize = 100

/**
 * Copies every readable row of a damaged store to a new one with the same schema. Reads tables by row id, in ever
 * smaller ranges around unreadable rows. Works on a copy and does not change the damaged file.
 */
export function salvage(damaged: string, into: DatabaseSync): SalvageResult {
  const copy = `${damaged}.reading`
  const rows: Record<string, number> = {}
  const state = { gaps: 0, tries: 0 }
  try {
    copyFileSync(damaged, copy)
    if (statSync(`${damaged}-wal`, { throwIfNoEntry: false })) copyFileSync(`${damaged}-wal`, `${copy}-wal`)
    makeReadable(copy, into)
    const from = new DatabaseSync(copy)
    try {
      into.exec('PRAGMA foreign_keys = OFF')
      for (const table of tablesOf(into)) {
        try {
          rows[table] = copyTable(table, from, into, state)
        } catch (error) {
          if (!isStoreError(error)) throw error
          state.gaps += 1
        }
      }
      // Rows without a parent, e.g. items of an unreadable conversation, are unreachable.
      for (const row of into.prepare('PRAGMA foreign_key_check').all()) {
        into.prepare(`DELETE FROM "${String(row.table)}" WHERE rowid = ?`).run(Number(row.rowid))
      }
      into.exec('PRAGMA foreign_keys = ON')
    } finally {
      from.close()
    }
  } catch (error) {
    if (!isStoreError(error)) throw error
    state.gaps += 1
  } finally {
    for (const ending of ['', '-wal', '-shm']) rmSync(copy + ending, { force: true })
  }
  return { rows, gaps: state.gaps }
}

/** Repairs the header of a file that SQLite rejects, and extends the file to the size in its header. */
function makeReadable(copy: string, intact: DatabaseSync): void {
  const header = Buffer.alloc(headerSize)
  const handle = openSync(copy, 'r+')
  try {
    readSync(handle, header, 0, headerSize, 0)
    const size = statSync(copy).size
    if (!isValidHeader(header)) {
      const pattern = validHeader(intact)
      // Different change counters make SQLite derive the number of pages from the file size.
      pattern.writeUInt32BE(1, 24)
      pattern.writeUInt32BE(0, 92)
      writeSync(handle, pattern, 0, headerSize, 0)
    } else {
      const rawSize = header.readUInt16BE(16)
      const claimed = (rawSize === 1 ? 65_536 : rawSize) * header.readUInt32BE(28)
      // Extends a truncated file with zeros. The added pages count as damaged, and the others become readable.
      if (claimed > size && claimed < size * 100 + 1e9) ftruncateSync(handle, claimed)
    }
  } finally {
    closeSync(handle)
  }
}

function isValidHeader(header: Buffer): boolean {
  const pageSize = header.readUInt16BE(16)
  const isPowerOfTwo = pageSize === 1 || (pageSize >= 512 && (pageSize & (pageSize - 1)) === 0)
  return (
    header.toString('latin1', 0, 16) === 'SQLite format 3\0' &&
    isPowerOfTwo &&
    header[21] === 64 &&
    header[22] === 32 &&
    header[23] === 32
  )
}

/** Returns the header of the new store. All stores of Tizona have the same settings. */
function validHeader(intact: DatabaseSync): Buffer {
  intact.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const header = Buffer.alloc(headerSize)
  const handle = openSync(intact.location() ?? '', 'r')
  try {
    readSync(handle, header, 0, headerSize, 0)
  } finally {
    closeSync(handle)
  }
  return header
}

function tablesOf(db: DatabaseSync): string[] {
  const names = db
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
    .all()
    .map((row) => String(row.name))
  // Conversations precede their items.
  return names.toSorted((one, other) => Number(other === 'conversations') - Number(one === 'conversations'))
}

function copyTable(
  table: string,
  from: DatabaseSync,
  into: DatabaseSync,
  state: { gaps: number; tries: number },
): number {
  const known = new Set(
    from
      .prepare(`PRAGMA table_info("${table}")`)
      .all()
      .map((row) => String(row.name)),
  )
  const columns = into
    .prepare(`PRAGMA table_info("${table}")`)
    .all()
    .map((row) => String(row.name))
    .filter((name) => known.has(name))
  if (columns.length === 0) return 0
  const columnList = columns.map((name) => `"${name}"`).join(', ')
  // NOT INDEXED reads the table itself, because the index may be damaged where the table is not.
  const select = from.prepare(
    `SELECT rowid AS salvaged_rowid, ${columnList} FROM "${table}" NOT INDEXED WHERE rowid BETWEEN ? AND ? ORDER BY rowid`,
  )
  const insert = into.prepare(
    `INSERT OR IGNORE INTO "${table}" (rowid, ${columnList}) VALUES (?, ${columns.map(() => '?').join(', ')})`,
  )
  let copied = 0

  /** Copies the readable rows of an inclusive range of row ids. */
  function copyRange(low: number, high: number): void {
    let next = low
    state.tries += 1
    if (state.tries > maxTries) return
    try {
      for (const row of select.iterate(low, high)) {
        next = Number(row.salvaged_rowid) + 1
        if (!isReadable(row)) {
          state.gaps += 1
          continue
        }
        copied += Number(insert.run(Number(row.salvaged_rowid), ...columns.map((name) => row[name] ?? null)).changes)
      }
    } catch (error) {
      if (!isStoreError(error)) throw error
      if (next >= high) {
        state.gaps += 1
        return
      }
      const middle = Math.floor((next + high) / 2)
      copyRange(next, middle)
      copyRange(middle + 1, high)
    }
  }

  into.exec('BEGIN')
  copyRange(0, highestRow(table, from))
  into.exec('COMMIT')
  return copied
}

/** Whether the JSON columns of a row are valid. SQLite does not detect damage inside a long text. */
function isReadable(row: Record<string, SQLOutputValue>): boolean {
  return jsonColumns.every((name) => {
    const text = row[name]
    if (typeof text !== 'string') return true
    try {
      JSON.parse(text)
      return true
    } catch {
      return false
    }
  })
}

/** Returns an upper bound of a table's row ids. */
function highestRow(table: string, from: DatabaseSync): number {
  try {
    return Number(from.prepare(`SELECT max(rowid) AS highest FROM "${table}" NOT INDEXED`).get()?.highest ?? 0)
  } catch (error) {
    if (!isStoreError(error)) throw error
    // The last page is damaged, so this assumes the maximum number of rows ever expected.
    return 2 ** 31
  }
}

/** Whether an error is caused by damage. Disk errors count, e.g. for a page beyond the end of the file. */
function isStoreError(error: unknown): boolean {
  return (
    error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    [1, 10, 11, 26].includes(error.errcode & 0xff)
  )
}
