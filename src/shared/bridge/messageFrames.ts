/**
 * Header of a binary message between the browser window and main. Most messages are JSON text, but escaping a text of
 * 50 MB as JSON takes seconds. A message with a long text is therefore a binary frame:
 *
 *   length of the header in bytes (32 bits, little-endian) | header (JSON) | text (UTF-8)
 */
interface Header {
  message: object
  /** Property of the message whose `text` follows the header. */
  holder: (typeof holders)[number]
}

const holders = ['result', 'params'] as const
const lengthBytes = 4
/** Minimum length in UTF-16 units of a text that is sent in a binary frame. */
export const minBinaryTextLength = 256 * 1024

/**
 * Minimum length in UTF-16 units of a text that the window fetches by HTTP, which takes browsers less than half as long
 * as a WebSocket message.
 */
export const minFetchedTextLength = 1024 * 1024

/** A message whose text the window fetches separately. */
export interface FetchedMessage extends Header {
  kind: 'fetch'
  /** The text can be fetched once, below `textPath`. */
  text: string
}

/** Path prefix under which the window fetches texts. */
export const textPath = '/text/'

/** Encodes a message for the WebSocket. @returns a text frame, or the bytes of a binary one */
export function encodeMessage(message: object): string | Uint8Array<ArrayBuffer> {
  const split = detachText(message, minBinaryTextLength)
  return split === null
    ? JSON.stringify(message)
    : frameOf(new TextEncoder().encode(JSON.stringify(split.header)), split.text)
}

/** Detaches the text from a message. Returns null if the text is shorter than `minLength` or UTF-8 cannot encode it. */
export function detachText(message: object, minLength: number): { header: Header; text: string } | null {
  for (const holder of holders) {
    const value: unknown = Reflect.get(message, holder)
    if (typeof value !== 'object' || value === null || !('text' in value)) continue
    const { text, ...rest } = value
    // UTF-8 cannot encode a lone surrogate, but JSON can.
    if (typeof text !== 'string' || text.length < minLength || !text.isWellFormed()) continue
    return { header: { message: { ...message, [holder]: rest }, holder }, text }
  }
  return null
}

/**
 * Restores the detached text of a message.
 * @throws TypeError for a header that `detachText` did not create, or bytes that are not UTF-8
 */
export function attachText(header: unknown, bytes: Uint8Array): object {
  // The type is unchecked: the next line checks the header, and the receiver validates the message.
  const { message, holder } = header as Partial<Header>
  const value: unknown =
    typeof message === 'object' && message !== null && holder !== undefined && holders.includes(holder)
      ? Reflect.get(message, holder)
      : undefined
  if (typeof value !== 'object' || value === null)
    throw new TypeError('The header of a message does not name the field of its text.')
  return { ...message, [String(holder)]: { ...value, text: textDecoder().decode(bytes) } }
}

const textDecoder = () => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Encodes the text directly into its frame, because copying 50 MB takes as long as encoding it. */
function frameOf(header: Uint8Array, text: string): Uint8Array<ArrayBuffer> {
  const start = lengthBytes + header.length
  const encoder = new TextEncoder()
  // Enough for ASCII.
  const frame = new Uint8Array(start + text.length)
  new DataView(frame.buffer).setUint32(0, header.length, true)
  frame.set(header, lengthBytes)
  const { read, written } = encoder.encodeInto(text, frame.subarray(start))
  if (read === text.length) return frame
  const rest = encoder.encode(text.slice(read))
  const longer = new Uint8Array(start + written + rest.length)
  longer.set(frame.subarray(0, start + written))
  longer.set(rest, start + written)
  return longer
}

/** Decodes a frame. @throws SyntaxError, TypeError or RangeError for a frame that `encodeMessage` did not create */
export function decodeMessage(frame: string | Uint8Array): unknown {
  if (typeof frame === 'string') return JSON.parse(frame)
  const start = lengthBytes + new DataView(frame.buffer, frame.byteOffset, frame.byteLength).getUint32(0, true)
  return attachText(JSON.parse(textDecoder().decode(frame.subarray(lengthBytes, start))), frame.subarray(start))
}
