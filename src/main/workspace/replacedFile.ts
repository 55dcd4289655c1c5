import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type { FileStamp } from '../../shared/files/files.ts'
import { stampOf } from './fileStamp.ts'

/** What another program wrote to a file while it was replaced. `content`: the appended bytes, or the whole file. */
export interface LateWrite {
  kind: 'appended' | 'rewritten'
  content: Buffer
}

/**
 * Replaces a file and returns what another program wrote to it between the last check and the replacement, which would
 * be lost with the old file. A program that keeps the old file open and writes later is not noticed.
 * @param entry path in a held folder; a link is not followed
 * @param stamp the file's stamp, which was just checked
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
