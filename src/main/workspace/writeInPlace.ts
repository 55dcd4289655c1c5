import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { FileStamp } from '../../shared/files/files.ts'
import { requireStamp, stampOf } from './fileStamp.ts'
import type { FileSystem } from './fileSystem.ts'

/** How a file is replaced. */
export interface Replacement {
  /** Path shown in errors. */
  name: string
  /** Stamp of the file to replace, or null for a new file. Any other state fails with `changed_on_disk`. */
  expected?: FileStamp | null | undefined
  signal?: AbortSignal | undefined
}

/**
 * Overwrites the content of a file, which keeps its names, owner and extended attributes. After a failure, the file has
 * its old content again. A crash of the machine during the write can lose both, so files that can be replaced by a
 * rename are not written in this way.
 * @param entry path in a held folder; a link is not followed
 */
export async function writeInPlace(
  entry: string,
  content: Buffer,
  fileSystem: FileSystem,
  { name, expected, signal }: Replacement,
): Promise<FileStamp> {
  const handle = await fileSystem.open(entry, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0))
  try {
    const before = await handle.readFile()
    const old = await handle.stat({ bigint: true })
    signal?.throwIfAborted()
    if (expected !== undefined) await requireStamp(entry, name, expected, fileSystem)
    try {
      await overwrite(handle, content)
    } catch (error) {
      await overwrite(handle, before)
      throw error
    }
    const now = await handle.stat({ bigint: true })
    if (stampOf(now) !== stampOf(old)) return stampOf(now)
    // The clock has not advanced since the last change, which has the same size.
    const later = Number(now.mtimeMs) + 1
    await handle.utimes(later / 1000, later / 1000)
    return stampOf(await handle.stat({ bigint: true }))
  } finally {
    await handle.close()
  }
}

async function overwrite(handle: FileHandle, content: Buffer): Promise<void> {
  for (let at = 0; at < content.length;) at += (await handle.write(content, at, content.length - at, at)).bytesWritten
  await handle.truncate(content.length)
  await handle.sync()
}
