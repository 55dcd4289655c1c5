import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A local web server with one page. */
export interface Site {
  origin: string
  /** Requested paths, in order. */
  requestedPaths: readonly string[]
  close(): Promise<void>
}

/** Starts a server on 127.0.0.1 that answers every request with `html`. */
export async function startSite(html: string): Promise<Site> {
  const requestedPaths: string[] = []
  const server = createServer((request, response) => {
    requestedPaths.push(request.url ?? '')
    response.writeHead(200, { 'content-type': 'text/html' }).end(html)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // The address of a server that listens on a port is an object.
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    requestedPaths,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}
