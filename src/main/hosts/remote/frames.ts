import type { Duplex } from 'node:stream'
import { ToolError } from '../../../shared/errors.ts'
import { decodeMessage, encodeMessage } from '../../../shared/bridge/messageFrames.ts'

/**
 * Frames between a window and the server on a remote machine, over any stream of bytes:
 *
 *   length of what follows (32 bits, little-endian) | kind (8 bits) | number (32 bits) | payload
 *
 * `hello` and `welcome` begin a connection. `text` and `binary` carry a message (messageFrames.ts) with its sequence
 * number. `ack` has the number of the last received message. `ping` is answered by `pong`.
 */
export const frameKinds = ['hello', 'welcome', 'text', 'binary', 'ack', 'ping', 'pong'] as const
type FrameKind = (typeof frameKinds)[number]

export interface Frame {
  kind: FrameKind
  number: number
  payload: Buffer
}

const lengthBytes = 4
const headerBytes = 5
/** Maximum bytes of a frame: enough for a 50 MB file as JSON text. */
const maxFrameBytes = 160 * 1024 * 1024

/** Encodes a frame as the parts that are written to a stream. */
export function frameParts(kind: FrameKind, number: number, payload: Uint8Array = new Uint8Array()): Uint8Array[] {
  const header = Buffer.alloc(lengthBytes + headerBytes)
  header.writeUInt32LE(headerBytes + payload.length, 0)
  header.writeUInt8(frameKinds.indexOf(kind), lengthBytes)
  header.writeUInt32LE(number, lengthBytes + 1)
  return payload.length === 0 ? [header] : [header, payload]
}

/**
 * Encodes a message. Returns the kind of its frame and the payload.
 *
 * @throws ToolError for a message that the other side would refuse
 */
export function encodePayload(message: object): { kind: 'text' | 'binary'; payload: Uint8Array } {
  const encoded = encodeMessage(message)
  const payload = typeof encoded === 'string' ? Buffer.from(encoded) : encoded
  if (payload.length > maxFrameBytes - headerBytes)
    throw new ToolError(
      'too_large',
      `A message of ${Math.round(payload.length / 1_000_000)} MB is too long for the connection to the host.`,
      'Use a smaller file or part.',
    )
  return { kind: typeof encoded === 'string' ? 'text' : 'binary', payload }
}

/** @throws SyntaxError, TypeError or RangeError for a payload that `encodePayload` did not create */
export function decodePayload({ kind, payload }: Frame): unknown {
  return decodeMessage(kind === 'text' ? payload.toString('utf8') : payload)
}

/**
 * Calls `onFrame` with each frame of a stream, in order. Destroys the stream if its bytes are no frames.
 * @param rest bytes that were read before
 */
export function readFrames(stream: Duplex, onFrame: (frame: Frame) => void, rest: Buffer = Buffer.alloc(0)): void {
  let chunks: Buffer[] = []
  let size = 0
  let needed = lengthBytes

  function take(): Buffer {
    const [first] = chunks
    const all = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)
    chunks = []
    size = 0
    return all
  }

  function accept(chunk: Buffer): void {
    chunks.push(chunk)
    size += chunk.length
    if (size < needed) return
    let bytes = take()
    needed = lengthBytes
    while (bytes.length >= lengthBytes) {
      const length = bytes.readUInt32LE(0)
      if (length < headerBytes || length > maxFrameBytes)
        return void stream.destroy(new Error('The connection carries something else than messages of Tizona.'))
      if (bytes.length < lengthBytes + length) {
        needed = lengthBytes + length
        break
      }
      const kind = frameKinds[bytes.readUInt8(lengthBytes)]
      const payload = bytes.subarray(lengthBytes + headerBytes, lengthBytes + length)
      const number = bytes.readUInt32LE(lengthBytes + 1)
      bytes = bytes.subarray(lengthBytes + length)
      if (kind !== undefined && !stream.destroyed) onFrame({ kind, number, payload })
    }
    if (bytes.length > 0) {
      chunks = [bytes]
      size = bytes.length
    }
  }

  stream.on('data', accept)
  if (rest.length > 0) accept(rest)
}
