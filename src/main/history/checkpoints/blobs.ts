import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { ToolError } from '../../../shared/errors.ts'
import { systemCode } from './entries.ts'

/** File contents, stored deflated under the SHA-256 of their bytes, in folders named by its first two digits. */
export interface Blobs {
  has(hash: string): Promise<boolean>
  /** Stores file content unless it is already stored. The write is atomic. */
  put(hash: string, content: Buffer): Promise<void>
  /**
   * Returns stored content and verifies its hash.
   * @throws ToolError `not_found` if it was deleted, `io_error` if it is damaged
   */
  get(hash: string): Promise<Buffer>
  /** Returns the size on disk in bytes, of all contents or of those with the given hashes. */
  bytes(hashes?: ReadonlySet<string>): Promise<number>
  /**
   * Deletes contents that are not referenced, and partial files of killed processes, if they are older than the grace
   * period.
   */
  sweep(referenced: ReadonlySet<string>): Promise<void>
}

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)
/** Number of bytes to hash before yielding to other work. Hashing them takes about a millisecond. */
const hashChunk = 1024 * 1024
const unfinished = '.part'

/**
 * Creates the blob store in a folder.
 * @param folder created on first use
 * @param grace minimum age for deletion in milliseconds, because another process may be about to reference a newer blob
 */
export function createBlobs(folder: string, grace: number): Blobs {
  const sizes = new Map<string, number>()
  let scanned: Promise<void> | undefined
  const pathOf = (hash: string) => path.join(folder, hash.slice(0, 2), hash.slice(2))

  /** Reads the sizes of all contents, once, because the store can be much larger than one checkpoint. */
  function readSizes(): Promise<void> {
    scanned ??= visitFiles((hash, size) => {
      if (hash !== '') sizes.set(hash, size)
    }).catch((error: unknown) => {
      scanned = undefined
      throw error
    })
    return scanned
  }

  /** Visits all files. @param visit receives '' as the hash of a partial file */
  async function visitFiles(
    visit: (hash: string, size: number, age: number, file: string) => Promise<void> | void,
  ): Promise<void> {
    for (const shard of await namesIn(folder)) {
      for (const name of await namesIn(path.join(folder, shard))) {
        const file = path.join(folder, shard, name)
        const stats = await stat(file).catch(nullIfMissing)
        if (stats)
          await visit(name.endsWith(unfinished) ? '' : shard + name, stats.size, Date.now() - stats.mtimeMs, file)
      }
    }
  }

  return {
    async has(hash) {
      await readSizes()
      return sizes.has(hash)
    },
    async put(hash, content) {
      await readSizes()
      if (sizes.has(hash)) return
      const packed = await deflate(content)
      const target = pathOf(hash)
      const part = `${target}-${randomUUID()}${unfinished}`
      try {
        await mkdir(path.dirname(target), { recursive: true, mode: 0o700 })
        await writeFile(part, packed, { mode: 0o600, flag: 'wx' })
        await rename(part, target)
      } catch (error) {
        await rm(part, { force: true })
        throw storeFailure(error)
      }
      sizes.set(hash, packed.length)
    },
    async get(hash) {
      const packed = await readFile(pathOf(hash)).catch(nullIfMissing)
      if (!packed) {
        sizes.delete(hash)
        throw new ToolError(
          'not_found',
          'The content of this file is no longer stored.',
          'Use another checkpoint, or your version control.',
        )
      }
      const content = await inflate(packed).catch(() => null)
      if (!content || (await hashOf(content)) !== hash) {
        throw new ToolError(
          'io_error',
          'A file stored for checkpoints is damaged on disk.',
          'Use another checkpoint, and check the disk.',
        )
      }
      return content
    },
    async bytes(hashes) {
      await readSizes()
      let sum = 0
      for (const [hash, size] of sizes) if (hashes?.has(hash) ?? true) sum += size
      return sum
    },
    async sweep(referenced) {
      await visitFiles(async (hash, _, age, file) => {
        if (referenced.has(hash) || age < grace) return
        await rm(file, { force: true })
        sizes.delete(hash)
      })
    },
  }
}

/** Returns the SHA-256 in hexadecimal digits. Yields between two chunks of a large content. */
export async function hashOf(content: Buffer): Promise<string> {
  const digest = createHash('sha256')
  for (let at = 0; at < content.length; at += hashChunk) {
    if (at > 0) await new Promise(setImmediate)
    digest.update(content.subarray(at, at + hashChunk))
  }
  return digest.digest('hex')
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(nullIfMissing)) ?? []
}

function nullIfMissing(error: unknown): null {
  if (systemCode(error) === 'ENOENT') return null
  throw storeFailure(error)
}

function storeFailure(error: unknown): unknown {
  const code = systemCode(error)
  if (code === undefined) return error
  const next = "Free up space on the disk of Tizona's data folder and make it writable, then try again."
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new ToolError('no_space', 'The checkpoint cannot be stored: the disk is full.', next, { cause: error })
  }
  return new ToolError('io_error', `The checkpoint store is not usable: the system reports ${code}.`, next, {
    cause: error,
  })
}
