import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createOpenAiClient } from '../clients/openAiClient.ts'
import type { ChatRequest } from '../modelClient.ts'

const answer = `data: {"choices":[{"delta":{"content":"Hello"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`

let server: Server | undefined
afterEach(async () => {
  server?.closeAllConnections()
  if (server?.listening) await new Promise((resolve) => server?.close(resolve))
})

/** Starts a server and returns its connections. @param respond answers a request; `nth` counts from 1 */
async function serve(respond: (response: ServerResponse, nth: number, socket: Socket) => void) {
  const connections: Socket[] = []
  let requests = 0
  server = createServer((request, response) => {
    request.resume().once('end', () => respond(response, ++requests, request.socket))
  })
  server.on('connection', (socket) => connections.push(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a port has an address object.
  const { port } = server.address() as AddressInfo
  return { connections, client: createOpenAiClient({ name: 'Test', baseUrl: `http://127.0.0.1:${port}` }) }
}

type Client = Awaited<ReturnType<typeof serve>>['client']

async function ask(client: Client, signal = new AbortController().signal, onText?: () => void): Promise<string> {
  const request: ChatRequest = {
    model: 'm',
    messages: [{ role: 'user', content: 'Hi' }],
    tools: [],
    temperature: 0,
    signal,
  }
  let text = ''
  for await (const event of client.stream(request)) {
    if (event.kind !== 'text') continue
    text += event.text
    onText?.()
  }
  return text
}

it('the requests of a turn use one connection', async () => {
  const { connections, client } = await serve((response) => response.end(answer))
  for (let turn = 0; turn < 3; turn++) {
    expect(await ask(client)).toBe('Hello')
    // The end of the response has been read.
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(connections).toHaveLength(1)
})

it('cancelling an answer closes its connection, and the next request opens another', async () => {
  const { connections, client } = await serve((response, nth) => {
    if (nth === 2) response.write(answer.slice(0, answer.indexOf('\n\n') + 2).replace('"stop"', 'null'))
    else response.end(answer)
  })
  await ask(client)
  const cancel = new AbortController()
  await expect(ask(client, cancel.signal, () => cancel.abort())).rejects.toThrow('cancelled')
  const [first] = connections
  if (first && !first.closed) await once(first, 'close')
  expect(await ask(client)).toBe('Hello')
  expect(connections).toHaveLength(2)
})

it('a request on a connection that the server has closed is sent again on a new one', async () => {
  const { connections, client } = await serve((response, nth, socket) => {
    if (nth === 2) socket.resetAndDestroy()
    else response.end(answer)
  })
  await ask(client)
  await new Promise((resolve) => setImmediate(resolve))
  expect(await ask(client)).toBe('Hello')
  expect(connections).toHaveLength(2)
})

it('closes the connection if the response does not end after the answer', async () => {
  const { connections, client } = await serve((response) => response.write(answer))
  expect(await ask(client)).toBe('Hello')
  const [first] = connections
  if (first && !first.closed) await once(first, 'close')
  expect(first?.closed).toBe(true)
})
