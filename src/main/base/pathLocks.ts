import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { chmodSync, lstatSync, rmSync, statSync } from 'node:fs'
import { homedir, tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeFolderSync } from './makeFolder.ts'
import { ToolError } from '../../shared/errors.ts'
import { isRunning, thisProcess } from './processIdentity.ts'
import { log } from './log/log.ts'

/**
 * Locks paths among all Tizona processes of a user. `SequencerByKey` covers neither other processes nor paths inside
 * a locked folder. The locks are rows of a small SQLite database, where one transaction replaces the lock of a dead
 * process. With lock files, two processes that find the same stale file can delete each other's new one.
 */
export interface PathLocks {
  /**
   * Runs `work` while no other call, in this or another process, uses one of the paths, a parent folder or a
   * descendant. Calls inside `work` may use the same paths.
   * @param paths absolute and real
   * @throws ToolError `conflict` if they are not free within the waiting time
   */
  run<T>(paths: readonly string[], work: () => Promise<T>, signal?: AbortSignal): Promise<T>
}

export interface PathLockOptions {
  /** Folder of the database. */
  folder?: string
  /** Maximum waiting time in milliseconds. */
  maxWaitMs?: number
}

const defaultMaxWaitMs = 15_000
const fileName = 'locks.db'

/**
 * Creates locks in a folder shared by all processes of this user, because processes with different user data folders
 * may edit the same files.
 */
export function createPathLocks({ folder, maxWaitMs = defaultMaxWaitMs }: PathLockOptions = {}): PathLocks {
  const table = createLockTable(folder === undefined ? sharedFolder : () => folder)
  /** Paths locked by the current asynchronous call and its callers. */
  const held = new AsyncLocalStorage<readonly string[]>()
  /** Running and waiting calls of this process, in order. */
  const queue = new Set<{ paths: readonly string[]; ended: Promise<void> }>()

  async function acquire(
    token: string,
    wanted: readonly string[],
    outer: readonly string[],
    signal?: AbortSignal,
  ): Promise<void> {
    const deadline = performance.now() + maxWaitMs
    for (let delay = 2; ; delay = Math.min(delay * 1.5, 40)) {
      signal?.throwIfAborted()
      const holder = table.acquire(token, wanted, outer)
      if (holder === null) return
      if (performance.now() > deadline) throw stillHeld(holder, maxWaitMs)
      // Random, so that waiting processes do not retry at the same time.
      await sleep(delay * (0.5 + Math.random()), undefined, { signal })
    }
  }

  async function runLocked<T>(
    wanted: readonly string[],
    outer: readonly string[],
    work: () => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const token = randomUUID()
    await acquire(token, wanted, outer, signal)
    try {
      return await held.run([...outer, ...wanted], work)
    } finally {
      table.release(token)
    }
  }

  return {
    async run(paths, work, signal) {
      const outer = held.getStore() ?? []
      const wanted = paths.filter((wish) => !outer.some((mine) => covers(mine, wish)))
      if (wanted.length === 0) return work()
      // A nested call skips the queue, because the call ahead of it may be waiting for its caller.
      if (outer.length > 0) return runLocked(wanted, outer, work, signal)
      const before = [...queue].filter((other) =>
        other.paths.some((theirs) => wanted.some((wish) => overlap(theirs, wish))),
      )
      const { promise: ended, resolve: end } = Promise.withResolvers<void>()
      const entry = { paths: wanted, ended }
      queue.add(entry)
      try {
        await Promise.all(before.map((other) => other.ended))
        return await runLocked(wanted, outer, work, signal)
      } finally {
        queue.delete(entry)
        end()
      }
    },
  }
}

interface Holder {
  path: string
  pid: number
}

/** Whether one path equals or contains the other. */
function covers(one: string, other: string): boolean {
  return one === other || other.startsWith(one.endsWith(path.sep) ? one : one + path.sep)
}

function overlap(one: string, other: string): boolean {
  return covers(one, other) || covers(other, one)
}

function createLockTable(findFolder: () => string) {
  let file = ''
  const { pid, start } = thisProcess()
  let open: { db: DatabaseSync; inode: bigint } | undefined
  let warned = false

  /** Returns the database. Reopens it if a temporary-file cleaner deleted it. */
  function database(): DatabaseSync {
    if (open && inodeOf(file) === open.inode) return open.db
    open?.db.close()
    open = undefined
    const folder = findFolder()
    makeFolderSync(folder)
    file = path.join(folder, fileName)
    const db = new DatabaseSync(file, { timeout: 200 })
    try {
      // Durability is not needed: locks do not outlive a power failure.
      db.exec(
        'PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; CREATE TABLE IF NOT EXISTS locks (token TEXT NOT NULL, path TEXT NOT NULL, pid INTEGER NOT NULL, start TEXT NOT NULL) STRICT',
      )
      chmodSync(file, 0o600)
    } catch (error) {
      db.close()
      throw error
    }
    open = { db, inode: inodeOf(file) ?? -1n }
    return db
  }

  function inTransaction<T>(act: (db: DatabaseSync) => T): T {
    const db = database()
    db.exec('BEGIN IMMEDIATE')
    try {
      const result = act(db)
      db.exec('COMMIT')
      return result
    } catch (error) {
      // After some errors, such as a full disk, SQLite has already rolled back.
      if (db.isTransaction) db.exec('ROLLBACK')
      throw error
    }
  }

  function tryAcquire(token: string, wanted: readonly string[], outer: readonly string[]): Holder | null {
    return inTransaction((db) => {
      const remove = db.prepare('DELETE FROM locks WHERE token = ?')
      for (const row of db.prepare('SELECT token, path, pid, start FROM locks').all()) {
        const holder = { path: String(row.path), pid: Number(row.pid) }
        if (!isRunning({ pid: holder.pid, start: String(row.start) })) remove.run(String(row.token))
        // A nested call ignores the locks of its own caller.
        else if (holder.pid === pid && outer.includes(holder.path)) continue
        else if (wanted.some((wish) => overlap(wish, holder.path))) return holder
      }
      const insert = db.prepare('INSERT INTO locks (token, path, pid, start) VALUES (?, ?, ?, ?)')
      for (const wish of wanted) insert.run(token, wish, pid, start)
      return null
    })
  }

  return {
    /** @returns null if the paths are now locked, otherwise the id of a process that uses one of them */
    acquire(token: string, wanted: readonly string[], outer: readonly string[]): Holder | null {
      try {
        return tryAcquire(token, wanted, outer)
      } catch (error) {
        const code = primaryCode(error)
        // SQLITE_BUSY: another process is using the database.
        if (code === 5) return { path: wanted[0] ?? '', pid: 0 }
        // SQLITE_CORRUPT, SQLITE_NOTADB: the locks are lost, but they only matter while their processes run.
        if (code === 11 || code === 26) {
          open?.db.close()
          open = undefined
          for (const ending of ['', '-wal', '-shm']) rmSync(file + ending, { force: true })
          return { path: wanted[0] ?? '', pid: 0 }
        }
        // Continue without locks between processes, for example when the temporary folder is full. File stamps still
        // detect changes by others.
        if (!warned)
          log.error(
            `Files are not locked against other Tizona processes, because the lock database is not usable`,
            error,
          )
        warned = true
        return null
      }
    },
    release(token: string): void {
      for (let tries = 1; ; tries += 1) {
        try {
          inTransaction((db) => db.prepare('DELETE FROM locks WHERE token = ?').run(token))
          return
        } catch (error) {
          if (primaryCode(error) === 5 && tries < 5) continue
          // The row stays until this process exits. The cause was reported when the lock was acquired.
          if (!warned) log.error('A file lock was not released', error)
          warned = true
          return
        }
      }
    },
  }
}

/** Returns SQLite's primary result code (sqlite.org/rescode.html); undefined for other errors. */
function primaryCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : undefined
}

function inodeOf(file: string): bigint | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino
}

/** Returns a private folder in the system's temporary folder, or else in the home folder. */
function sharedFolder(): string {
  const user = process.getuid?.() ?? userInfo().username
  const folder = path.join(tmpdir(), `tizona-${user}`)
  makeFolderSync(folder)
  const stats = lstatSync(folder)
  // Another user may have created a folder or link with this name.
  const ours =
    stats.isDirectory() &&
    (process.getuid === undefined || (stats.uid === process.getuid() && (stats.mode & 0o077) === 0))
  return ours ? folder : path.join(homedir(), '.cache', 'tizona')
}

function stillHeld({ path: name, pid }: Holder, waitedMs: number): ToolError {
  const file = `"${path.basename(name)}"`
  const seconds = `${Math.round(waitedMs / 1000)} s`
  const message =
    pid === 0
      ? `Other Tizona processes used ${file} for ${seconds}, so nothing was changed.`
      : pid === process.pid
        ? `Another call used ${file} for ${seconds}, so nothing was changed.`
        : `Another Tizona process (${pid}) used ${file} for ${seconds}, so nothing was changed.`
  return new ToolError('conflict', message, 'Try again in a moment.')
}

/** The locks of this process. */
export const pathLocks: PathLocks = createPathLocks()
