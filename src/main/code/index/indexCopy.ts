import { existsSync, linkSync, rmSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import { indexVersion } from './indexSchema.ts'

// The index of a worktree can start as a copy of the index of its repository, whose files are mostly the same. All files
// of a copy are unverified: each text is compared by its hash before its time is stored, and read only if it differs.
// SQLite makes the copies: closing any other descriptor of a database file would end this process's locks on it.

/** `files.mtime` of an unverified file. No file system has this time. */
export const unverifiedTime = -1e300
/** Pages that are copied before other work of the process goes on. */
const pagesPerStep = 2000
/** SQLite's `application_id` of a copy that no process has opened yet. */
export const newCopyId = 0x54_5a_43_50

/** Copies an index that no process has open, unless there is one at `to`. */
export function copyClosedIndex(from: string, to: string): void {
  if (!existsSync(from) || exists(to)) return
  const copy = unfinishedPath(to)
  try {
    removeUnfinished(copy)
    const db = new DatabaseSync(from, { timeout: 0 })
    try {
      db.prepare('VACUUM INTO ?').run(copy)
    } finally {
      db.close()
    }
    finishCopy(copy, to)
  } catch (error) {
    ignoreCopyFailure(error)
  } finally {
    removeUnfinished(copy)
  }
}

/** Copies an index that this process has open, with what it changes meanwhile, unless there is one at `to`. */
export async function copyOpenIndex(from: DatabaseSync, to: string): Promise<void> {
  if (exists(to)) return
  const copy = unfinishedPath(to)
  try {
    removeUnfinished(copy)
    await backup(from, copy, { rate: pagesPerStep })
    finishCopy(copy, to)
  } catch (error) {
    ignoreCopyFailure(error)
  } finally {
    removeUnfinished(copy)
  }
}

/** Whether there is an index, or the log of one, which SQLite would apply to the copy. */
function exists(file: string): boolean {
  return existsSync(file) || existsSync(`${file}-wal`)
}

/** Returns a path that is removed with old indexes if the process is killed (`databaseOf` in cleanUp.ts). */
function unfinishedPath(file: string): string {
  return `${file}.${process.pid}.copy`
}

function removeUnfinished(copy: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${copy}${suffix}`, { force: true })
}

/** Marks all files as unverified, and moves the copy to its place unless another process was faster. */
function finishCopy(copy: string, to: string): void {
  const db = new DatabaseSync(copy)
  try {
    if (Number(db.prepare('PRAGMA user_version').get()?.user_version) !== indexVersion) return
    db.exec(
      `PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF; UPDATE files SET mtime = ${unverifiedTime}; PRAGMA application_id = ${newCopyId}; PRAGMA wal_checkpoint(TRUNCATE)`,
    )
  } finally {
    db.close()
  }
  // Unlike a rename, this never replaces an index that another process has just made.
  linkSync(copy, to)
}

/** Ignores errors of SQLite and the file system, such as a damaged or locked index: the files can be read instead. */
function ignoreCopyFailure(error: unknown): void {
  if (!(error instanceof Error && 'code' in error)) throw error
}
