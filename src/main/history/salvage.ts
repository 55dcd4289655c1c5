import { closeSync, copyFileSync, ftruncateSync, openSync, readSync, rmSync, statSync, writeSync } from 'node:fs'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'

/** What could be copied out of a damaged store. */
export interface Salvaged {
  /** Rows by table; tables that could not be read at all are missing. */
  rows: Record<string, number>
  /** Parts that could not be read. */
  gaps: number
}

/** Parts that are tried anew around damaged pages. Each try reads a few pages. */
const maxTries = 5_000
/** Columns of any table that hold JSON. */
const jsonColumns = ['json', 'changes', 'queue', 'runner', 'entries', 'paths']
/** Bytes of SQLite's header (sqlite.org/fileformat.html, 1.3). */
const headerSize = 100

/**
 * Copies every row that can be read out of a damaged store into a new one of the same schema. Tables are read by row id, in
 * ever smaller parts around what cannot be read. The damaged file is not changed: a copy of it is made readable first.
 */
export function salvage(damaged: string, into: DatabaseSync): Salvaged {
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
      // Items whose conversation could not be read, and their like, can be reached by nobody.
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

/** Gives a file that SQLite refuses as a whole a header it accepts, and the size that the header claims. */
function makeReadable(copy: string, sound: DatabaseSync): void {
  const header = Buffer.alloc(headerSize)
  const handle = openSync(copy, 'r+')
  try {
    readSync(handle, header, 0, headerSize, 0)
    const size = statSync(copy).size
    if (!isSound(header)) {
      const pattern = soundHeader(sound)
      // Unequal change counters: SQLite then takes the number of pages from the size of the file.
      pattern.writeUInt32BE(1, 24)
      pattern.writeUInt32BE(0, 92)
      writeSync(handle, pattern, 0, headerSize, 0)
    } else {
      const rawSize = header.readUInt16BE(16)
      const claimed = (rawSize === 1 ? 65_536 : rawSize) * header.readUInt32BE(28)
      // Of a file that was cut off the end is missing. Pages of zeros are damaged pages, and the others can be read.
      if (claimed > size && claimed < size * 100 + 1e9) ftruncateSync(handle, claimed)
    }
  } finally {
    closeSync(handle)
  }
}

function isSound(header: Buffer): boolean {
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

/** The header of the new store, whose settings are those of every store of Tizona. */
function soundHeader(sound: DatabaseSync): Buffer {
  sound.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const header = Buffer.alloc(headerSize)
  const handle = openSync(sound.location() ?? '', 'r')
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
  // Conversations before their items.
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
  const named = columns.map((name) => `"${name}"`).join(', ')
  // NOT INDEXED: the table itself, for an index may be damaged where the table is not.
  const select = from.prepare(
    `SELECT rowid AS salvaged_rowid, ${named} FROM "${table}" NOT INDEXED WHERE rowid BETWEEN ? AND ? ORDER BY rowid`,
  )
  const insert = into.prepare(
    `INSERT OR IGNORE INTO "${table}" (rowid, ${named}) VALUES (?, ${columns.map(() => '?').join(', ')})`,
  )
  let copied = 0

  /** What can be read of a range of row ids, both ends included. */
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

/** SQLite notices no damage within a long text, but a text of JSON that is damaged is none any more. */
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

/** An upper bound of the row ids of a table. */
function highestRow(table: string, from: DatabaseSync): number {
  try {
    return Number(from.prepare(`SELECT max(rowid) AS highest FROM "${table}" NOT INDEXED`).get()?.highest ?? 0)
  } catch (error) {
    if (!isStoreError(error)) throw error
    // The last page is damaged: as many rows as could ever have been added.
    return 2 ** 31
  }
}

/** An error of the damaged file. Disk errors count: a page beyond the end of a file is one. */
function isStoreError(error: unknown): boolean {
  return (
    error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    [1, 10, 11, 26].includes(error.errcode & 0xff)
  )
}
