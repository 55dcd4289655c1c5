import { DatabaseSync } from 'node:sqlite'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openDatabase } from './database.ts'
import { inTransaction, statement } from './sqlStatement.ts'

let folder: string
let db: DatabaseSync
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tizona-statement-'))
  db = new DatabaseSync(join(folder, 'x.db'), { timeout: 0 })
  db.exec('CREATE TABLE texts (text TEXT UNIQUE)')
})
afterEach(async () => {
  db.close()
  await rm(folder, { recursive: true, force: true })
})

const insert = () => statement(db, 'INSERT INTO texts VALUES (?)')

it('a full disk causes a clear error with a hint', () => {
  db.exec('PRAGMA max_page_count = 4')
  expect(() => insert().run('x'.repeat(100_000))).toThrow(
    expect.objectContaining({
      code: 'no_space',
      message: expect.stringContaining('The disk is full'),
      next: expect.stringContaining('Free up space'),
    }),
  )
})

it('a full disk in a transaction causes the same error, although SQLite rolls back by itself', () => {
  db.exec('PRAGMA journal_mode = wal; PRAGMA cache_size = 1; PRAGMA max_page_count = 8')
  expect(() => inTransaction(db, () => insert().run('x'.repeat(1_000_000)))).toThrow(
    expect.objectContaining({ code: 'no_space', message: expect.stringContaining('The disk is full') }),
  )
  expect(inTransaction(db, () => insert().run('short').changes)).toBe(1)
})

it('a lock of another process causes a clear error', () => {
  const other = new DatabaseSync(join(folder, 'x.db'))
  other.exec('BEGIN EXCLUSIVE')
  expect(() => insert().run('x')).toThrow(
    expect.objectContaining({ code: 'io_error', next: expect.stringContaining('Close other copies') }),
  )
  other.exec('COMMIT')
  other.close()
  expect(insert().run('x').changes).toBe(1)
})

it('a read-only store causes a clear error', () => {
  db.exec('PRAGMA query_only = 1')
  expect(() => insert().run('x')).toThrow(expect.objectContaining({ code: 'permission_denied' }))
})

it('a data folder that cannot be created causes a clear error', async () => {
  await writeFile(join(folder, 'file'), '')
  await expect(openDatabase(join(folder, 'file', 'data'))).rejects.toMatchObject({
    code: 'io_error',
    message: expect.stringContaining('ENOTDIR'),
    next: expect.stringContaining('TIZONA_USER_DATA'),
  })
})

it.runIf(process.platform === 'linux')('a data folder in a folder of the system causes a clear error', async () => {
  await expect(openDatabase('/proc/tizona')).rejects.toMatchObject({
    code: 'io_error',
    message: expect.stringContaining('/proc/tizona'),
    next: 'Set TIZONA_USER_DATA to another folder.',
  })
})

it('a programming error passes unchanged', () => {
  insert().run('x')
  expect(() => insert().run('x')).toThrow(expect.objectContaining({ code: 'ERR_SQLITE_ERROR' }))
})
