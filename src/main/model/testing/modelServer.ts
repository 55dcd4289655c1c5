import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { ModelError, type ChatRequest, type ModelClient, type ModelEvent } from '../modelClient.ts'

/** Starts a server on 127.0.0.1 that closes with the test. `body` is the text of the request. */
export async function serve(
  handle: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<{ url: string; port: number; server: Server }> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => handle(request, response, Buffer.concat(parts).toString('utf8')))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  })
  // A server that listens on a port has an address object.
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, port, server }
}

/** Answers every request with these server-sent events. */
export function serveEvents(...data: (object | string)[]) {
  return serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(data.map((item) => `data: ${typeof item === 'string' ? item : JSON.stringify(item)}\n\n`).join(''))
  })
}

export const delta = (fields: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
})

export function chatRequest(change: Partial<ChatRequest> = {}): ChatRequest {
  return {
    model: 'm',
    messages: [{ role: 'user', content: 'hello' }],
    tools: [],
    temperature: 0.2,
    signal: new AbortController().signal,
    ...change,
  }
}

export async function collect(client: ModelClient, request: ChatRequest = chatRequest()): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const event of client.stream(request)) events.push(event)
  return events
}

/** Returns the text or reasoning of an answer at its end. */
export function textOf(events: ModelEvent[], kind: 'text' | 'reasoning' = 'text'): string {
  const end = events.findLastIndex((event) => event.kind === 'wasReasoning')
  return events
    .map((event, at) => {
      if (event.kind !== 'text' && event.kind !== 'reasoning') return ''
      return (at < end ? 'reasoning' : event.kind) === kind ? event.text : ''
    })
    .join('')
}

export function callsOf(events: ModelEvent[]) {
  return events.flatMap((event) => (event.kind === 'call' ? [event.call] : []))
}

/** Returns the ModelError that a promise rejects with. Anything else fails the test. */
export async function modelError(promise: Promise<unknown>): Promise<ModelError> {
  try {
    await promise
  } catch (error) {
    if (error instanceof ModelError) return error
    throw error
  }
  throw new Error('It did not fail.')
}
