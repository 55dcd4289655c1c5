import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { homedir, tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { ToolError } from '../../shared/errors.ts'
import { isRunning, thisProcess } from './processIdentity.ts'
import { log } from './log/log.ts'

/**
 * Exclusive use of paths among all Tizona processes of this user. The locks are rows of a small SQLite database, because
 * its transactions make "free, or held by a process that has ended: then mine" one step; with lock files two processes
 * that find the same stale file can each remove the other's new one.
 */
export interface PathLocks {
  /**
   * Runs `work` while no other call, here or in another process, holds one of the paths, a folder above or a file below.
   * Calls inside of `work` may use the same paths again.
   * @param paths absolute and real
   * @throws ToolError `conflict` when they are not free within the waiting time
   */
  run<T>(paths: readonly string[], work: () => Promise<T>, signal?: AbortSignal): Promise<T>
}

export interface PathLockOptions {
  /** Where the database is. */
  folder?: string
  /** Milliseconds until a call gives up. */
  maxWaitMs?: number
}

const defaultMaxWaitMs = 15_000
const fileName = 'locks.db'

/** Locks in a folder that all processes of this user share, whatever their user data folder: they may work on the same files. */
export function createPathLocks({ folder, maxWaitMs = defaultMaxWaitMs }: PathLockOptions = {}): PathLocks {
  const table = createLockTable(folder === undefined ? sharedFolder : () => folder)
  /** The paths that the running asynchronous call holds. */
  const held = new AsyncLocalStorage<readonly string[]>()
  /** Calls of this process, in their order: those that run and those that wait. */
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
      // A random part, so that processes that wait for the same file do not stay in step.
      await sleep(delay * (0.5 + Math.random()), undefined, { signal })
    }
  }

  async function holding<T>(
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
      // A call within a call does not queue: what it would wait for may be waiting for the call around it.
      if (outer.length > 0) return holding(wanted, outer, work, signal)
      const before = [...queue].filter((other) =>
        other.paths.some((theirs) => wanted.some((wish) => overlap(theirs, wish))),
      )
      const { promise: ended, resolve: end } = Promise.withResolvers<void>()
      const entry = { paths: wanted, ended }
      queue.add(entry)
      try {
        await Promise.all(before.map((other) => other.ended))
        return await holding(wanted, outer, work, signal)
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

/** Whether holding one path includes the other. */
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
  let complained = false

  /** The database, opened again when a cleaner of temporary files removed it. */
  function database(): DatabaseSync {
    if (open && inodeOf(file) === open.inode) return open.db
    open?.db.close()
    open = undefined
    const folder = findFolder()
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    file = path.join(folder, fileName)
    const db = new DatabaseSync(file, { timeout: 200 })
    try {
      // Nothing here has to survive a power cut.
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
      db.exec('ROLLBACK')
      throw error
    }
  }

  function tryAcquire(token: string, wanted: readonly string[], outer: readonly string[]): Holder | null {
    return inTransaction((db) => {
      const remove = db.prepare('DELETE FROM locks WHERE token = ?')
      for (const row of db.prepare('SELECT token, path, pid, start FROM locks').all()) {
        const holder = { path: String(row.path), pid: Number(row.pid) }
        if (!isRunning({ pid: holder.pid, start: String(row.start) })) remove.run(String(row.token))
        // The call around this one holds a file in the folder, or the folder itself.
        else if (holder.pid === pid && outer.includes(holder.path)) continue
        else if (wanted.some((wish) => overlap(wish, holder.path))) return holder
      }
      const insert = db.prepare('INSERT INTO locks (token, path, pid, start) VALUES (?, ?, ?, ?)')
      for (const wish of wanted) insert.run(token, wish, pid, start)
      return null
    })
  }

  return {
    /** @returns null when the paths are held now, else who holds one of them */
    acquire(token: string, wanted: readonly string[], outer: readonly string[]): Holder | null {
      try {
        return tryAcquire(token, wanted, outer)
      } catch (error) {
        const code = primaryCode(error)
        // SQLITE_BUSY: another process is at the table at this moment.
        if (code === 5) return { path: wanted[0] ?? '', pid: 0 }
        // SQLITE_CORRUPT, SQLITE_NOTADB: what it holds is worth nothing without its processes.
        if (code === 11 || code === 26) {
          open?.db.close()
          open = undefined
          for (const ending of ['', '-wal', '-shm']) rmSync(file + ending, { force: true })
          return { path: wanted[0] ?? '', pid: 0 }
        }
        // Without locks between processes the stamps of files still show what another one wrote. Nobody must be kept from
        // saving because the folder of temporary files is full.
        if (!complained)
          log.error(
            `Files are not locked against other Tizona processes, because their database cannot be used:`,
            error,
          )
        complained = true
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
          // The row stays until this process ends. It was said above why the database cannot be used.
          if (!complained) log.error('A file lock was not released', error)
          complained = true
          return
        }
      }
    },
  }
}

/** SQLite's primary result code (sqlite.org/rescode.html); undefined for other errors. */
function primaryCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : undefined
}

function inodeOf(file: string): bigint | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino
}

/** A folder of this user alone below the system's folder of temporary files, else in the home folder. */
function sharedFolder(): string {
  const user = process.getuid?.() ?? userInfo().username
  const folder = path.join(tmpdir(), `tizona-${user}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const stats = lstatSync(folder)
  // Anybody may have made a folder, or a link, of that name first.
  const ours =
    stats.isDirectory() &&
    (process.getuid === undefined || (stats.uid === process.getuid() && (stats.mode & 0o077) === 0))
  return ours ? folder : path.join(homedir(), '.cache', 'tizona')
}

function stillHeld({ path: name, pid }: Holder, waitedMs: number): ToolError {
  const who =
    pid === 0 ? 'other Tizona processes' : pid === process.pid ? 'another call' : `another Tizona process (${pid})`
  return new ToolError(
    'conflict',
    `"${path.basename(name)}" was in use by ${who} for ${Math.round(waitedMs / 1000)} s, so nothing was changed.`,
    'Try again in a moment.',
  )
}

/** The locks of this process. */
export const pathLocks: PathLocks = createPathLocks()
