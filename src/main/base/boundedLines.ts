/** A line that exceeded the limit, with its middle dropped. */
export interface OversizedLine {
  head: Buffer
  tail: Buffer
  /** Length of the whole line in bytes. */
  length: number
}

export interface BoundedLines {
  /** @returns the lines completed by this chunk, in order and without line endings */
  push(chunk: Uint8Array): (Buffer | OversizedLine)[]
  /** Number of bytes in the unfinished line. */
  pending(): number
}

/** Bytes kept at each end of an oversized line. */
const endBytes = 1024

/**
 * Splits a byte stream into lines with bounded memory. Keeps only the start and the end of a line longer than
 * `maxBytes`.
 */
export function createBoundedLines(maxBytes: number): BoundedLines {
  let parts: Buffer[] = []
  let length = 0
  let oversized: { head: Buffer; tail: Buffer } | undefined

  function take(piece: Buffer): void {
    if (oversized === undefined && length + piece.length <= maxBytes) {
      parts.push(piece)
    } else {
      const head: Buffer =
        oversized?.head ?? copy(Buffer.concat([...parts, piece.subarray(0, endBytes)]).subarray(0, endBytes))
      const before: Buffer = oversized?.tail ?? Buffer.concat(parts).subarray(-endBytes)
      oversized = { head, tail: copy(Buffer.concat([before, piece.subarray(-endBytes)]).subarray(-endBytes)) }
      parts = []
    }
    length += piece.length
  }

  function finish(): Buffer | OversizedLine {
    const line = oversized === undefined ? Buffer.concat(parts, length) : { ...oversized, length }
    oversized = undefined
    parts = []
    length = 0
    return line
  }

  return {
    push(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      const lines: (Buffer | OversizedLine)[] = []
      let start = 0
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
        take(bytes.subarray(start, end))
        start = end + 1
        lines.push(finish())
      }
      if (start < bytes.length) take(bytes.subarray(start))
      return lines
    },
    pending: () => length,
  }
}

/** Copies bytes, because a view would keep the whole underlying buffer in memory. */
function copy(bytes: Buffer): Buffer {
  return Buffer.from(bytes)
}
