import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import type { Core } from '../../core.ts'
import { securityHeadersOf } from '../contentHeaders.ts'
import { loadAssets } from './staticAssets.ts'
import { createFetchedTexts } from './fetchedTexts.ts'
import { acceptBridge, maxMessageBytes, type AttachedPage } from './socketBridge.ts'
import { createRequestAuthentication, type Refusal } from './requestAuthentication.ts'
import { log } from '../../base/log/log.ts'
import { http } from '../../base/nodeHttp.ts'

export interface BrowserHost {
  /** Port on 127.0.0.1. */
  readonly port: number
  /** Creates a URL with a new one-time token. Invalidates an unused previous one. */
  address(): string
  /** Shows another core: pages that connect get it, and the attached one loads again. @param folder root of its folder */
  show(core: Core, folder: string): void
  /** Closes every connection. Resolves when the port is free. */
  close(): Promise<void>
}

export interface BrowserHostOptions {
  core: Core
  /** Folder of the built renderer, `out/renderer`. */
  assets: string
  /** Port to listen on. Default 0: any free port. */
  port?: number
  /** Origin of a reverse proxy, such as `https://tizona.example`. Other origins are then refused. */
  publicOrigin?: string | undefined
  /** Milliseconds that a new connection has to send its hello. Default 5000. */
  helloTimeout?: number
}

/** Maximum number of WebSockets that have not sent their hello. A window needs one and sends its hello at once. */
const maxUnauthenticated = 16

/**
 * Serves the window over HTTP and a WebSocket, on 127.0.0.1 only. requestAuthentication.ts decides who has access.
 * @throws Error if the port is in use (`EADDRINUSE`) or not allowed (`EACCES`), or the window was not built (`ENOENT`)
 */
export async function startBrowserHost({
  core: firstCore,
  assets: folder,
  port = 0,
  publicOrigin,
  helloTimeout = 5000,
}: BrowserHostOptions): Promise<BrowserHost> {
  let core = firstCore
  const authentication = createRequestAuthentication(publicOrigin)
  const assets = await loadAssets(folder)
  const texts = createFetchedTexts()
  const bridge = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes, perMessageDeflate: false })

  const server = http.createServer((request, response) => {
    for (const [name, value] of Object.entries(securityHeadersOf(pathOf(request) ?? '')))
      response.setHeader(name, value)
    route(request, response).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) return void response.destroy()
      log.error(`${request.method} ${request.url}`, error)
      refuse(response, { status: 500, message: 'Tizona could not handle this request.' })
    })
  })

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = authentication.check(request.headers)
    if (refusal !== null) return refuse(response, refusal)
    const path = pathOf(request)
    if (path === '/session') return startSession(request, response)
    // A page of another origin does not know the id, and its request has another origin.
    if (path !== null && authentication.isOwnOrigin(request.headers) && texts.serve(request, response, path)) return
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return refuse(response, { status: 405, message: 'Only GET is supported.', headers: { Allow: 'GET, HEAD' } })
    if (path === null || !(await assets.serve(request, response, path)))
      return refuse(response, { status: 404, message: 'Not found.' })
  }

  async function startSession(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const result = await authentication.exchangeToken(request)
    if ('status' in result) return refuse(response, result)
    response
      .writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' })
      .end(JSON.stringify({ secret: result.secret }))
  }

  /** Connections without a hello, oldest first. */
  const unauthenticated = new Set<WebSocket>()
  const attached: AttachedPage = { id: null, link: null }
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Without a listener, a peer that disconnects during the upgrade would crash the process.
    socket.on('error', () => socket.destroy())
    if (pathOf(request) !== '/bridge' || !authentication.isOwnOrigin(request.headers)) {
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
      return
    }
    bridge.handleUpgrade(request, socket, head, (webSocket) => {
      // Closes the oldest connection. Refusing the new one instead would let silent connections lock the window out.
      const [oldest] = unauthenticated
      if (oldest !== undefined && unauthenticated.size >= maxUnauthenticated) {
        unauthenticated.delete(oldest)
        oldest.terminate()
      }
      unauthenticated.add(webSocket)
      void acceptBridge(webSocket, {
        core: () => core,
        attached,
        stream: socket,
        authentication,
        texts,
        helloTimeout,
      }).then(() => unauthenticated.delete(webSocket))
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
    address: () => `${publicOrigin ?? `http://127.0.0.1:${address.port}`}/#token=${authentication.issueToken()}`,
    show(shown, root) {
      core = shown
      attached.link?.emit('app.moved', { folder: root })
    },
    async close() {
      for (const client of bridge.clients) client.close(1001, 'Tizona was closed.')
      const ended = new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      bridge.close()
      const terminateTimer = setTimeout(() => {
        for (const client of bridge.clients) client.terminate()
        server.closeAllConnections()
      }, 500)
      server.closeIdleConnections()
      await ended
      clearTimeout(terminateTimer)
    },
  }
}

/** Returns the decoded path of a request, or null if its URL is invalid. */
function pathOf(request: IncomingMessage): string | null {
  try {
    // Two slashes at the start are part of the path. Resolved against a base, they would begin a host.
    return decodeURIComponent(new URL(`http://127.0.0.1${request.url ?? '/'}`).pathname)
  } catch {
    return null
  }
}

function refuse(response: ServerResponse, { status, message, headers }: Refusal): void {
  response
    .writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store', ...headers })
    .end(`${message}\n`)
}
