import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { copyJobSchema, type CopyJob } from './storeCopy.ts'

// Makes the daily copy of the store (storeCopy.ts). Replaces the previous copy once the new one has been verified.

/** Age in milliseconds of files that a killed process left. A copy takes less (`limits` in storeCopy.ts). */
const leftAge = 60 * 60_000

async function makeCopy({ file, copy }: CopyJob): Promise<void> {
  removeLeft(copy)
  // Other windows and processes may make a copy at the same time.
  const unchecked = `${copy}.${randomUUID()}.new`
  try {
    await copyTo(file, unchecked)
    renameSync(unchecked, copy)
  } finally {
    for (const ending of ['', '-wal', '-shm', '-journal']) rmSync(unchecked + ending, { force: true })
  }
}

function removeLeft(copy: string): void {
  const folder = path.dirname(copy)
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${path.basename(copy)}.`) || !/\.new(-wal|-shm|-journal)?$/.test(name)) continue
    const left = path.join(folder, name)
    const { mtimeMs } = statSync(left, { throwIfNoEntry: false }) ?? { mtimeMs: Infinity }
    if (Date.now() - mtimeMs > leftAge) rmSync(left, { force: true })
  }
}

/** Writes a verified copy. @throws Error if it is damaged */
async function copyTo(file: string, unchecked: string): Promise<void> {
  // SQLite would create it readable for others.
  closeSync(openSync(unchecked, 'wx', 0o600))
  const store = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    await backup(store, unchecked)
  } finally {
    store.close()
  }
  const made = new DatabaseSync(unchecked)
  try {
    // A single file, which can be copied and read on its own.
    made.exec('PRAGMA journal_mode = DELETE')
    const [row] = made.prepare('PRAGMA quick_check(1)').all()
    if (row?.quick_check !== 'ok') throw new Error(`The copy of the store is damaged: ${String(row?.quick_check)}`)
  } finally {
    made.close()
  }
  const handle = openSync(unchecked, 'r')
  fsyncSync(handle)
  closeSync(handle)
}

await makeCopy(copyJobSchema.parse(workerData))
parentPort?.postMessage('done')
