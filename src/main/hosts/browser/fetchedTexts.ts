import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { textPath } from '../../../shared/messageFrames.ts'

/** Long texts of messages, which the window fetches by HTTP. */
export interface FetchedTexts {
  /**
   * Keeps a text until it is fetched.
   * @param onFetched called when the text is fetched
   * @returns a one-time id, which is the right to fetch it, and a function that forgets the text
   */
  keep(text: string, onFetched: () => void): { id: string; forget: () => void }
  /** Answers the request for a text. Returns false for any other request, and for a text that is unknown or was fetched. */
  serve(request: IncomingMessage, response: ServerResponse, path: string): boolean
}

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
      const bytes = Buffer.from(kept.text)
      response
        .writeHead(200, {
          'Content-Type': 'application/octet-stream',
          'Content-Length': bytes.length,
          'Cache-Control': 'no-store',
        })
        .end(bytes)
      return true
    },
  }
}
