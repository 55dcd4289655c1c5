import { randomUUID } from 'node:crypto'
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { makeFolder } from '../../base/makeFolder.ts'
import { ToolError } from '../../../shared/errors.ts'
import { hashOf } from './entries.ts'
import { systemCode } from './systemCode.ts'
import { createPacks } from './packs.ts'
import { createPackWriter, type BlobBatch } from './packWriter.ts'

/**
 * Blobs of files, deflated and keyed by the SHA-256 of their bytes: single ones as files in folders named after its
 * first two digits, those of a scan of many files in packs.
 */
export interface Blobs {
  has(hash: string): Promise<boolean>
  /** Returns a number that grows when blobs are deleted or found damaged, so that they must be checked again. */
  losses(): number
  /** Stores file content unless it is already stored. The write is atomic. */
  put(hash: string, content: Buffer): Promise<void>
  /** Starts a batch for the blobs of a scan. */
  batch(): BlobBatch
  /**
   * Returns a blob after verifying its hash.
   * @throws ToolError `not_found` if it was deleted, `io_error` if it is damaged
   */
  get(hash: string): Promise<Buffer>
  /** Returns the size on disk in bytes of all blobs, or of those with the given hashes. */
  bytes(hashes?: ReadonlySet<string>): Promise<number>
  /** Deletes unreferenced blobs, and partial files of killed processes, that are older than the grace period. */
  sweep(referenced: ReadonlySet<string>): Promise<void>
}

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)
const unfinished = '.part'

/** Suffix of the folder of packs. It is next to the other one, where earlier versions would delete unknown files. */
const packFolder = '-packs'

/**
 * Creates the blob store in a folder.
 * @param folder created on first use, with another one for packs
 * @param grace minimum age for deletion in milliseconds, because another process may be about to reference a newer blob
 */
export function createBlobs(folder: string, grace: number): Blobs {
  const packs = createPacks(folder + packFolder, grace)
  const sizes = new Map<string, number>()
  let scanned: Promise<void> | undefined
  let losses = 0
  const pathOf = (hash: string) => path.join(folder, hash.slice(0, 2), hash.slice(2))

  /** Reads the sizes of all blobs once, because the store can be much larger than one checkpoint. */
  function readSizes(): Promise<void> {
    scanned ??= read().catch((error: unknown) => {
      scanned = undefined
      throw error
    })
    return scanned
  }

  async function read(): Promise<void> {
    await visitFiles(folder, (hash, size) => {
      if (hash !== '') sizes.set(hash, size)
    })
    await inStore(() => packs.refresh())
  }

  const isStored = (hash: string) => sizes.has(hash) || packs.has(hash)

  async function lookup(): Promise<(hash: string) => boolean> {
    await readSizes()
    return isStored
  }

  const has = async (hash: string) => (await lookup())(hash)

  async function put(hash: string, content: Buffer): Promise<void> {
    if (await has(hash)) return
    const packed = await deflate(content)
    const target = pathOf(hash)
    const part = `${target}-${randomUUID()}${unfinished}`
    try {
      await makeFolder(path.dirname(target))
      await writeFile(part, packed, { mode: 0o600, flag: 'wx' })
      await rename(part, target)
    } catch (error) {
      await rm(part, { force: true })
      throw storeFailure(error)
    }
    sizes.set(hash, packed.length)
  }

  /** @returns the bytes; null if damaged, undefined if not stored */
  async function find(hash: string): Promise<Buffer | null | undefined> {
    const packed = await readFile(pathOf(hash)).catch(nullIfMissing)
    if (packed) {
      const content = await inflate(packed).catch(() => null)
      if (content && (await hashOf(content)) === hash) return content
    } else if (sizes.delete(hash)) losses += 1
    // Two processes may have stored a blob at the same time.
    await readSizes()
    const other = await inStore(() => packs.get(hash))
    return other ?? (packed || packs.hasDamaged() ? null : other)
  }

  return {
    has,
    losses: () => losses + packs.losses(),
    put,
    batch: () =>
      createPackWriter({ has, lookup, putSingle: put, writePack: (blocks) => inStore(() => packs.write(blocks)) }),
    async get(hash) {
      const content = await find(hash)
      if (content) return content
      if (content === undefined) {
        throw new ToolError(
          'not_found',
          'The content of this file is no longer stored.',
          'Use another checkpoint, or your version control.',
        )
      }
      throw new ToolError(
        'io_error',
        'A file stored for checkpoints is damaged on disk.',
        'Use another checkpoint, and check the disk.',
      )
    },
    async bytes(hashes) {
      await readSizes()
      let sum = 0
      for (const [hash, size] of sizes) if (hashes?.has(hash) ?? true) sum += size
      for (const hash of packs.hashes())
        if (!sizes.has(hash) && (hashes?.has(hash) ?? true)) sum += packs.bytesOf(hash) ?? 0
      return sum
    },
    async sweep(referenced) {
      await visitFiles(folder, async (hash, _, age, file) => {
        if (referenced.has(hash) || age < grace) return
        await rm(file, { force: true })
        sizes.delete(hash)
        losses += 1
      })
      await inStore(() => packs.sweep(referenced))
    },
  }
}

/** Visits all files of the store. @param visit receives '' as the hash of a partial file */
async function visitFiles(
  folder: string,
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

async function inStore<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw storeFailure(error)
  }
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
  return new ToolError('io_error', `The checkpoint store is not usable. The system reports ${code}.`, next, {
    cause: error,
  })
}
