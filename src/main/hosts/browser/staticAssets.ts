import { readdir, readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { contentTypeOf } from '../contentHeaders.ts'

interface Asset {
  file: string
  type: string
  /** Whether the build wrote a Brotli version next to the file. */
  hasBrotli: boolean
  /** Bodies by encoding that the build did not provide, compressed on first request. */
  compressed: Map<string, Promise<Buffer>>
}

/** Smaller files, in bytes, are not compressed. */
const minCompressedSize = 4096
const compressible = new Set(['.html', '.js', '.css', '.json', '.svg', '.map', '.wasm', '.ttf'])

/** Files of the built window. */
export interface Assets {
  /** Responds to a GET or HEAD request. Returns false without a response if there is no such file. */
  serve(request: IncomingMessage, response: ServerResponse, path: string): Promise<boolean>
}

/**
 * Lists the files in a folder. Only listed files are served, so no request can access a file outside the folder.
 * @throws Error if the folder cannot be read
 */
export async function loadAssets(folder: string): Promise<Assets> {
  const assets = new Map<string, Asset>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    const path = `/${relative(folder, file).split(sep).join('/')}`
    assets.set(path, { file, type: contentTypeOf(path), hasBrotli: false, compressed: new Map() })
  }
  for (const path of assets.keys()) {
    const original = path.endsWith('.br') ? assets.get(path.slice(0, -'.br'.length)) : undefined
    if (original === undefined) continue
    original.hasBrotli = true
    assets.delete(path)
  }

  return {
    async serve(request, response, path) {
      const name = path === '/' ? '/index.html' : path
      const asset = assets.get(name)
      if (asset === undefined) return false
      const { body, encoding, varies } = await bodyOf(asset, acceptedEncoding(request))
      response.setHeader('Content-Type', asset.type)
      // Names in assets/ contain a hash of the content, so they can be cached forever.
      response.setHeader(
        'Cache-Control',
        name.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      )
      if (varies) response.setHeader('Vary', 'Accept-Encoding')
      if (encoding !== null) response.setHeader('Content-Encoding', encoding)
      response.setHeader('Content-Length', body.length)
      response.end(request.method === 'HEAD' ? undefined : body)
      return true
    },
  }
}

interface Body {
  body: Buffer
  encoding: 'br' | 'gzip' | null
  /** Whether other clients receive the file in another encoding. */
  varies: boolean
}

/** Reads a whole file, because streaming a small file takes longer. */
async function bodyOf(asset: Asset, encoding: Body['encoding']): Promise<Body> {
  if (encoding === 'br' && asset.hasBrotli) return { body: await readFile(`${asset.file}.br`), encoding, varies: true }
  const body = await readFile(asset.file)
  const varies = body.length >= minCompressedSize && compressible.has(extname(asset.file))
  if (encoding === null || !varies) return { body, encoding: null, varies }
  return { body: await compressed(asset, encoding, body), encoding, varies }
}

function acceptedEncoding(request: IncomingMessage): 'br' | 'gzip' | null {
  const header = request.headers['accept-encoding']
  const accepted = String(header ?? '')
    .split(',')
    .map((part) => part.trim().split(';')[0])
  if (accepted.includes('br')) return 'br'
  return accepted.includes('gzip') ? 'gzip' : null
}

function compressed(asset: Asset, encoding: 'br' | 'gzip', body: Buffer): Promise<Buffer> {
  const known = asset.compressed.get(encoding)
  if (known !== undefined) return known
  const made = compress(body, encoding)
  asset.compressed.set(encoding, made)
  made.catch(() => asset.compressed.delete(encoding))
  return made
}

/**
 * Uses fast compression levels, because the browser is usually on this machine. They still save three quarters of the
 * size.
 */
function compress(body: Buffer, encoding: 'br' | 'gzip'): Promise<Buffer> {
  return encoding === 'br'
    ? promisify(brotliCompress)(body, {
        params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
      })
    : promisify(gzip)(body, { level: 4 })
}
