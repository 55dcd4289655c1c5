import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { ToolError } from '../../../shared/errors.ts'
import { systemCode } from './entries.ts'

/** Contents of files, each under the SHA-256 of its bytes, deflated, in folders by the first two digits. */
export interface Blobs {
  has(hash: string): Promise<boolean>
  /** Keeps a content; one that is kept already is not written again. A blob is whole or not there. */
  put(hash: string, content: Buffer): Promise<void>
  /** The content, checked against its name. Throws `not_found` when it is no longer kept, `io_error` when it is damaged. */
  get(hash: string): Promise<Buffer>
  /** Bytes on disk of all contents, or of these. */
  bytes(hashes?: ReadonlySet<string>): Promise<number>
  /** Removes what nobody names, and what a killed process left half written, unless it is younger than the grace. */
  sweep(named: ReadonlySet<string>): Promise<void>
}

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)
/** Bytes hashed at once: about a millisecond. */
const hashChunk = 1024 * 1024
const unfinished = '.part'

/**
 * @param folder made when it is first needed
 * @param grace milliseconds: a younger blob may belong to a checkpoint that another process is about to write
 */
export function createBlobs(folder: string, grace: number): Blobs {
  const sizes = new Map<string, number>()
  let scanned: Promise<void> | undefined
  const place = (hash: string) => path.join(folder, hash.slice(0, 2), hash.slice(2))

  /** Once, for the store may hold far more than one checkpoint needs. */
  function known(): Promise<void> {
    scanned ??= each((hash, size) => {
      if (hash !== '') sizes.set(hash, size)
    }).catch((error: unknown) => {
      scanned = undefined
      throw error
    })
    return scanned
  }

  /** @param visit gets '' as the hash of a half-written one */
  async function each(
    visit: (hash: string, size: number, age: number, file: string) => Promise<void> | void,
  ): Promise<void> {
    for (const shard of await namesIn(folder)) {
      for (const name of await namesIn(path.join(folder, shard))) {
        const file = path.join(folder, shard, name)
        const stats = await stat(file).catch(goneAsNull)
        if (stats)
          await visit(name.endsWith(unfinished) ? '' : shard + name, stats.size, Date.now() - stats.mtimeMs, file)
      }
    }
  }

  return {
    async has(hash) {
      await known()
      return sizes.has(hash)
    },
    async put(hash, content) {
      await known()
      if (sizes.has(hash)) return
      const packed = await deflate(content)
      const target = place(hash)
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
      const packed = await readFile(place(hash)).catch(goneAsNull)
      if (!packed) {
        sizes.delete(hash)
        throw new ToolError(
          'not_found',
          'This content is no longer kept.',
          'Use another checkpoint, or your version control.',
        )
      }
      const content = await inflate(packed).catch(() => null)
      if (!content || (await hashOf(content)) !== hash) {
        throw new ToolError(
          'io_error',
          'A content that checkpoints keep is damaged on disk.',
          'Use another checkpoint, and check the disk.',
        )
      }
      return content
    },
    async bytes(hashes) {
      await known()
      let sum = 0
      for (const [hash, size] of sizes) if (hashes?.has(hash) ?? true) sum += size
      return sum
    },
    async sweep(named) {
      await each(async (hash, _, age, file) => {
        if (named.has(hash) || age < grace) return
        await rm(file, { force: true })
        sizes.delete(hash)
      })
    },
  }
}

/** SHA-256 in hexadecimal digits; the process gets a turn between two pieces of a large content. */
export async function hashOf(content: Buffer): Promise<string> {
  const digest = createHash('sha256')
  for (let at = 0; at < content.length; at += hashChunk) {
    if (at > 0) await new Promise(setImmediate)
    digest.update(content.subarray(at, at + hashChunk))
  }
  return digest.digest('hex')
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(goneAsNull)) ?? []
}

function goneAsNull(error: unknown): null {
  if (systemCode(error) === 'ENOENT') return null
  throw storeFailure(error)
}

function storeFailure(error: unknown): unknown {
  const code = systemCode(error)
  if (code === undefined) return error
  const next = "Free space on the disk that holds Tizona's data folder and make it writable, then try again."
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new ToolError('no_space', 'The checkpoint cannot be kept: the disk is full.', next, { cause: error })
  }
  return new ToolError('io_error', `The store of checkpoints cannot be used: the system reports ${code}.`, next, {
    cause: error,
  })
}
