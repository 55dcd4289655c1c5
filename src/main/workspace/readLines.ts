import type { FileHandle } from 'node:fs/promises'
import { isUtf16, type Encoding } from '../../shared/files/encodings.ts'
import { fileError } from '../base/fileErrors.ts'
import { openInPlace } from '../base/heldFolder.ts'
import { decodeBytes } from '../base/textBytes.ts'
import type { DecodedText } from '../base/textFormat.ts'

/** Lines of a file that is too large to read as a whole. */
export interface LineRange {
  /** The existing lines, without line endings; fewer if they exceed the maximum size. */
  lines: string[]
  totalLines: number
  /** Whether the last line is incomplete, because it alone exceeds the maximum size. */
  isLineCut: boolean
}

const chunkBytes = 1024 * 1024
/** Maximum bytes of the returned lines. */
const maxRangeBytes = 4 * 1024 * 1024

/**
 * Reads lines of a file of any size, and counts all its lines. Uses a few megabytes of memory. Lines end with `\n` or
 * `\r\n`.
 * @param absolute real path from `Workspace.resolve`
 * @param range 1-based first line, and the number of lines
 * @param decode decodes the start of the file, to determine its encoding
 * @throws ToolError like `readTextFile`, except `too_large`
 */
export async function readLines(
  absolute: string,
  name: string,
  range: { first: number; count: number },
  decode: (content: Buffer, name: string) => DecodedText | Promise<DecodedText>,
  signal?: AbortSignal,
): Promise<LineRange> {
  let handle: FileHandle | undefined
  try {
    handle = await openInPlace(absolute)
    const buffer = Buffer.allocUnsafe(chunkBytes)
    let reader: LineCollector | undefined
    for (let offset = 0; ;) {
      signal?.throwIfAborted()
      const { bytesRead } = await handle.read(buffer, 0, chunkBytes, offset)
      if (bytesRead === 0) break
      const chunk = buffer.subarray(0, bytesRead)
      if (!reader) {
        // Up to the last line ending, because the part can end inside a character.
        const start = chunk.subarray(0, (chunk.lastIndexOf('\n') + 1 || bytesRead) & ~1)
        reader = new LineCollector((await decode(start, name)).format.encoding, range)
      }
      reader.add(chunk)
      offset += bytesRead
    }
    return reader?.end() ?? { lines: [], totalLines: 0, isLineCut: false }
  } catch (error) {
    throw fileError(error, `"${name}" could not be read.`)
  } finally {
    await handle?.close()
  }
}

/** Counts the lines of consecutive chunks, and keeps the bytes of a range of them. */
class LineCollector {
  readonly #encoding: Encoding
  readonly #lineEnd: Buffer
  readonly #first: number
  readonly #after: number
  readonly #kept: Buffer[] = []
  #keptBytes = 0
  #isFull = false
  /** 1-based number of the current line. */
  #line = 1
  /** Whether the current line has bytes. */
  #isStarted = false

  constructor(encoding: Encoding, { first, count }: { first: number; count: number }) {
    this.#encoding = encoding
    this.#lineEnd = encodeLineEnd(encoding)
    this.#first = first
    this.#after = first + count
  }

  add(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) {
      const found = this.#indexOfLineEnd(chunk, at)
      const end = found < 0 ? chunk.length : found + this.#lineEnd.length
      if (this.#line >= this.#first && this.#line < this.#after) this.#keep(chunk.subarray(at, end))
      this.#isStarted = found < 0
      if (found >= 0) this.#line += 1
      at = end
    }
  }

  end(): LineRange {
    const text = decodeBytes(Buffer.concat(this.#kept), this.#encoding).replace(/^\uFEFF/, '')
    const lines = text.split(/\r?\n/)
    // An incomplete line is dropped, so that it is read as a whole with the following ones.
    if (lines.at(-1) === '' || (this.#isFull && lines.length > 1)) lines.pop()
    const isLineCut = this.#isFull && !text.includes('\n')
    // The end can be inside a character.
    if (isLineCut) lines[0] = lines[0]?.replace(/\uFFFD$/, '').toWellFormed() ?? ''
    return {
      isLineCut,
      lines,
      totalLines: this.#isStarted ? this.#line : this.#line - 1,
    }
  }

  /** All chunks except the last have an even number of bytes, so UTF-16 characters start at even offsets. */
  #indexOfLineEnd(chunk: Buffer, from: number): number {
    let found = chunk.indexOf(this.#lineEnd, from)
    while (found >= 0 && found % this.#lineEnd.length !== 0) found = chunk.indexOf(this.#lineEnd, found + 1)
    return found
  }

  #keep(part: Buffer): void {
    const room = maxRangeBytes - this.#keptBytes
    if (part.length > room) this.#isFull = true
    if (room <= 0) return
    // Copied, because the next chunk overwrites the buffer.
    const kept = Buffer.from(part.subarray(0, room))
    this.#kept.push(kept)
    this.#keptBytes += kept.length
  }
}

function encodeLineEnd(encoding: Encoding): Buffer {
  if (!isUtf16(encoding)) return Buffer.from('\n')
  return encoding.startsWith('utf16be') ? Buffer.from([0, 10]) : Buffer.from([10, 0])
}
