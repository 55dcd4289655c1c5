import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { textPath } from '../../../shared/bridge/messageFrames.ts'

/** Long texts of messages, which the window fetches over HTTP. */
export interface FetchedTexts {
  /**
   * Stores a text until it is fetched.
   * @param text well-formed
   * @param onFetched called when the text is fetched
   * @returns a one-time id that authorizes fetching it, and a function that discards the text
   */
  keep(text: string, onFetched: () => void): { id: string; forget: () => void }
  /**
   * Responds to the request for a text. Returns false for any other request, and if the text is unknown or already
   * fetched.
   */
  serve(request: IncomingMessage, response: ServerResponse, path: string): boolean
}

/** Number of bytes encoded and written at a time. */
const pieceBytes = 1024 * 1024

export function createFetchedTexts(): FetchedTexts {
  const texts = new Map<string, { text: string; onFetched: () => void }>()
  return {
    keep(text, onFetched) {
      const id = randomBytes(32).toString('base64url')
      texts.set(id, { text, onFetched })
      return { id, forget: () => void texts.delete(id) }
    },
    serve(request, response, path) {
      if (request.method !== 'POST' || !path.startsWith(textPath)) return false
      const id = path.slice(textPath.length)
      const kept = texts.get(id)
      if (kept === undefined) return false
      texts.delete(id)
      kept.onFetched()
      response.writeHead(200, {
        'Content-Type': 'application/octet-stream',
        'Content-Length': Buffer.byteLength(kept.text),
        'Cache-Control': 'no-store',
      })
      // Only fails if the window closes the connection.
      writePieces(response, kept.text).catch(() => response.destroy())
      return true
    },
  }
}

/**
 * Writes a text and ends the response. Only one piece is in memory at a time, so a 50 MB text is not copied as a whole.
 */
async function writePieces(response: ServerResponse, text: string): Promise<void> {
  const encoder = new TextEncoder()
  const piece = new Uint8Array(pieceBytes)
  for (let at = 0; at < text.length;) {
    const end = Math.min(text.length, at + pieceBytes)
    const next = text.slice(at, end < text.length && isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end)
    const { read, written } = encoder.encodeInto(next, piece)
    at += read
    await write(response, piece.subarray(0, written))
  }
  response.end()
}

/** Resolves when the system has the bytes, so that their memory can be reused. */
function write(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const closed = (): void => reject(new Error('The connection was closed.'))
    response.once('close', closed)
    response.write(bytes, (error) => {
      response.off('close', closed)
      if (error) reject(error)
      else resolve()
    })
  })
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
