import type { IncomingHttpHeaders } from 'node:http'
import type { Transform } from 'node:stream'

/** Loaded with the first compressed response. */
const zlib = () => process.getBuiltinModule('node:zlib')

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => zlib().createGunzip(),
  'x-gzip': () => zlib().createGunzip(),
  deflate: () => zlib().createInflate(),
  br: () => zlib().createBrotliDecompress(),
  zstd: () => zlib().createZstdDecompress(),
}

/** Returns the content encoding of a response in lower case; '' for none. */
export function contentEncoding(headers: IncomingHttpHeaders): string {
  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase()
  return encoding === 'identity' ? '' : encoding
}

/** Creates a decoder for a content encoding; undefined if it is unknown or a list. */
export function createContentDecoder(encoding: string): Transform | undefined {
  // Node has zstd since 22.15.
  if (encoding === 'zstd' && !('createZstdDecompress' in zlib())) return undefined
  return Object.hasOwn(decoders, encoding) ? decoders[encoding]?.() : undefined
}
