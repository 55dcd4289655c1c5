import type { Readable } from 'node:stream'
import type { DataCallback, Message, MessageReader } from 'vscode-jsonrpc/node'
import { formatSize } from '../../shared/text/formatSize.ts'

/** Maximum bytes of a message, and of its header. */
const maxMessageBytes = 64 * 1024 * 1024
const maxHeaderBytes = 4096
/** Maximum bytes of all messages within `windowMs`. */
const maxWindowBytes = 256 * 1024 * 1024
const windowMs = 5000

const headerEnd = Buffer.from('\r\n\r\n')

/**
 * Reads a server's messages. Replaces the reader of vscode-jsonrpc, which has no limits: it buffers a message of any
 * size, and with each chunk searches everything received so far for a header.
 * @param onAbuse called once with the reason if the output is not in the protocol or exceeds a limit
 */
export function createMessageReader(output: Readable, onAbuse: (reason: string) => void): MessageReader {
  let stopped = false
  const stop = (reason: string): void => {
    if (stopped) return
    stopped = true
    onAbuse(reason)
  }
  const event = () => ({ dispose: () => undefined })
  return {
    onError: event,
    onPartialMessage: event,
    onClose(listener) {
      const closed = (): void => listener()
      output.once('close', closed)
      return { dispose: () => output.off('close', closed) }
    },
    listen(callback: DataCallback) {
      const frames = createFrames(stop)
      const read = (chunk: Buffer): void => {
        for (const frame of stopped ? [] : frames(chunk)) {
          const message = parse(frame)
          if (message === null) stop('it sent a message that is not JSON')
          else callback(message)
        }
      }
      output.on('data', read)
      return { dispose: () => output.off('data', read) }
    },
    dispose: () => undefined,
  }
}

/** Splits a stream into message bodies. */
function createFrames(stop: (reason: string) => void): (chunk: Buffer) => Buffer[] {
  let chunks: Buffer[] = []
  let buffered = 0
  /** Length of the body being received; undefined while receiving a header. */
  let expected: number | undefined
  let windowStart = performance.now()
  let windowBytes = 0

  function exceedsWindow(bytes: number): boolean {
    const now = performance.now()
    if (now - windowStart > windowMs) {
      windowStart = now
      windowBytes = 0
    }
    windowBytes += bytes
    return windowBytes > maxWindowBytes
  }

  return (chunk) => {
    if (exceedsWindow(chunk.length)) {
      stop(`it sent more than ${formatSize(maxWindowBytes)} within ${windowMs / 1000} s`)
      return []
    }
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
          if (rest.length >= maxHeaderBytes) stop('it printed text that is not a message of the protocol')
          break
        }
        expected = contentLength(rest.subarray(0, end).toString('latin1'))
        if (expected === undefined) {
          stop('it printed text that is not a message of the protocol')
          break
        }
        if (expected > maxMessageBytes) {
          stop(`it sent a message of ${formatSize(expected)}`)
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

function parse(frame: Buffer): Message | null {
  try {
    const value: unknown = JSON.parse(frame.toString('utf8'))
    // The connection replies to or ignores messages with missing fields.
    return typeof value === 'object' && value !== null ? (value as Message) : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
