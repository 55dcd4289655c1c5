import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { z } from 'zod'
import type { Core } from '../../core.ts'
import { securityHeaders } from '../contentSecurity.ts'
import { loadAssets } from './staticAssets.ts'
import { acceptBridge, maxMessageBytes } from './socketBridge.ts'
import { isForeignOrigin, isLoopbackHost, isOwnOrigin } from './originCheck.ts'
import { createSessions } from './sessionTokens.ts'
import { log } from '../../base/log/log.ts'

export interface BrowserHost {
  /** The port it listens on, always on 127.0.0.1. */
  readonly port: number
  /** Creates an address with a new one-time token. An unused previous one becomes invalid. */
  address(): string
  /** Closes every connection; resolves when the port is free. */
  close(): Promise<void>
}

export interface BrowserHostOptions {
  core: Core
  /** The built window, `out/renderer`. */
  assets: string
  /** 0 or absent: any free port. */
  port?: number
  /** Time limit for the hello of a new connection, in milliseconds. Default 5000. */
  helloTimeout?: number
}

const maxSessionBody = 4096
/** Maximum number of connections without a hello. A window needs one. */
const maxUnauthenticated = 16

/**
 * Serves the window over HTTP and a WebSocket, on 127.0.0.1 only. Access needs the printed address, which works once. There are
 * no cookies, which another port could receive, and Host and Origin are checked on every request.
 * @throws Error if the port is in use (`EADDRINUSE`) or not allowed (`EACCES`), or the window was not built (`ENOENT`)
 */
export async function startBrowserHost({
  core,
  assets: folder,
  port = 0,
  helloTimeout = 5000,
}: BrowserHostOptions): Promise<BrowserHost> {
  const sessions = createSessions()
  const assets = await loadAssets(folder)
  const bridge = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes, perMessageDeflate: false })

  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value)
    route(request, response).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) return void response.destroy()
      log.error(`${request.method} ${request.url}`, error)
      plain(response, 500, 'Tizona could not handle this request.')
    })
  })

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isLoopbackHost(request.headers.host) || isForeignOrigin(request.headers))
      return plain(response, 403, 'This address can be opened on this machine only.')
    const path = pathOf(request)
    if (path === '/session') return exchange(request, response)
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return plain(response, 405, 'Only GET is supported.', { Allow: 'GET, HEAD' })
    if (path === null || !(await assets.serve(request, response, path))) return plain(response, 404, 'Not found.')
  }

  async function exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') return plain(response, 405, 'Send the token by POST.', { Allow: 'POST' })
    // Browsers send this content type to another origin only after a preflight request, which is refused.
    if (!isOwnOrigin(request.headers) || !/^application\/json\b/.test(request.headers['content-type'] ?? ''))
      return plain(response, 403, 'Only the window itself can use this address.')
    const body = await readBody(request, maxSessionBody)
    if (body === null) return plain(response, 413, 'The request is too long.')
    const token = tokenFrom(body)
    const secret = token === null ? null : sessions.exchange(token)
    if (secret === null)
      return plain(
        response,
        401,
        'This address was already used or is invalid. Press Enter in the terminal that runs Tizona to get a new one.',
      )
    response
      .writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' })
      .end(JSON.stringify({ secret }))
  }

  let unauthenticated = 0
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // The peer may disconnect at any time.
    socket.on('error', () => socket.destroy())
    if (pathOf(request) !== '/bridge' || !isOwnOrigin(request.headers)) {
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
      return
    }
    if (unauthenticated >= maxUnauthenticated) {
      socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
      return
    }
    bridge.handleUpgrade(request, socket, head, (webSocket) => {
      unauthenticated++
      void acceptBridge(webSocket, { core, stream: socket, sessions, helloTimeout }).then(() => {
        unauthenticated--
      })
    })
  })

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      resolve()
    })
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')

  return {
    port: address.port,
    address: () => `http://127.0.0.1:${address.port}/#token=${sessions.issueToken()}`,
    async close() {
      for (const client of bridge.clients) client.close(1001, 'Tizona was closed.')
      const ended = new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      bridge.close()
      // Connections that do not close in time are terminated.
      const cut = setTimeout(() => {
        for (const client of bridge.clients) client.terminate()
        server.closeAllConnections()
      }, 500)
      server.closeIdleConnections()
      await ended
      clearTimeout(cut)
    },
  }
}

/** Returns the decoded path of a request, or null if its URL is invalid. */
function pathOf(request: IncomingMessage): string | null {
  try {
    return decodeURIComponent(new URL(request.url ?? '/', 'http://127.0.0.1').pathname)
  } catch {
    return null
  }
}

function plain(response: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  response
    .writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store', ...headers })
    .end(`${text}\n`)
}

/** Reads the body. Returns null if it is longer than `limit` bytes. */
async function readBody(request: IncomingMessage, limit: number): Promise<string | null> {
  const chunks: Buffer[] = []
  let size = 0
  // An IncomingMessage without an encoding yields buffers.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limit) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const sessionBody = z.object({ token: z.string() })

function tokenFrom(body: string): string | null {
  try {
    return sessionBody.parse(JSON.parse(body)).token
  } catch {
    // Not such an object.
    return null
  }
}
