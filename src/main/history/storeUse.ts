import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { makeFolderSync } from '../base/makeFolder.ts'
import { isRunning, thisProcess } from '../base/processIdentity.ts'

/**
 * Tracks whether the last user of a store closed it, and whether other processes or other windows of this one use it.
 * Checking a large store takes seconds, so the check is skipped if the files are unchanged since they were closed.
 *
 * tizona.db.closed: size and modification time of the files when closed
 * tizona.db.damaged: damage was detected during use
 * tizona.db.users/: one empty file per process that uses it
 */
export interface StoreUse {
  /** Whether the store must be checked for damage before use. */
  readonly mustCheck: boolean
  /** Number of other users when this use began. */
  readonly othersAtStart: number
  /** Returns the current number of other users. */
  countOthers(): number
  /** Records that the store was closed. Call it after closing. */
  closed(): void
}

/** Number of uses of each store in this process, one per window. */
const usesHere = new Map<string, number>()

/** Registers a use of a store. Call it before opening. */
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
  makeFolderSync(users)
  const othersAtStart = countOthers()
  const damaged = statSync(`${file}.damaged`, { throwIfNoEntry: false }) !== undefined
  const usedHere = usesHere.get(file) ?? 0
  usesHere.set(file, usedHere + 1)
  const isUnchanged = readIfExists(`${file}.closed`) === stampOf(file)
  writeFileSync(own, '', { mode: 0o600 })
  return {
    mustCheck: damaged || (othersAtStart + usedHere === 0 && !isUnchanged),
    othersAtStart: othersAtStart + usedHere,
    countOthers: () => countOthers() + (usesHere.get(file) ?? 1) - 1,
    closed() {
      const left = (usesHere.get(file) ?? 1) - 1
      usesHere.set(file, left)
      if (left > 0) return
      rmSync(own, { force: true })
      writeFileSync(`${file}.closed`, stampOf(file), { mode: 0o600 })
    },
  }
}

/** Records damage of a store, so that the next start checks and repairs it. */
export function recordDamage(file: string): void {
  writeFileSync(`${file}.damaged`, '', { mode: 0o600 })
}

/** Deletes the damage record, after the store was checked or replaced. */
export function clearDamage(file: string): void {
  rmSync(`${file}.damaged`, { force: true })
}

/** Returns a value that every write changes: size and modification time of the store and its write-ahead log. */
function stampOf(file: string): string {
  return [file, `${file}-wal`]
    .map((name) => {
      const stats = statSync(name, { bigint: true, throwIfNoEntry: false })
      // An empty log counts as missing.
      return stats && stats.size > 0n ? `${stats.size}-${stats.mtimeNs}` : ''
    })
    .join(' ')
}

function readIfExists(file: string): string | null {
  return statSync(file, { throwIfNoEntry: false }) ? readFileSync(file, 'utf8') : null
}
