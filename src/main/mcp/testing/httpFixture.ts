import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createFixture } from './fixture.ts'

export interface HttpFixture {
  url: string
  /** `Authorization` header of each request, in order. */
  authorizations: (string | undefined)[]
  /** Drops all sessions, like a restarted server. */
  forget(): void
  close(): Promise<void>
}

/**
 * Runs the fixture over local HTTP. `streamable` and `sse` are the protocol's transports, `json` is Streamable HTTP
 * without event streams, `key` responds with 401 without a key; the others respond incorrectly.
 */
export async function startHttpFixture(
  kind: 'streamable' | 'json' | 'sse' | 'key' | 'redirect' | 'html' | 'flood',
): Promise<HttpFixture> {
  const authorizations: (string | undefined)[] = []
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const answer =
    kind === 'sse'
      ? sse()
      : kind === 'streamable' || kind === 'json' || kind === 'key'
        ? streamable(sessions, kind === 'json')
        : wrong(kind)
  const server = createServer((request, response) => {
    authorizations.push(request.headers.authorization)
    if (kind === 'key' && request.headers.authorization !== 'Bearer s3cret') return void response.writeHead(401).end()
    answer(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server listening on a port has an address of this type.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    authorizations,
    forget: () => sessions.clear(),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>

function streamable(sessions: Map<string, StreamableHTTPServerTransport>, enableJsonResponse: boolean): Answer {
  return async (request, response) => {
    const session = request.headers['mcp-session-id']
    const known = sessions.get(String(session))
    if (known) return known.handleRequest(request, response)
    if (session !== undefined) return void response.writeHead(404).end()
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    })
    await createFixture().connect(transport)
    await transport.handleRequest(request, response)
  }
}

function sse(): Answer {
  let transport: SSEServerTransport | undefined
  return async (request, response) => {
    if (request.method === 'GET') {
      transport = new SSEServerTransport('/messages', response)
      await createFixture().connect(transport)
    } else if (request.url?.startsWith('/messages') && transport) await transport.handlePostMessage(request, response)
    else response.writeHead(405).end()
  }
}

function wrong(kind: 'redirect' | 'html' | 'flood'): Answer {
  return async (_request, response) => {
    if (kind === 'redirect') response.writeHead(307, { location: 'http://127.0.0.1:1/elsewhere' }).end()
    else if (kind === 'html')
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome to the router</h1>')
    else {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const pour = (): void => void (response.writable && response.write('data: '.padEnd(1024 * 1024, 'x'), pour))
      pour()
    }
  }
}
