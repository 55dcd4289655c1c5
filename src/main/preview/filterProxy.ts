import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ToolError, toFailure } from '../../shared/errors.ts'

/**
 * Returns the address to connect to, which the caller has checked. A name is resolved once, so that it cannot resolve to
 * another address afterwards. @throws ToolError if the page may not connect there
 */
export type AllowConnection = (host: string, port: number, signal: AbortSignal) => Promise<string>

/** A proxy on 127.0.0.1 for the browser of the preview. It decides for each connection. */
export interface FilterProxy {
  readonly port: number
  /** Ends the connections to a host and port, which the page may no longer reach. */
  disconnect(target: string): void
  close(): Promise<void>
}

interface FilterProxyDeps {
  allow: AllowConnection
  /** Called for each refused connection. */
  onRefused(target: string, reason: string): void
}

type Client = Duplex | ServerResponse

/** Status of refused requests. */
export const refusedStatus = 403
/** Header of refused requests, which tells them from those that a server refuses. */
export const refusedHeader = 'x-tizona-refused'

/** Maximum bytes of a response, or of a tunnel. */
const maxBytes = 200 * 1024 * 1024
const maxConnections = 256
const connectMs = 10_000

/** Starts the proxy. @throws Error if the system has no free port */
export async function startFilterProxy({ allow, onRefused }: FilterProxyDeps): Promise<FilterProxy> {
  const { open, keep } = createSockets()
  const clients = createClients()

  async function addressFor(host: string, port: number): Promise<string> {
    try {
      return await allow(host, port, AbortSignal.timeout(connectMs))
    } catch (error) {
      const { message } = toFailure(error)
      onRefused(`${host}:${port}`, message)
      throw error
    }
  }

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.parse(request.url ?? '')
    if (url?.protocol !== 'http:') return refuse(response, 'The request has no HTTP address.')
    const host = hostOf(url)
    const port = Number(url.port || 80)
    let address: string
    clients.add(`${host}:${port}`, response)
    try {
      address = await addressFor(host, port)
    } catch (error) {
      return refuse(response, toFailure(error).message)
    }
    if (response.destroyed) return undefined
    const { 'proxy-connection': _connection, 'proxy-authorization': _authorization, ...headers } = request.headers
    const sent = httpRequest({
      host: address,
      port,
      method: request.method,
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, host: url.host },
    })
    sent.once('socket', keep)
    sent.once('response', (answer) => {
      // Only the proxy may name a refusal.
      const { [refusedHeader]: _refused, ...passed } = answer.headers
      response.writeHead(passedStatus(answer), passed)
      limited(answer, () => response.destroy())
      answer.pipe(response)
      answer.once('error', () => response.destroy())
    })
    sent.once('error', (error) => {
      if (response.headersSent) response.destroy()
      else response.writeHead(502, { 'content-type': 'text/plain' }).end(`The server did not answer: ${error.message}`)
    })
    response.once('close', () => sent.destroy())
    request.pipe(sent)
  }

  async function tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const url = URL.parse(`http://${request.url ?? ''}`)
    let address: string
    // `URL` leaves out port 80.
    const port = Number(/:(\d{1,5})$/.exec(request.url ?? '')?.[1] ?? 443)
    try {
      if (url === null) throw new ToolError('invalid_arguments', 'The request has no host.')
      clients.add(`${hostOf(url)}:${port}`, client)
      address = await addressFor(hostOf(url), port)
    } catch {
      client.end(`HTTP/1.1 ${refusedStatus} Forbidden\r\ncontent-length: 0\r\n\r\n`)
      return
    }
    if (client.destroyed) return
    const server: Socket = keep(connect({ host: address, port }))
    server.setTimeout(connectMs, () => server.destroy())
    server.once('connect', () => {
      server.setTimeout(0)
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      if (head.length > 0) server.write(head)
      limited(server, () => client.destroy())
      server.pipe(client)
      client.pipe(server)
    })
    server.once('close', () => client.destroy())
    client.once('close', () => server.destroy())
  }

  const proxy = createServer((request, response) => {
    forward(request, response).catch(() => response.destroy())
  })
  proxy.maxConnections = maxConnections
  proxy.on('connection', keep)
  proxy.on('connect', (request, client, head) => {
    tunnel(request, keep(client), head).catch(() => client.destroy())
  })
  proxy.on('clientError', (_error, socket) => void socket.destroy())
  await new Promise<void>((resolve, reject) => {
    proxy.once('error', reject)
    proxy.listen(0, '127.0.0.1', resolve)
  })
  // A server that listens on TCP has such an address.
  const { port } = proxy.address() as AddressInfo
  return {
    port,
    disconnect: clients.end,
    async close() {
      for (const socket of open) socket.destroy()
      await new Promise<void>((resolve) => proxy.close(() => resolve()))
    },
  }
}

/** Keeps open sockets, to end them with the proxy. */
function createSockets() {
  const open = new Set<Duplex>()
  return {
    open,
    keep<S extends Duplex>(socket: S): S {
      // Connections to servers are used several times.
      if (open.has(socket)) return socket
      open.add(socket)
      socket.once('close', () => open.delete(socket))
      socket.on('error', () => undefined)
      return socket
    },
  }
}

/** Keeps clients of connections that are open or being opened, by host and port. */
function createClients() {
  const targets = new Map<string, Set<Client>>()
  return {
    add(target: string, client: Client): void {
      const known = targets.get(target) ?? new Set()
      targets.set(target, known.add(client))
      client.once('close', () => {
        known.delete(client)
        if (known.size === 0 && targets.get(target) === known) targets.delete(target)
      })
    },
    end(target: string): void {
      for (const client of targets.get(target) ?? []) client.destroy()
    },
  }
}

/** Returns the status to pass on. Others cannot be sent, and 407 would ask for a password of the proxy. */
const passedStatus = ({ statusCode = 0 }: IncomingMessage): number =>
  statusCode >= 200 && statusCode <= 599 && statusCode !== 407 ? statusCode : 502

const hostOf = (url: URL): string => url.hostname.replaceAll(/^\[|\]$/g, '')

function refuse(response: ServerResponse, reason: string): void {
  response.writeHead(refusedStatus, { 'content-type': 'text/plain; charset=utf-8', [refusedHeader]: '1' }).end(reason)
}

/** Ends a stream that sends too much. */
function limited(stream: NodeJS.ReadableStream, end: () => void): void {
  let bytes = 0
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxBytes) end()
  })
}
