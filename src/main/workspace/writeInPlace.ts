import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { FileStamp } from '../../shared/files/files.ts'
import { requireStamp, stampOf } from './fileStamp.ts'
import type { FileSystem } from './fileSystem.ts'

export interface Replacement {
  /** Path shown in errors. */
  name: string
  /** Stamp of the file to replace, or null for a new file. Any other state fails with `changed_on_disk`. */
  expected?: FileStamp | null | undefined
  signal?: AbortSignal | undefined
}

/**
 * Overwrites the content of a file, which keeps its names, owner and extended attributes. If it fails, the file has its
 * old content again. If the machine crashes during the write, both can be lost, so this is not used for files that a
 * rename can replace.
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

/**
 * What another program wrote to a file while it was being replaced. `content`: the appended bytes, or the whole file.
 */
export interface LateWrite {
  kind: 'appended' | 'rewritten'
  content: Buffer
}

/**
 * Replaces a file and returns what another program wrote to it between the last check and the replacement, which would
 * be lost with the old file. Does not notice a program that keeps the old file open and writes later.
 * @param entry path in a held folder; a link is not followed
 * @param stamp the file's stamp, just checked
 * @param original the file's bytes at that stamp
 * @param replace renames the new file to `entry`
 */
export async function replaceAndCompare(
  entry: string,
  stamp: FileStamp,
  original: () => Buffer,
  replace: () => Promise<void>,
): Promise<LateWrite | undefined> {
  const old = await open(entry, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  try {
    await replace()
    if (stampOf(await old.stat({ bigint: true })) === stamp) return undefined
    const content = await old.readFile()
    const before = original()
    if (content.equals(before)) return undefined
    return content.length > before.length && content.subarray(0, before.length).equals(before)
      ? { kind: 'appended', content: content.subarray(before.length) }
      : { kind: 'rewritten', content }
  } finally {
    await old.close()
  }
}

/** Appends bytes to a file. @param entry path in a held folder; a link is not followed */
export async function appendBytes(entry: string, content: Buffer): Promise<void> {
  const handle = await open(entry, constants.O_WRONLY | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0))
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
