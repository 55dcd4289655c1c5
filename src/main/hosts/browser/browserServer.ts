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
  /** A fresh address with a new one-time token; one that was not used yet is void from now on. */
  address(): string
  /** Ends every connection and resolves once the port is free. */
  close(): Promise<void>
}

export interface BrowserHostOptions {
  core: Core
  /** The built window, `out/renderer`. */
  assets: string
  /** 0 or absent: any free port. */
  port?: number
  /** Milliseconds in which a new connection must have said hello. Default 5000. */
  helloTimeout?: number
}

const maxSessionBody = 4096
/** Connections that have not said hello yet, at once. A window needs one. */
const maxStrangers = 16

/**
 * The window over HTTP and a WebSocket, on 127.0.0.1 only. Whoever reads the printed address gets in, once; nobody else:
 * no cookie exists that another port could receive, and Host and Origin are checked on every request.
 * @throws when the port is taken (`EADDRINUSE`), not allowed (`EACCES`), or the window was not built.
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
      plain(response, 500, 'Tizona could not answer this request.')
    })
  })

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isLoopbackHost(request.headers.host) || isForeignOrigin(request.headers))
      return plain(response, 403, 'This address is for this machine only.')
    const path = pathOf(request)
    if (path === '/session') return exchange(request, response)
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return plain(response, 405, 'Only GET is answered here.', { Allow: 'GET, HEAD' })
    if (path === null || !(await assets.serve(request, response, path)))
      return plain(response, 404, 'There is nothing here.')
  }

  async function exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') return plain(response, 405, 'A token is sent by POST.', { Allow: 'POST' })
    // A browser cannot send this type to another origin without asking first, and is told no.
    if (!isOwnOrigin(request.headers) || !/^application\/json\b/.test(request.headers['content-type'] ?? ''))
      return plain(response, 403, 'Only the window itself may do this.')
    const body = await readBody(request, maxSessionBody)
    if (body === null) return plain(response, 413, 'Too long.')
    const token = tokenFrom(body)
    const secret = token === null ? null : sessions.exchange(token)
    if (secret === null)
      return plain(
        response,
        401,
        'This address was used already or is not valid. Press Enter in the terminal that runs Tizona for a new one.',
      )
    response
      .writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' })
      .end(JSON.stringify({ secret }))
  }

  let strangers = 0
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // The peer may vanish at any time; that is no failure of ours.
    socket.on('error', () => socket.destroy())
    if (pathOf(request) !== '/bridge' || !isOwnOrigin(request.headers)) {
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
      return
    }
    if (strangers >= maxStrangers) {
      socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
      return
    }
    bridge.handleUpgrade(request, socket, head, (webSocket) => {
      strangers++
      void acceptBridge(webSocket, { core, stream: socket, sessions, helloTimeout }).then(() => {
        strangers--
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
  if (address === null || typeof address === 'string') throw new Error('The server listens on no port.')

  return {
    port: address.port,
    address: () => `http://127.0.0.1:${address.port}/#token=${sessions.issueToken()}`,
    async close() {
      for (const client of bridge.clients) client.close(1001, 'Tizona was closed.')
      const ended = new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      bridge.close()
      // A window that does not say goodbye within a moment is cut off.
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

/** The decoded path of a request, or null when it cannot be read as one. */
function pathOf(request: IncomingMessage): string | null {
  try {
    return decodeURIComponent(new URL(request.url ?? '/', 'http://127.0.0.1').pathname)
  } catch {
    // Not a URL: answered as not found.
    return null
  }
}

function plain(response: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  response
    .writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store', ...headers })
    .end(`${text}\n`)
}

/** The whole body, or null when it is longer than `limit` bytes. */
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
    // Whatever is not such an object holds no token.
    return null
  }
}
