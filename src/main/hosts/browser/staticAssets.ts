import { createReadStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join, relative, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { contentTypeOf } from '../contentTypes.ts'

interface Asset {
  file: string
  type: string
  size: number
  /** Size of the file with Brotli that the build wrote beside it. */
  brotliSize?: number
  /** Compressed bodies by encoding that the build did not write, created by the first request. */
  compressed: Map<string, Promise<Buffer>>
}

/** Files below this size in bytes are not compressed. */
const minCompressedSize = 4096
const compressible = new Set(['.html', '.js', '.css', '.json', '.svg', '.map', '.wasm', '.ttf'])

/** Files of the built window. */
export interface Assets {
  /** Responds to a GET or HEAD request. Returns false without a response if there is no such file. */
  serve(request: IncomingMessage, response: ServerResponse, path: string): Promise<boolean>
}

/**
 * Reads the list of files in a folder. Only listed files are served, so no request can access a file outside the
 * folder.
 * @throws Error if the folder cannot be read
 */
export async function loadAssets(folder: string): Promise<Assets> {
  const assets = new Map<string, Asset>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    const path = `/${relative(folder, file).split(sep).join('/')}`
    assets.set(path, { file, type: contentTypeOf(path), size: (await stat(file)).size, compressed: new Map() })
  }
  for (const [path, { size }] of assets) {
    const original = path.endsWith('.br') ? assets.get(path.slice(0, -'.br'.length)) : undefined
    if (original === undefined) continue
    original.brotliSize = size
    assets.delete(path)
  }

  return {
    async serve(request, response, path) {
      const name = path === '/' ? '/index.html' : path
      const asset = assets.get(name)
      if (asset === undefined) return false
      response.setHeader('Content-Type', asset.type)
      // Names in assets/ contain a hash of the content, so they can be cached forever.
      response.setHeader(
        'Cache-Control',
        name.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      )
      const encoding =
        asset.size >= minCompressedSize && compressible.has(extname(name)) ? acceptedEncoding(request) : null
      if (asset.size >= minCompressedSize) response.setHeader('Vary', 'Accept-Encoding')
      if (encoding === null) {
        response.setHeader('Content-Length', asset.size)
        if (request.method === 'HEAD') response.end()
        else await pipeline(createReadStream(asset.file), response)
        return true
      }
      response.setHeader('Content-Encoding', encoding)
      if (encoding === 'br' && asset.brotliSize !== undefined) {
        response.setHeader('Content-Length', asset.brotliSize)
        if (request.method === 'HEAD') response.end()
        else await pipeline(createReadStream(`${asset.file}.br`), response)
        return true
      }
      const body = await compressed(asset, encoding)
      response.setHeader('Content-Length', body.length)
      response.end(request.method === 'HEAD' ? undefined : body)
      return true
    },
  }
}

function acceptedEncoding(request: IncomingMessage): 'br' | 'gzip' | null {
  const header = request.headers['accept-encoding']
  const accepted = String(header ?? '')
    .split(',')
    .map((part) => part.trim().split(';')[0])
  if (accepted.includes('br')) return 'br'
  return accepted.includes('gzip') ? 'gzip' : null
}

function compressed(asset: Asset, encoding: 'br' | 'gzip'): Promise<Buffer> {
  const known = asset.compressed.get(encoding)
  if (known !== undefined) return known
  const made = compress(asset.file, encoding)
  asset.compressed.set(encoding, made)
  made.catch(() => asset.compressed.delete(encoding))
  return made
}

/** Compresses with fast levels: the browser is usually on this machine. They still save three quarters of the size. */
async function compress(file: string, encoding: 'br' | 'gzip'): Promise<Buffer> {
  const body = await readFile(file)
  return encoding === 'br'
    ? promisify(brotliCompress)(body, {
        params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
      })
    : promisify(gzip)(body, { level: 4 })
}
