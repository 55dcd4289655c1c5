import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable, type Transform } from 'node:stream'
import { MIMEType } from 'node:util'
import zlib from 'node:zlib'
import sniffEncoding from 'html-encoding-sniffer'
import { ToolError } from '../../shared/errors.ts'

/** Encodings the client offers, with what undoes them. */
const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  deflate: () => zlib.createInflate(),
  br: () => zlib.createBrotliDecompress(),
}
export const acceptedEncodings = 'gzip, br'

export interface BodyText {
  text: string
  /** The media type without parameters, lower case; empty when the server gave none. */
  type: string
  /** More than `maxBytes` came; the rest was not read. */
  truncated: boolean
}

/**
 * An answer's body as text: unpacked, cut at `maxBytes` of unpacked bytes (no more is ever held), and decoded by the
 * charset of the byte order mark, the header or the document, in this order. Closes the answer.
 * Throws `binary_file` for what is not text; Node's own errors for a broken connection.
 */
export async function readText(answer: IncomingMessage, maxBytes: number): Promise<BodyText> {
  try {
    const mime = mimeType(answer.headers['content-type'])
    const type = mime?.essence ?? ''
    if (type !== '' && !isText(type)) throw notTextError(`The server sent ${type}, which is not text.`)
    const { bytes, truncated } = await readBytes(decompress(answer), maxBytes)
    const encoding = sniffEncoding(bytes, {
      // Only HTML names its charset in a meta element.
      xml: type !== '' && type !== 'text/html',
      transportLayerEncodingLabel: mime?.params.get('charset') ?? undefined,
      defaultEncoding: isUtf8(bytes, truncated) ? 'UTF-8' : 'windows-1252',
    })
    if (type === '' && bytes.subarray(0, 1024).includes(0))
      throw notTextError('The server sent binary data without naming its type.')
    // `stream`: a character cut by the size limit is left out rather than shown as broken.
    return { text: decoderOf(encoding).decode(bytes, { stream: truncated }), type, truncated }
  } finally {
    answer.destroy()
  }
}

function decompress(answer: IncomingMessage): Readable {
  const encoding = (answer.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity' || encoding === '') return answer
  const decoder = Object.hasOwn(decoders, encoding) ? decoders[encoding]?.() : undefined
  if (!decoder)
    throw notTextError(`The server packed its answer as "${encoding.slice(0, 100)}", which it was not offered.`)
  // Errors of either stream reach the reader through the decoder.
  return pipeline(answer, decoder, () => undefined)
}

async function readBytes(stream: Readable, maxBytes: number): Promise<{ bytes: Buffer; truncated: boolean }> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    // Both kinds of stream are in byte mode, so their chunks are Buffers.
    const bytes = chunk as Buffer
    chunks.push(bytes.subarray(0, maxBytes - length))
    length += bytes.length
    // Leaving the loop destroys the stream, and with it the connection.
    if (length > maxBytes) return { bytes: Buffer.concat(chunks), truncated: true }
  }
  return { bytes: Buffer.concat(chunks), truncated: false }
}

function mimeType(header: string | undefined): MIMEType | undefined {
  try {
    return header === undefined ? undefined : new MIMEType(header)
  } catch {
    // A malformed type says nothing, just as a missing one; the bytes decide.
    return undefined
  }
}

const textTypes = new Set([
  'json',
  'xml',
  'javascript',
  'ecmascript',
  'x-javascript',
  'typescript',
  'x-ndjson',
  'ndjson',
  'jsonl',
  'yaml',
  'x-yaml',
  'toml',
  'sql',
  'graphql',
  'x-sh',
  'x-httpd-php',
  'x-www-form-urlencoded',
  'x-tex',
  'csv',
])

function isText(type: string): boolean {
  const [kind = '', name = ''] = type.split('/')
  return kind === 'text' || /\+(json|xml|yaml)$/.test(name) || (kind === 'application' && textTypes.has(name))
}

/** The Encoding Standard names two encodings that no decoder is to read (`replacement`, `x-user-defined`). */
function decoderOf(encoding: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(encoding)
  } catch (error) {
    throw new ToolError(
      'invalid_encoding',
      `The answer is in the encoding "${encoding}", which is not read.`,
      'Look for a version of it in UTF-8.',
      { cause: error },
    )
  }
}

function isUtf8(bytes: Buffer, cut: boolean): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cut })
    return true
  } catch {
    return false
  }
}

function notTextError(message: string): ToolError {
  return new ToolError(
    'binary_file',
    message,
    'Only text is fetched. Look for a text or HTML version of it, or ask the user to download the file into the workspace.',
  )
}
