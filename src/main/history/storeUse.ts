import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isRunning, thisProcess } from '../base/processIdentity.ts'

/**
 * How a store was left: whether its last user closed it, and whether other processes use it now. Checking a large store
 * takes seconds, so it is checked only when this does not show that the files are the ones that were closed.
 *
 *   tizona.db.closed    size and time of change of the files when they were closed
 *   tizona.db.damaged   damage was met while the store was in use
 *   tizona.db.users/    one empty file a process that uses it
 */
export interface StoreUse {
  readonly mustCheck: boolean
  /** Other running processes that used it when this one began. */
  readonly others: number
  /** Other running processes that use it now. */
  countOthers(): number
  /** Call once the store is closed. */
  closed(): void
}

/** Notes this process as a user of a store, before it is opened. */
export function beginStoreUse(file: string): StoreUse {
  const users = `${file}.users`
  const { pid, start } = thisProcess()
  const own = path.join(users, `${pid}-${start}`)
  const countOthers = () => {
    let count = 0
    for (const name of readdirSync(users)) {
      const [, id, began] = /^(\d+)-(\d*)$/.exec(name) ?? []
      if (id === undefined || began === undefined || Number(id) === pid) continue
      if (isRunning({ pid: Number(id), start: began })) count += 1
      else rmSync(path.join(users, name), { force: true })
    }
    return count
  }
  mkdirSync(users, { recursive: true, mode: 0o700 })
  const others = countOthers()
  const damaged = statSync(`${file}.damaged`, { throwIfNoEntry: false }) !== undefined
  const asClosed = readIfThere(`${file}.closed`) === stampOf(file)
  writeFileSync(own, '', { mode: 0o600 })
  return {
    mustCheck: damaged || (others === 0 && !asClosed),
    others,
    countOthers,
    closed() {
      rmSync(own, { force: true })
      writeFileSync(`${file}.closed`, stampOf(file), { mode: 0o600 })
    },
  }
}

/** Notes that a store is damaged, so that the next start checks and repairs it. */
export function noteDamage(file: string): void {
  writeFileSync(`${file}.damaged`, '', { mode: 0o600 })
}

/** The store was checked and found whole, or replaced. */
export function forgetDamage(file: string): void {
  rmSync(`${file}.damaged`, { force: true })
}

/** What every write changes: size and time of change of the store and of its write-ahead log. */
function stampOf(file: string): string {
  return [file, `${file}-wal`]
    .map((name) => {
      const stats = statSync(name, { bigint: true, throwIfNoEntry: false })
      // An empty log is the same as none.
      return stats && stats.size > 0n ? `${stats.size}-${stats.mtimeNs}` : ''
    })
    .join(' ')
}

function readIfThere(file: string): string | null {
  return statSync(file, { throwIfNoEntry: false }) ? readFileSync(file, 'utf8') : null
}
