import { randomUUID } from 'node:crypto'
import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { makeFolder } from '../../base/makeFolder.ts'
import { hashOf } from './entries.ts'
import { systemCode } from './systemCode.ts'
import {
  contentBytes,
  deflateBlock,
  encodePack,
  readBlock,
  readPackIndex,
  type NewBlock,
  type PackBlock,
  type PackedContent,
} from './packFile.ts'

/** The packs in a folder. Methods throw system errors. */
export interface Packs {
  /** Loads the indexes of new packs, and forgets packs that another process deleted. */
  refresh(): Promise<void>
  has(hash: string): boolean
  /** Returns a number that grows when blobs are deleted or found damaged. */
  losses(): number
  /** Returns a blob's size on disk in bytes: its share of the deflated block and of the index. */
  bytesOf(hash: string): number | undefined
  hashes(): Iterable<string>
  /** @returns undefined if no pack contains it, null if it is damaged */
  get(hash: string): Promise<Buffer | null | undefined>
  /** Writes a pack atomically. It is on disk when the promise resolves. */
  write(blocks: readonly NewBlock[]): Promise<void>
  /** Whether a pack has an unreadable index, so that its blobs are unknown. */
  hasDamaged(): boolean
  /** Rewrites packs older than the grace period without their unreferenced blobs. */
  sweep(referenced: ReadonlySet<string>): Promise<void>
}

interface Place extends PackedContent {
  pack: string
}

const ending = '.pack'
const unfinished = '.part'
/** Number of inflated blocks kept in memory. A restore reads the blobs of a block one after the other. */
const cachedBlocks = 4
/** Larger blocks hold a single blob, so they are not kept. */
const maxCachedBlock = 1024 * 1024

/** @param grace minimum age for deletion in milliseconds, as for `createBlobs` */
export function createPacks(folder: string, grace: number): Packs {
  const known = createPlaces()
  const readInflated = createBlockReader(folder)
  /** Blobs that could not be read. They count as missing, so that the next scan stores them again. */
  const unusable = new Set<string>()
  let damaged = new Set<string>()
  let losses = 0

  function register(pack: string, contents: readonly PackedContent[]): void {
    known.add(pack, contents)
    for (const { hash: own } of contents) unusable.delete(own)
  }

  async function refresh(): Promise<void> {
    // Listed first, because this process may write a pack meanwhile.
    const before = known.packs()
    const names = new Set((await namesIn(folder)).filter((name) => name.endsWith(ending)))
    const unreadable = new Set<string>()
    const gone = before.filter((pack) => !names.has(pack))
    known.remove(gone)
    losses += gone.length
    for (const pack of names) {
      if (known.contentsOf(pack)) continue
      const contents = await readPackIndex(path.join(folder, pack)).catch(undefinedIfMissing)
      if (contents) register(pack, contents)
      else if (contents === null) unreadable.add(pack)
    }
    damaged = unreadable
  }

  async function contentAt({ pack, block, start, length, hash: own }: Place): Promise<Buffer | null> {
    const bytes = await readInflated(pack, block)
    // Copied, so that the blob does not keep its whole block in memory.
    const content = bytes && Buffer.from(bytes.subarray(start, start + length))
    if (content && (await hashOf(content)) === own) return content
    unusable.add(own)
    losses += 1
    return null
  }

  async function write(blocks: readonly NewBlock[]): Promise<string> {
    const pack = await writePackFile(folder, blocks)
    const contents = await readPackIndex(path.join(folder, pack))
    if (contents) register(pack, contents)
    return pack
  }

  /** Deletes a pack after moving its referenced blobs to another one. Keeps a pack with a damaged blob. */
  async function rewrite(pack: string, referenced: ReadonlySet<string>): Promise<void> {
    const contents = known.contentsOf(pack) ?? []
    const kept = contents.filter((content) => referenced.has(content.hash))
    if (kept.length === contents.length) return
    const blocks: NewBlock[] = []
    for (const inBlock of Map.groupBy(kept, ({ block }) => block).values()) {
      const copies: { hash: string; content: Buffer }[] = []
      for (const content of inBlock) {
        const copy = await contentAt({ ...content, pack })
        if (!copy) return
        copies.push({ hash: content.hash, content: copy })
      }
      blocks.push(await deflateBlock(copies))
    }
    if (blocks.length > 0 && !known.contentsOf(await write(blocks))) return
    known.remove([pack])
    losses += 1
    await rm(path.join(folder, pack), { force: true })
  }

  async function sweep(referenced: ReadonlySet<string>): Promise<void> {
    await refresh()
    for (const name of await namesIn(folder)) {
      const file = path.join(folder, name)
      const stats = await stat(file).catch(undefinedIfMissing)
      if (!stats || Date.now() - stats.mtimeMs < grace) continue
      if (name.endsWith(unfinished)) await rm(file, { force: true })
      else if (known.contentsOf(name)) await rewrite(name, referenced)
      // The blobs of a damaged pack are unknown, so it is kept as long as anything is referenced.
      else if (damaged.has(name) && referenced.size === 0) await rm(file, { force: true })
    }
  }

  return {
    refresh,
    has: (own) => known.find(own) !== undefined && !unusable.has(own),
    losses: () => losses,
    bytesOf(own) {
      const place = known.find(own)
      if (!place) return undefined
      const { length, block } = place
      return contentBytes + (block.inflatedLength === 0 ? 0 : (block.length * length) / block.inflatedLength)
    },
    hashes: known.hashes,
    async get(own) {
      const place = known.find(own)
      try {
        if (place) return await contentAt(place)
      } catch (error) {
        if (systemCode(error) !== 'ENOENT') throw error
      }
      // Another process may have written the blob to another pack in the meantime.
      await refresh()
      const other = known.find(own)
      return other && (await contentAt(other).catch(undefinedIfMissing))
    },
    async write(blocks) {
      await write(blocks)
    },
    hasDamaged: () => damaged.size > 0,
    sweep,
  }
}

/** Blobs of the known packs. */
function createPlaces() {
  const packs = new Map<string, readonly PackedContent[]>()
  const places = new Map<string, Place>()

  function place(pack: string, contents: readonly PackedContent[]): void {
    for (const content of contents) places.set(content.hash, { ...content, pack })
  }

  return {
    packs: () => [...packs.keys()],
    contentsOf: (pack: string) => packs.get(pack),
    find: (own: string) => places.get(own),
    hashes: () => places.keys(),
    add(pack: string, contents: readonly PackedContent[]): void {
      packs.set(pack, contents)
      place(pack, contents)
    },
    remove(gone: readonly string[]): void {
      if (gone.length === 0) return
      for (const pack of gone) packs.delete(pack)
      // Their blobs may be in other packs too.
      places.clear()
      for (const [pack, contents] of packs) place(pack, contents)
    },
  }
}

/** Creates a function that reads and inflates blocks, with a small cache. */
function createBlockReader(folder: string): (pack: string, block: PackBlock) => Promise<Buffer | null> {
  const cache = new Map<string, Promise<Buffer | null>>()
  return (pack, block) => {
    const key = `${pack}:${block.offset}`
    const known = cache.get(key)
    if (known) return known
    const reading = readBlock(path.join(folder, pack), block)
    if (block.inflatedLength > maxCachedBlock) return reading
    cache.set(key, reading)
    // Failures are not cached, because a pack can be written again.
    reading.then(
      (bytes) => bytes ?? cache.delete(key),
      () => cache.delete(key),
    )
    const [oldest] = cache.keys()
    if (cache.size > cachedBlocks && oldest !== undefined) cache.delete(oldest)
    return reading
  }
}

/** Writes a pack and returns its name. */
async function writePackFile(folder: string, blocks: readonly NewBlock[]): Promise<string> {
  const { name, bytes } = encodePack(blocks)
  const pack = name + ending
  const part = path.join(folder, `${pack}-${randomUUID()}${unfinished}`)
  try {
    await makeFolder(folder)
    const handle = await open(part, 'wx', 0o600)
    try {
      await handle.writeFile(bytes)
      await handle.datasync()
    } finally {
      await handle.close()
    }
    await rename(part, path.join(folder, pack))
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
  return pack
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(undefinedIfMissing)) ?? []
}

function undefinedIfMissing(error: unknown): undefined {
  if (systemCode(error) === 'ENOENT') return undefined
  throw error
}
