import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { CustomScheme } from 'electron'
import { setPort, toApplication } from './addresses.ts'
import { guarded } from './guarded.ts'
import { isReady, needsReady } from './host.ts'

type Handler = (request: Request) => Response | Promise<Response>

const schemes = new Map<string, NonNullable<CustomScheme['privileges']>>()
const handlers = new Map<string, Handler>()
let registered = false

/** Returns the reason why a page with this scheme cannot be loaded, or null. */
export function schemeProblem(url: string): string | null {
  const scheme = new URL(url).protocol.slice(0, -1)
  if (['http', 'https', 'about', 'data', 'file', 'blob', 'devtools'].includes(scheme)) return null
  if (!handlers.has(scheme)) return 'ERR_UNKNOWN_URL_SCHEME (-302)'
  const { standard = false, secure = false } = schemes.get(scheme) ?? {}
  // The harness serves all schemes as standard and secure. In Electron, an application must register a scheme as such.
  return standard && secure ? null : 'ERR_FAILED (-2), because the scheme is not registered as standard and secure'
}

/** Starts the server that answers requests with the application's handlers. Called before the application is ready. */
export async function startProtocolServer(): Promise<void> {
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      console.error('A protocol handler failed:', error)
      response.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // The address of a server that listens on a port is an object.
  setPort((server.address() as AddressInfo).port)
  // The server must not keep the process alive.
  server.unref()
}

async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const { host = '' } = incoming.headers
  const url = toApplication(`http://${host}${incoming.url ?? '/'}`)
  const handler = handlers.get(new URL(url).protocol.slice(0, -1))
  if (handler === undefined) {
    response.writeHead(404).end()
    return
  }
  const method = incoming.method ?? 'GET'
  const headers = new Headers(
    Object.entries(incoming.headers).flatMap(([name, value]) =>
      typeof value === 'string' && name !== 'host' ? [[name, value] as [string, string]] : [],
    ),
  )
  const init: RequestInit & { duplex?: 'half' } = { method, headers }
  if (method !== 'GET' && method !== 'HEAD') Object.assign(init, { body: Readable.toWeb(incoming), duplex: 'half' })
  const result = await handler(new Request(url, init))
  response.writeHead(result.status, Object.fromEntries(result.headers))
  response.end(Buffer.from(await result.arrayBuffer()))
}

export const protocol = guarded('protocol', {
  registerSchemesAsPrivileged(list: CustomScheme[]): void {
    if (isReady()) throw new Error('protocol.registerSchemesAsPrivileged should be called before app is ready')
    if (registered) throw new Error('protocol.registerSchemesAsPrivileged can be called once only.')
    registered = true
    for (const { scheme, privileges = {} } of list) schemes.set(scheme, privileges)
  },
  handle(scheme: string, handler: Handler): void {
    needsReady('Session can only be received when app is ready')
    if (handlers.has(scheme)) throw new Error(`Failed to register protocol: ${scheme}`)
    handlers.set(scheme, handler)
  },
  unhandle(scheme: string): void {
    if (!handlers.delete(scheme)) throw new Error(`Failed to unhandle protocol: ${scheme}`)
  },
  isProtocolHandled: (scheme: string): boolean => handlers.has(scheme),
})
