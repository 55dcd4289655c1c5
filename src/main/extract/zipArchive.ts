import type { Readable } from 'node:stream'
import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl'
import { libraryWords } from './contentKind.ts'
import { UnreadableError } from './documentJob.ts'
import { formatNumber } from '../../shared/formatNumber.ts'

/** Bytes that the parts read of one archive may have unpacked. */
const maxUnpacked = 256 * 1024 * 1024
const maxEntries = 50_000

/** The parts of a document that is a zip archive. */
export interface Archive {
  has(name: string): boolean
  /** Throws `broken` where it is missing or not as long as the archive says, `too_large`, `encrypted`. */
  read(name: string): Promise<Buffer>
}

/** Opens a zip archive. Throws `broken` where it is none, `too_large` for more parts than any document has. */
export async function openArchive(content: Uint8Array<ArrayBuffer>): Promise<Archive> {
  const { zip, entries } = await whereBroken(() => listed(Buffer.from(content.buffer)))
  let unpacked = 0
  return {
    has: (name) => entries.has(name),
    async read(name) {
      const entry = entries.get(name)
      if (!entry) throw new UnreadableError('broken', `it has no part "${name}"`)
      if (entry.isEncrypted()) throw new UnreadableError('encrypted', '')
      // The size that is declared; yauzl ends with an error where more or less comes.
      unpacked += entry.uncompressedSize
      if (unpacked > maxUnpacked)
        throw new UnreadableError('too_large', `it says that it unpacks to more than ${maxUnpacked / 1024 / 1024} MB`)
      return whereBroken(async () => {
        const stream: Readable = await zip.openReadStreamPromise(entry)
        const parts: Buffer[] = []
        // A byte stream without an encoding gives buffers.
        for await (const part of stream as AsyncIterable<Buffer>) parts.push(part)
        return Buffer.concat(parts)
      })
    },
  }
}

async function listed(content: Buffer): Promise<{ zip: ZipFile; entries: Map<string, Entry> }> {
  const zip = await fromBufferPromise(content, { lazyEntries: true, autoClose: false })
  if (zip.entryCount > maxEntries)
    throw new UnreadableError('too_large', `it has ${formatNumber(zip.entryCount)} parts`)
  const entries = new Map<string, Entry>()
  for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry)
  return { zip, entries }
}

/** The zip library throws plain errors; what they say is of use. */
export async function whereBroken<T>(work: () => Promise<T> | T): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof UnreadableError || error instanceof RangeError || !(error instanceof Error)) throw error
    throw new UnreadableError('broken', libraryWords(error.message), { cause: error })
  }
}
