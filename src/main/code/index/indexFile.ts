import { rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeFolderSync } from '../../base/makeFolder.ts'
import { copyClosedIndex, newCopyId } from './indexCopy.ts'
import { isLocked } from './indexErrors.ts'
import { indexSchema, indexVersion } from './indexSchema.ts'
import { createStore, type IndexStore } from './indexStore.ts'

export interface IndexStoreOptions {
  /** Maximum size of the database file in bytes, default 4 GiB. */
  maxBytes?: number
  /** Milliseconds to wait for another process to close the file, default 2500. */
  lockTimeout?: number
  /** Index that a new file starts as a copy of (indexCopy.ts). */
  copyOf?: string
}

const defaultMaxBytes = 4 * 1024 ** 3
/** Maximum number of processes with an index file for the same folder. Further ones keep their index in memory. */
const maxFiles = 8
/** Milliseconds after which an unused extra index file is removed. */
const maxUnusedTime = 14 * 24 * 60 * 60 * 1000

/**
 * Opens or creates an index file. A process locks its file until it exits, because it caches some of it in memory. If
 * the file is locked, tries `NAME-2.db`, `NAME-3.db` and so on, and finally a database in memory. Discards a damaged
 * or outdated file, because it can be rebuilt.
 */
export function openIndexStore(
  file: string,
  { maxBytes = defaultMaxBytes, lockTimeout = 2500, copyOf }: IndexStoreOptions = {},
): IndexStore {
  makeFolderSync(path.dirname(file))
  if (copyOf !== undefined) copyClosedIndex(copyOf, file)
  for (let number = 1; number <= maxFiles; number++) {
    const candidate = numberedPath(file, number)
    try {
      const store = openOrRebuild(candidate, maxBytes, number === 1 ? lockTimeout : 0)
      if (number === 1) removeUnused(file)
      return store
    } catch (error) {
      if (!isLocked(error)) throw error
    }
  }
  return openOrRebuild(':memory:', maxBytes, 0)
}

function numberedPath(file: string, number: number): string {
  return number === 1 ? file : file.replace(/(?:\.db)?$/, `-${number}$&`)
}

function removeUnused(file: string): void {
  for (let number = 2; number <= maxFiles; number++) {
    const found = statSync(numberedPath(file, number), { throwIfNoEntry: false })
    if (found && Date.now() - found.mtimeMs > maxUnusedTime) removeIndex(numberedPath(file, number))
  }
}

function removeIndex(file: string): void {
  if (file !== ':memory:') for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
}

/** Opens a file, or replaces it by a new one if it cannot be read. */
function openOrRebuild(file: string, maxBytes: number, lockTimeout: number): IndexStore {
  const deleteFile = (): void => removeIndex(file)
  try {
    return createStore(open(file, maxBytes, lockTimeout), '', { file, deleteFile })
  } catch (error) {
    if (isLocked(error)) throw error
    removeIndex(file)
    return createStore(
      open(file, maxBytes, lockTimeout),
      `The code index could not be read (${error instanceof Error ? error.message : String(error)}). It is being rebuilt.`,
      { file, deleteFile },
    )
  }
}

function open(file: string, maxBytes: number, lockTimeout: number): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: lockTimeout })
  try {
    // Larger pages are split less often; an existing file keeps its page size. The empty transaction takes the lock.
    // Losing the index in a power cut is acceptable, because it can be rebuilt.
    db.exec(
      'PRAGMA page_size = 8192; PRAGMA locking_mode = EXCLUSIVE; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; BEGIN IMMEDIATE; COMMIT',
    )
    const found = Number(db.prepare('PRAGMA user_version').get()?.user_version ?? 0)
    if (found === 0) db.exec(`BEGIN; ${indexSchema} COMMIT`)
    else if (found !== indexVersion) throw new Error(`it has version ${found}`)
    checkOnce(db)
    db.exec(
      `PRAGMA max_page_count = ${Math.ceil(maxBytes / Number(db.prepare('PRAGMA page_size').get()?.page_size ?? 4096))}`,
    )
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Reads the whole file to find damage. Leaves this out once for a new copy, because the copied index was checked when it
 * was opened, and the first answer about a worktree would wait for it.
 * @throws Error if the file is damaged
 */
function checkOnce(db: DatabaseSync): void {
  if (db.prepare('PRAGMA application_id').get()?.application_id === newCopyId) {
    db.exec('PRAGMA application_id = 0')
    return
  }
  const [check] = Object.values(db.prepare('PRAGMA quick_check(1)').get() ?? {})
  if (check !== 'ok') throw new Error(String(check))
}
