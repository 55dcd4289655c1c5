import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { copyJobSchema, type CopyJob } from './storeCopy.ts'

// Makes the daily copy of the store (storeCopy.ts). Replaces the previous copy once the new one has been verified.

async function makeCopy({ file, copy }: CopyJob): Promise<void> {
  const unchecked = `${copy}.new`
  for (const ending of ['', '-wal', '-shm', '-journal']) rmSync(unchecked + ending, { force: true })
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
  renameSync(unchecked, copy)
}

await makeCopy(copyJobSchema.parse(workerData))
parentPort?.postMessage('done')
