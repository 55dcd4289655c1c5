import { describe, expect, test } from 'vitest'
import { chatRequest, collect, delta, serve, textOf } from '../testing/modelServer.ts'
import { createCompatStore } from './compatStore.ts'
import { createOllamaClient } from './ollamaClient.ts'
import { createOpenAiClient } from './openAiClient.ts'

const answerSchema = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] }
const tools = [{ name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } }]

/** A server that rejects bodies in which it finds a text, with its own error. */
async function strictServer(rejects: string, error: string) {
  const bodies: Record<string, unknown>[] = []
  const { url } = await serve((_request, response, body) => {
    // The client sends objects.
    bodies.push(JSON.parse(body) as Record<string, unknown>)
    if (rejects !== '' && body.includes(rejects))
      return response.writeHead(400).end(JSON.stringify({ error: { message: error } }))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    return response.end(`data: ${JSON.stringify(delta({ content: 'Hi' }, 'stop'))}\n\ndata: [DONE]\n\n`)
  })
  return { url, bodies }
}

describe('a field that the server rejects is left out, also by later clients of the server', () => {
  test.each([
    ['a grammar that it cannot compile', { answerSchema }, 'response_format', 'Failed to parse grammar: expected ::='],
    ['the progress', {}, 'return_progress', 'Unrecognized request argument: return_progress'],
    ['a slot', { slot: 1 }, 'id_slot', 'unknown field id_slot'],
    ['preserved thinking', { model: 'qwen3.6-27b' }, 'chat_template_kwargs', 'extra_forbidden: chat_template_kwargs'],
  ])('%s', async (_, change, field, error) => {
    const { url, bodies } = await strictServer(field, error)
    const compatStore = createCompatStore()
    for (let round = 0; round < 2; round += 1) {
      const client = createOpenAiClient({ name: 'L', baseUrl: url, server: 'llamacpp', compatStore })
      expect(textOf(await collect(client, chatRequest(change)))).toBe('Hi')
    }
    expect(bodies.map((body) => field in body)).toEqual([true, false, false])
  })
})

test('vLLM gets strict tools, because it constrains calls only then', async () => {
  const { url, bodies } = await strictServer('', '')
  for (const server of ['vllm', 'llamacpp'] as const)
    await collect(createOpenAiClient({ name: 'V', baseUrl: url, server }), chatRequest({ tools }))
  expect(bodies.map((body) => JSON.stringify(body['tools']).includes('"strict":true'))).toEqual([true, false])
})

test('an unknown server gets no field that only some servers have', async () => {
  const { url, bodies } = await strictServer('', '')
  await collect(createOpenAiClient({ name: 'U', baseUrl: url }), chatRequest({ tools, answerSchema }))
  expect(Object.keys(bodies[0] ?? {}).toSorted()).toEqual(
    ['model', 'messages', 'tools', 'temperature', 'stream', 'stream_options'].toSorted(),
  )
})

test('Ollama gets the schema of an answer as its format', async () => {
  const bodies: string[] = []
  const { url } = await serve((_request, response, body) => {
    bodies.push(body)
    response.end('{"message":{"content":"{}"},"done":true}\n')
  })
  await collect(createOllamaClient({ name: 'O', baseUrl: url }), chatRequest({ answerSchema, maxTokens: 1 }))
  expect(JSON.parse(bodies[0] ?? '')).toMatchObject({ format: answerSchema, options: { num_predict: 1 } })
})
