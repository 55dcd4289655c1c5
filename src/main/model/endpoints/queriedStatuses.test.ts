import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { chatRequest, collect, delta, serve } from '../testing/modelServer.ts'
import { endpointsWith } from '../testing/testEndpoints.ts'

const choice = { endpointId: 'e', model: 'm' }

/** A llama-server with two slots. @param hold keeps its lists waiting */
async function llamaServer(hold = false) {
  const asked: string[] = []
  const bodies: Record<string, unknown>[] = []
  const waiting: ServerResponse[] = []
  const { url } = await serve(({ url: path = '' }, response, body) => {
    if (path === '/v1/chat/completions') {
      // The client sends objects.
      bodies.push(JSON.parse(body) as Record<string, unknown>)
      return response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(`data: ${JSON.stringify(delta({ content: 'Hi' }, 'stop'))}\n\ndata: [DONE]\n\n`)
    }
    asked.push(path)
    if (hold) return waiting.push(response)
    if (path === '/v1/models') return response.end('{"data":[{"id":"m","owned_by":"llamacpp"}]}')
    if (path === '/props') return response.end('{"total_slots":2,"default_generation_settings":{"n_ctx":32768}}')
    return response.writeHead(404).end('{}')
  })
  return { url, asked, bodies, waiting }
}

/** Sends a request as a turn does. */
async function turn({ endpoints }: Awaited<ReturnType<typeof endpointsWith>>) {
  const { client } = await endpoints.model(choice)
  return collect(client, chatRequest({ conversation: 'c' }))
}

test.each([
  ['known from its list', {}],
  ['set by the user', { contextWindow: 16_384 }],
  ['set for the model', { models: { m: { contextWindow: 16_384 } } }],
])('a server that no host lists is recognized, with a context size that is %s', async (_, sizes) => {
  const { url, asked, bodies } = await llamaServer()
  const session = await endpointsWith({ kind: 'openai', baseUrl: url, ...sizes })
  await session.endpoints.prepare(choice)
  for (let round = 0; round < 3; round += 1) await turn(session)
  expect(bodies.map((body) => body['return_progress'])).toEqual(Array(3).fill(true))
  expect(asked.filter((path) => path === '/v1/models')).toHaveLength(1)
})

test('the first request does not wait for a server whose context size is set, and its turn keeps its form', async () => {
  const { url, asked, bodies, waiting } = await llamaServer(true)
  const session = await endpointsWith({ kind: 'openai', baseUrl: url, contextWindow: 16_384 })
  const { client, cache, contextWindow } = await session.endpoints.model(choice)
  expect([cache, contextWindow]).toEqual([undefined, 16_384])
  await collect(client)
  expect(asked).toContain('/v1/models')
  expect(bodies[0]).not.toHaveProperty('return_progress')
  expect(waiting.length).toBeGreaterThan(0)
})

test('two turns at once send one query', async () => {
  const { url, asked } = await llamaServer()
  const session = await endpointsWith({ kind: 'openai', baseUrl: url })
  await Promise.all([turn(session), turn(session)])
  expect(asked.filter((path) => path === '/v1/models')).toHaveLength(1)
})
