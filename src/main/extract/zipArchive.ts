import type { Readable } from 'node:stream'
import type { Entry, ZipFile } from 'yauzl'
import { cleanLibraryMessage } from './contentKind.ts'
import { bufferOf, UnreadableError } from './documentJob.ts'
import { formatNumber } from '../../shared/text/formatNumber.ts'

/** Maximum unpacked bytes of all parts read from one archive. */
const maxUnpacked = 256 * 1024 * 1024
const maxEntries = 50_000
/** S_IFMT and S_IFLNK. */
const fileType = 0o170000
const linkType = 0o120000

/** A zip archive, such as an office document. */
export interface Archive {
  has(name: string): boolean
  /** All parts with their declared sizes in bytes. */
  entries(): { name: string; size: number; isLink: boolean }[]
  /** Reads a part. @throws UnreadableError broken if it is missing or has the wrong size, too_large, encrypted */
  read(name: string): Promise<Buffer>
}

/**
 * Opens a zip archive.
 * @param limit maximum unpacked bytes of all parts that are read
 * @throws UnreadableError broken if it is not one, too_large if it has too many parts
 */
export async function openArchive(content: Uint8Array<ArrayBuffer>, limit = maxUnpacked): Promise<Archive> {
  const { zip, entries } = await reportBroken(() => readEntries(bufferOf(content)))
  let unpacked = 0
  return {
    has: (name) => entries.has(name),
    entries: () =>
      [...entries].map(([name, { uncompressedSize, externalFileAttributes }]) => ({
        name,
        size: uncompressedSize,
        // The upper half is the mode of Unix.
        isLink: ((externalFileAttributes >>> 16) & fileType) === linkType,
      })),
    async read(name) {
      const entry = entries.get(name)
      if (!entry) throw new UnreadableError('broken', `It has no part "${name}".`)
      if (entry.isEncrypted()) throw new UnreadableError('encrypted', '')
      // The declared size; yauzl fails if the actual size differs.
      unpacked += entry.uncompressedSize
      if (unpacked > limit) throw new UnreadableError('too_large', `It unpacks to more than ${limit / 1024 / 1024} MB.`)
      return reportBroken(async () => {
        const stream: Readable = await zip.openReadStreamPromise(entry)
        const parts: Buffer[] = []
        // A byte stream without an encoding yields buffers.
        for await (const part of stream as AsyncIterable<Buffer>) parts.push(part)
        return Buffer.concat(parts)
      })
    },
  }
}

async function readEntries(content: Buffer): Promise<{ zip: ZipFile; entries: Map<string, Entry> }> {
  const { fromBufferPromise } = await import('yauzl')
  const zip = await fromBufferPromise(content, { lazyEntries: true, autoClose: false })
  if (zip.entryCount > maxEntries)
    throw new UnreadableError('too_large', `It has ${formatNumber(zip.entryCount)} parts.`)
  const entries = new Map<string, Entry>()
  for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry)
  return { zip, entries }
}

/**
 * Converts errors of the zip library to `UnreadableError`. The library throws plain `Error` objects, whose messages
 * explain the problem.
 */
async function reportBroken<T>(work: () => Promise<T> | T): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof UnreadableError || error instanceof RangeError || !(error instanceof Error)) throw error
    throw new UnreadableError('broken', cleanLibraryMessage(error.message), { cause: error })
  }
}
