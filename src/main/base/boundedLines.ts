/** The ends of a line that was longer than the limit; its middle is gone. */
export interface OversizedLine {
  head: Buffer
  tail: Buffer
  /** Bytes of the whole line. */
  length: number
}

export interface BoundedLines {
  /** @returns the lines that end in this piece, without their line ends, in order */
  push(chunk: Uint8Array): (Buffer | OversizedLine)[]
  /** Bytes of the line that has not ended yet. */
  pending(): number
}

/** Bytes kept of both ends of a longer line. */
const endBytes = 1024

/**
 * Cuts a stream of bytes into lines. Of a line longer than `maxBytes` only both ends are kept, so memory stays bounded however long it
 * is, and the lines behind it are read as usual.
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

/** A view of a large buffer would keep all of it. */
function copy(bytes: Buffer): Buffer {
  return Buffer.from(bytes)
}
