import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import { MIMEType } from 'node:util'
import { ToolError } from '../../shared/errors.ts'
import { contentEncoding, createContentDecoder } from '../base/contentEncoding.ts'

/** Value of the Accept-Encoding header. */
export const acceptedEncodings = 'gzip, br'

/** A response body as text. */
export interface BodyText {
  text: string
  /** Media type without parameters, in lower case; empty if the server sent none. */
  type: string
  /** The body is longer than `maxBytes`; the rest was not read. */
  truncated: boolean
}

/**
 * Reads a response body as text: decompresses it, truncates it at `maxBytes` (the maximum ever held in memory), and
 * decodes it by the charset of the byte order mark, the header or the document, in this order. Closes the response.
 * @throws ToolError binary_file if it is not text; Node errors for a broken connection
 */
export async function readText(answer: IncomingMessage, maxBytes: number): Promise<BodyText> {
  try {
    const mime = mimeType(answer.headers['content-type'])
    const type = mime?.essence ?? ''
    if (type !== '' && !isText(type)) throw notTextError(`The server sent ${type}, which is not text.`)
    const { bytes, truncated } = await readBytes(decompress(answer), maxBytes)
    // Loaded on demand, because its tables of encodings would delay each start.
    const { default: sniffEncoding } = await import('html-encoding-sniffer')
    const encoding = sniffEncoding(bytes, {
      // Only HTML declares its charset in a meta element.
      xml: type !== '' && type !== 'text/html',
      transportLayerEncodingLabel: mime?.params.get('charset') ?? undefined,
      defaultEncoding: isUtf8(bytes, truncated) ? 'UTF-8' : 'windows-1252',
    })
    if (type === '' && bytes.subarray(0, 1024).includes(0))
      throw notTextError('The server sent binary data without a media type.')
    // `stream` omits a character truncated by the size limit.
    return { text: decoderOf(encoding).decode(bytes, { stream: truncated }), type, truncated }
  } finally {
    answer.destroy()
  }
}

/** Returns the decompressed body. @throws ToolError binary_file for an unknown compression */
export function decompress(answer: IncomingMessage): Readable {
  const encoding = contentEncoding(answer.headers)
  if (encoding === '') return answer
  const decoder = createContentDecoder(encoding)
  if (!decoder)
    throw notTextError(`The server compressed its response with "${encoding.slice(0, 100)}", which was not requested.`)
  // Errors of both streams reach the reader through the decoder.
  return pipeline(answer, decoder, () => undefined)
}

/** Reads at most `maxBytes`, the maximum ever held in memory. */
export async function readBytes(stream: Readable, maxBytes: number): Promise<{ bytes: Buffer; truncated: boolean }> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    // Both streams are in byte mode, so chunks are Buffers.
    const bytes = chunk as Buffer
    chunks.push(bytes.subarray(0, maxBytes - length))
    length += bytes.length
    // Leaving the loop destroys the stream and its connection.
    if (length > maxBytes) return { bytes: Buffer.concat(chunks), truncated: true }
  }
  return { bytes: Buffer.concat(chunks), truncated: false }
}

function mimeType(header: string | undefined): MIMEType | undefined {
  try {
    return header === undefined ? undefined : new MIMEType(header)
  } catch {
    // A malformed type counts as missing; the type is then detected from the bytes.
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

/** Creates a decoder. The Encoding Standard has two labels without a decoder (`replacement`, `x-user-defined`). */
function decoderOf(encoding: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(encoding)
  } catch (error) {
    throw new ToolError(
      'invalid_encoding',
      `The response has the unsupported encoding "${encoding}".`,
      'Look for a UTF-8 version.',
      { cause: error },
    )
  }
}

function isUtf8(bytes: Buffer, truncated: boolean): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: truncated })
    return true
  } catch {
    return false
  }
}

function notTextError(message: string): ToolError {
  return new ToolError(
    'binary_file',
    message,
    'Only text can be fetched. Look for a text or HTML version, or ask the user to download the file into the workspace.',
  )
}
