import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that the product sent to the real server, with the answer as far as it has arrived. */
export interface Exchange {
  path: string
  /** The JSON of the request; `{}` without a body. */
  body: Record<string, unknown>
  /** 0: there is no answer yet. */
  status: number
  answer: string
}

export interface RecordingProxy {
  url: string
  exchanges: Exchange[]
  /** The exchanges that ask the model for an answer in a chat. */
  chats(): Exchange[]
  close(): Promise<void>
}

/** Passes everything to a server on this machine and records it. A closed connection is closed on the other side too. */
export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  const exchanges: Exchange[] = []
  const server = createServer((incoming, outgoing) => {
    const parts: Buffer[] = []
    incoming.on('data', (part: Buffer) => parts.push(part))
    incoming.on('end', () => pass(target, exchanges, Buffer.concat(parts), incoming, outgoing))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an address object.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    exchanges,
    chats: () => exchanges.filter(({ path }) => /\/chat(?:\/completions)?$/.test(path)),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

function pass(
  target: string,
  exchanges: Exchange[],
  body: Buffer,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  const text = body.toString('utf8')
  // The product sends JSON objects.
  const sent = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>
  const exchange: Exchange = { path: incoming.url ?? '', body: sent, status: 0, answer: '' }
  exchanges.push(exchange)
  const { host: _host, connection: _connection, ...headers } = incoming.headers
  const passed = request(`${target}${exchange.path}`, { method: incoming.method, headers, agent: false }, (answer) => {
    exchange.status = answer.statusCode ?? 0
    outgoing.writeHead(exchange.status, answer.headers)
    answer.on('data', (part: Buffer) => {
      exchange.answer += part.toString('utf8')
      outgoing.write(part)
    })
    answer.on('end', () => outgoing.end())
    answer.on('error', () => outgoing.destroy())
  })
  passed.on('error', () => outgoing.destroy())
  outgoing.on('close', () => passed.destroy())
  passed.end(body)
}
