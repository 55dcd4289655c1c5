import { deflateBlock, type NewBlock } from './packFile.ts'

/** Blobs that are stored together. */
export interface BlobBatch {
  /** Whether a blob is stored, or will be with this batch. */
  has(hash: string): Promise<boolean>
  /** Whether all of these blobs are stored, or will be with this batch. */
  hasAll(hashes: Iterable<string>): Promise<boolean>
  /** Adds a blob. It is stored once `flush` has resolved. */
  put(hash: string, content: Buffer): Promise<void>
  /** Stores everything added so far. @throws ToolError if that failed, now or earlier */
  flush(): Promise<void>
  /** Whether a blob could not be stored, so that `flush` will throw. */
  failed(): boolean
}

interface PackWriterDeps {
  has(hash: string): Promise<boolean>
  /** Returns a predicate that reports whether a blob is stored. Answers many lookups with one read. */
  lookup(): Promise<(hash: string) => boolean>
  /** Stores one blob in its own file. */
  putSingle(hash: string, content: Buffer): Promise<void>
  writePack(blocks: readonly NewBlock[]): Promise<void>
}

/** Size at which a block is deflated. Larger blocks hardly compress better, and reading one blob takes longer. */
const blockBytes = 128 * 1024
/** Size of a pack in bytes, before compression. */
const packBytes = 16 * 1024 * 1024
/** Fewer blobs than this are stored as single files, so that frequent small scans leave no small packs. */
const minPacked = 32
/**
 * Number of blocks deflated concurrently, and of packs written concurrently. Further blobs wait, which limits memory.
 */
const concurrentBlocks = 4
const concurrentPacks = 2

/** Collects blobs and writes them as packs. */
export function createPackWriter({ has, lookup, putSingle, writePack }: PackWriterDeps): BlobBatch {
  /** Blobs that are not stored yet. */
  const pending = new Set<string>()
  const deflating = new Set<Promise<unknown>>()
  const writing = new Set<Promise<unknown>>()
  let block: { hash: string; content: Buffer }[] = []
  let inBlock = 0
  let pack: Promise<NewBlock>[] = []
  let inPack = 0
  let failure: { error: unknown } | undefined

  function track(tasks: Set<Promise<unknown>>, task: Promise<unknown>): void {
    const tracked: Promise<unknown> = task.catch(() => undefined).finally(() => tasks.delete(tracked))
    tasks.add(tracked)
  }

  function endBlock(): void {
    if (block.length === 0) return
    const deflated = deflateBlock(block)
    track(deflating, deflated)
    pack.push(deflated)
    inPack += inBlock
    block = []
    inBlock = 0
  }

  /** @param hashes of the blobs that `act` stores */
  function write(hashes: () => readonly string[], act: () => Promise<void>): void {
    const run = async () => {
      try {
        await act()
      } catch (error) {
        failure ??= { error }
      } finally {
        // The next scan reads a blob again that was not stored.
        for (const hash of hashes()) pending.delete(hash)
      }
    }
    track(writing, run())
  }

  function endPack(): void {
    const tasks = pack
    pack = []
    inPack = 0
    let blocks: NewBlock[] = []
    const hashes = () => blocks.flatMap(({ contents }) => contents.map(({ hash }) => hash))
    write(hashes, async () => {
      blocks = await Promise.all(tasks)
      await writePack(blocks)
    })
  }

  function end(): void {
    if (pack.length === 0 && block.length < minPacked) {
      const singles = block
      block = []
      inBlock = 0
      write(
        () => singles.map(({ hash }) => hash),
        async () => {
          for (const { hash, content } of singles) await putSingle(hash, content)
        },
      )
      return
    }
    endBlock()
    endPack()
  }

  return {
    has: async (hash) => pending.has(hash) || (await has(hash)),
    async hasAll(hashes) {
      const isStored = await lookup()
      for (const hash of hashes) if (!pending.has(hash) && !isStored(hash)) return false
      return true
    },
    async put(hash, content) {
      if (pending.has(hash) || (await has(hash)) || pending.has(hash)) return
      pending.add(hash)
      block.push({ hash, content })
      inBlock += content.length
      if (inBlock >= blockBytes) endBlock()
      if (inPack >= packBytes) endPack()
      while (deflating.size >= concurrentBlocks) await Promise.race(deflating)
      while (writing.size >= concurrentPacks) await Promise.race(writing)
    },
    async flush() {
      end()
      while (writing.size > 0) await Promise.all(writing)
      if (failure) throw failure.error
    },
    failed: () => failure !== undefined,
  }
}
