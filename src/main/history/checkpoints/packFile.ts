import { hash } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'

/*
 * A pack is a file with many blobs, because creating a file for each takes far longer than writing it:
 *
 *  - blocks: blobs in sequence, deflated together
 *  - index: lengths of each block, then hash, block, start and length of each blob
 *  - trailer: SHA-256 of the index, number of blocks, number of blobs, signature
 */

/** A blob in a pack. */
export interface PackedContent {
  /** SHA-256 of the blob as hexadecimal digits. */
  hash: string
  block: PackBlock
  /** Offset in the inflated block. */
  start: number
  length: number
}

export interface PackBlock {
  /** Offset in the file. */
  offset: number
  /** Deflated length in bytes. */
  length: number
  inflatedLength: number
}

/** A block that has not been written yet. */
export interface NewBlock {
  deflated: Buffer
  inflatedLength: number
  contents: readonly { hash: string; length: number }[]
}

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)
/**
 * At this level, blocks of many small files compress as well as single files at the default level, in half the time.
 */
const level = 4
const signature = 'tz-pack1'
const hashBytes = 32
const blockBytes = 8
/** Size of an index entry in bytes. */
export const contentBytes = hashBytes + 12
const trailerBytes = hashBytes + 8 + signature.length

/** Deflates blobs as one block. */
export async function deflateBlock(contents: readonly { hash: string; content: Buffer }[]): Promise<NewBlock> {
  const inflated = Buffer.concat(contents.map(({ content }) => content))
  return {
    deflated: await deflate(inflated, { level }),
    inflatedLength: inflated.length,
    contents: contents.map(({ hash: own, content }) => ({ hash: own, length: content.length })),
  }
}

/** Returns the bytes of a pack and its name. Equal packs have equal names. */
export function encodePack(blocks: readonly NewBlock[]): { name: string; bytes: Buffer } {
  const contents = blocks.flatMap((block, number) => {
    let start = 0
    return block.contents.map(({ hash: own, length }) => {
      start += length
      return { hash: own, number, start: start - length, length }
    })
  })
  const index = Buffer.alloc(blocks.length * blockBytes + contents.length * contentBytes)
  let at = 0
  for (const { deflated, inflatedLength } of blocks) {
    at = index.writeUInt32LE(deflated.length, at)
    at = index.writeUInt32LE(inflatedLength, at)
  }
  for (const { hash: own, number, start, length } of contents) {
    at += index.write(own, at, 'hex')
    at = index.writeUInt32LE(number, at)
    at = index.writeUInt32LE(start, at)
    at = index.writeUInt32LE(length, at)
  }
  const sum = hash('sha256', index, 'buffer')
  const counts = Buffer.alloc(8)
  counts.writeUInt32LE(blocks.length, 0)
  counts.writeUInt32LE(contents.length, 4)
  return {
    name: sum.toString('hex'),
    bytes: Buffer.concat([...blocks.map(({ deflated }) => deflated), index, sum, counts, Buffer.from(signature)]),
  }
}

/** Reads the index of a pack. @returns null if it is damaged or incomplete */
export async function readPackIndex(file: string): Promise<PackedContent[] | null> {
  const handle = await open(file)
  try {
    const { size } = await handle.stat()
    if (size < trailerBytes) return null
    const trailer = await readAt(handle, size - trailerBytes, trailerBytes)
    const blockCount = trailer.readUInt32LE(hashBytes)
    const contentCount = trailer.readUInt32LE(hashBytes + 4)
    const indexBytes = blockCount * blockBytes + contentCount * contentBytes
    const indexAt = size - trailerBytes - indexBytes
    if (trailer.toString('latin1', hashBytes + 8) !== signature || indexAt < 0) return null
    const index = await readAt(handle, indexAt, indexBytes)
    if (!hash('sha256', index, 'buffer').equals(trailer.subarray(0, hashBytes))) return null
    return decodeIndex(index, blockCount, contentCount, indexAt)
  } finally {
    await handle.close()
  }
}

/** @param end end of the last block, derived from the file size */
function decodeIndex(index: Buffer, blockCount: number, contentCount: number, end: number): PackedContent[] | null {
  const blocks: PackBlock[] = []
  let offset = 0
  for (let at = 0; at < blockCount * blockBytes; at += blockBytes) {
    const length = index.readUInt32LE(at)
    blocks.push({ offset, length, inflatedLength: index.readUInt32LE(at + 4) })
    offset += length
  }
  if (offset !== end) return null
  const contents: PackedContent[] = []
  for (let number = 0, at = blockCount * blockBytes; number < contentCount; number += 1, at += contentBytes) {
    const block = blocks[index.readUInt32LE(at + hashBytes)]
    if (!block) return null
    contents.push({
      hash: index.toString('hex', at, at + hashBytes),
      block,
      start: index.readUInt32LE(at + hashBytes + 4),
      length: index.readUInt32LE(at + hashBytes + 8),
    })
  }
  return contents
}

/** Reads and inflates a block. @returns null if it is damaged */
export async function readBlock(file: string, block: PackBlock): Promise<Buffer | null> {
  const handle = await open(file)
  try {
    const deflated = await readAt(handle, block.offset, block.length)
    // Limits the size, because damaged data may inflate to anything.
    const inflated = await inflate(deflated, { maxOutputLength: Math.max(1, block.inflatedLength) }).catch(() => null)
    return inflated?.length === block.inflatedLength ? inflated : null
  } finally {
    await handle.close()
  }
}

/** Reads bytes; fewer at the end of the file. */
async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}
