import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { StorageSizes, StoredAmount } from '../../../shared/files/storage.ts'
import { errorCode } from '../../base/fileErrors.ts'
import { statement } from '../sqlStatement.ts'

/** Number of folders read concurrently. */
const concurrentFolders = 16

/**
 * SQL for the size of each conversation's items in bytes, without images. `octet_length` reads the length from the row
 * header, so large texts are not loaded.
 */
export const conversationBytes =
  'SELECT conversation_id, sum(octet_length(json) + octet_length(text)) AS bytes FROM items GROUP BY conversation_id'

/** Returns the size of each kind of data for all folders. @throws ToolError if the store is not readable */
export async function readStorageSizes(db: DatabaseSync, userData: string): Promise<StorageSizes> {
  const [conversations] = statement(db, 'SELECT count(*) AS count FROM conversations').all()
  const [items] = statement(db, `SELECT coalesce(sum(bytes), 0) AS bytes FROM (${conversationBytes})`).all()
  const [images] = statement(db, 'SELECT coalesce(sum(bytes), 0) AS bytes FROM images').all()
  const [checkpoints] = statement(db, 'SELECT count(*) AS count FROM checkpoints').all()
  const [contents, indexes, backups] = await Promise.all(
    ['checkpoints', 'code-index', 'backups'].map((name) => filesBelow(join(userData, name))),
  )
  return {
    conversations: { count: Number(conversations?.count), bytes: Number(items?.bytes) + Number(images?.bytes) },
    checkpoints: { count: Number(checkpoints?.count), bytes: sumOf(contents).bytes },
    codeIndex: { count: sumOf(indexes, (file) => file.endsWith('.db')).count, bytes: sumOf(indexes).bytes },
    unsaved: sumOf(backups),
  }
}

export interface SizedFile {
  /** Absolute path of the file. */
  path: string
  bytes: number
  /** Milliseconds since the epoch. */
  changedAt: number
}

/** Lists all files in a folder and its subfolders; none if the folder does not exist. */
export async function filesBelow(folder: string): Promise<SizedFile[]> {
  const files: SizedFile[] = []
  let waiting = [folder]
  while (waiting.length > 0) {
    const now = waiting.slice(0, concurrentFolders)
    waiting = waiting.slice(concurrentFolders)
    const found = await Promise.all(now.map(filesIn))
    for (const each of found) {
      files.push(...each.files)
      waiting.push(...each.folders)
    }
  }
  return files
}

async function filesIn(folder: string): Promise<{ files: SizedFile[]; folders: string[] }> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(ifMissing([]))
  const files: SizedFile[] = []
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const path = join(folder, entry.name)
    // Another process may have deleted it in the meantime.
    const stats = await stat(path).catch(ifMissing(null))
    if (stats) files.push({ path, bytes: stats.size, changedAt: stats.mtimeMs })
  }
  return { files, folders: entries.filter((entry) => entry.isDirectory()).map((entry) => join(folder, entry.name)) }
}

function ifMissing<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (errorCode(error) === 'ENOENT') return value
    throw error
  }
}

function sumOf(files: readonly SizedFile[] = [], counts: (path: string) => boolean = () => true): StoredAmount {
  return {
    count: files.filter(({ path }) => counts(path)).length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}
