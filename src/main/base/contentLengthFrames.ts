import { formatSize } from '../../shared/text/formatSize.ts'

/** Maximum bytes of a message, and of its header. */
const maxMessageBytes = 64 * 1024 * 1024
const maxHeaderBytes = 4096

const headerEnd = Buffer.from('\r\n\r\n')

/**
 * Splits a stream into the bodies of messages with `Content-Length` headers, the framing of the Language Server Protocol
 * and the Debug Adapter Protocol.
 * @param stop called with the reason, a sentence about the program as "It", if the stream is not in the protocol or a
 * message is too large
 */
export function createContentLengthFrames(stop: (reason: string) => void): (chunk: Buffer) => Buffer[] {
  let chunks: Buffer[] = []
  let buffered = 0
  /** Length of the body being received; undefined while receiving a header. */
  let expected: number | undefined

  return (chunk) => {
    chunks.push(chunk)
    buffered += chunk.length
    // Chunks are only joined once a whole body has arrived, so that a large one is copied once.
    if (expected !== undefined && buffered < expected) return []
    let rest = Buffer.concat(chunks)
    const frames: Buffer[] = []
    for (;;) {
      if (expected === undefined) {
        const end = rest.subarray(0, maxHeaderBytes).indexOf(headerEnd)
        if (end < 0) {
          if (rest.length >= maxHeaderBytes) stop('It printed text that is not a protocol message.')
          break
        }
        expected = contentLength(rest.subarray(0, end).toString('latin1'))
        if (expected === undefined) {
          stop('It printed text that is not a protocol message.')
          break
        }
        if (expected > maxMessageBytes) {
          stop(`It sent a message of ${formatSize(expected)}, which is too large.`)
          break
        }
        rest = rest.subarray(end + headerEnd.length)
      }
      if (rest.length < expected) break
      frames.push(rest.subarray(0, expected))
      rest = rest.subarray(expected)
      expected = undefined
    }
    chunks = rest.length === 0 ? [] : [rest]
    buffered = rest.length
    return frames
  }
}

function contentLength(header: string): number | undefined {
  for (const line of header.split('\r\n')) {
    const colon = line.indexOf(':')
    if (line.slice(0, colon).trim().toLowerCase() !== 'content-length') continue
    const value = line.slice(colon + 1).trim()
    return /^\d{1,12}$/.test(value) ? Number(value) : undefined
  }
  return undefined
}

/** Parses a message body. Null if it is not a JSON object. */
export function parseMessage(frame: Buffer): object | null {
  try {
    const value: unknown = JSON.parse(frame.toString('utf8'))
    return typeof value === 'object' && value !== null ? value : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/**
 * Returns a function that adds bytes, and returns the sum of the current window.
 * @param length of a window, in milliseconds
 */
export function createByteWindow(length: number): (bytes: number) => number {
  let start = performance.now()
  let sum = 0
  return (bytes) => {
    const now = performance.now()
    if (now - start > length) {
      start = now
      sum = 0
    }
    sum += bytes
    return sum
  }
}
