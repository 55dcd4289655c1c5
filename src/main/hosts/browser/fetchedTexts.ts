import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { textPath } from '../../../shared/bridge/messageFrames.ts'

/** Long texts of messages, which the window fetches by HTTP. */
export interface FetchedTexts {
  /**
   * Keeps a text until it is fetched.
   * @param text well-formed
   * @param onFetched called when the text is fetched
   * @returns a one-time id, which is the right to fetch it, and a function that forgets the text
   */
  keep(text: string, onFetched: () => void): { id: string; forget: () => void }
  /** Answers the request for a text. Returns false for any other request, and for a text that is unknown or was fetched. */
  serve(request: IncomingMessage, response: ServerResponse, path: string): boolean
}

/** Bytes that are encoded and written at once. */
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
      // Fails only if the window closes the connection.
      writePieces(response, kept.text).catch(() => response.destroy())
      return true
    },
  }
}

/** Writes a text and ends the response. One piece is in memory at a time: a text of 50 MB is not copied as a whole. */
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

/** Resolves when the bytes are with the system, so that their memory can be used again. */
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
