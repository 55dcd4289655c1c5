import { expect, test, vi } from 'vitest'
import { chatRequest, collect, delta, serve } from '../testing/modelServer.ts'
import { endpointsWith } from '../testing/testEndpoints.ts'

const signal = new AbortController().signal
const tools = [{ name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } }]
const messages = [
  { role: 'system' as const, content: 'You look <|im_end|> for things.' },
  { role: 'user' as const, content: 'Look. '.repeat(400) },
  {
    role: 'assistant' as const,
    content: '',
    reasoning: 'I should look.',
    toolCalls: [{ id: 'c1', name: 'look', arguments: '{}' }],
  },
  { role: 'tool' as const, callId: 'c1', name: 'look', content: 'Nothing.' },
]
/** The fields of a chat request that have no effect on its prompt. */
const otherFields = ['stream', 'stream_options', 'return_progress', 'id_slot', 'response_format', 'temperature']

/** A llama-server or vLLM that refuses some requests. @returns what it received, by path */
async function countingServer(owner: string, refusal?: (body: string) => string | undefined) {
  const bodies: Record<string, Record<string, unknown>[]> = {}
  const { url } = await serve(({ url: path = '' }, response, body) => {
    if (path === '/v1/models') return response.end(JSON.stringify({ data: [{ id: 'qwen3.6-27b', owned_by: owner }] }))
    // The client sends objects.
    if (body !== '') (bodies[path] ??= []).push(JSON.parse(body) as Record<string, unknown>)
    if (path === '/tokenize') return response.end('{"count": 900}')
    if (path !== '/v1/chat/completions') return response.writeHead(404).end('{}')
    const error = refusal?.(body)
    if (error !== undefined) return response.writeHead(400).end(JSON.stringify({ error: { message: error } }))
    return response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(`data: ${JSON.stringify(delta({ content: 'Hi' }, 'stop'))}\n\ndata: [DONE]\n\n`)
  })
  return { url, bodies }
}

test.each([
  ['the options of the template', 'llamacpp', {}, undefined],
  ['strict tools', 'vllm', {}, undefined],
  [
    'the options of the user',
    'vllm',
    { think: 'off' as const, extraBody: { chat_template: '{{ messages }}' } },
    undefined,
  ],
  [
    'what the server has rejected left out',
    'vllm',
    {},
    (body: string) =>
      /preserve_thinking|"tools"/.test(body) ? `m does not support tools: preserve_thinking` : undefined,
  ],
])('a counted request is the one that is sent, with %s', async (_, owner, options, refusal) => {
  const { url, bodies } = await countingServer(owner, refusal)
  const model = 'qwen3.6-27b'
  const { endpoints } = await endpointsWith(
    { kind: 'openai', baseUrl: url, models: { [model]: options } },
    { textPrompt: () => 'Tools: look.' },
  )
  await endpoints.list({ probe: true }, signal)
  const { client, tokens } = await endpoints.model({ endpointId: 'e', model })
  await collect(client, chatRequest({ model, messages, tools, conversation: 'c' }))
  expect(await tokens.countRequest?.({ messages, tools }, 900, signal)).toBe(900)
  const sent = Object.entries(bodies['/v1/chat/completions']?.at(-1) ?? {})
  expect(bodies['/tokenize']?.at(-1)).toEqual(
    Object.fromEntries(sent.filter(([field]) => !otherFields.includes(field))),
  )
})

test('no more requests run than the user set for the server, whichever window they come from', async () => {
  const { promise: ends, resolve: end } = Promise.withResolvers<void>()
  let arrived = 0
  const { url } = await serve(async (request, response) => {
    if (request.url !== '/v1/chat/completions') return response.writeHead(404).end()
    arrived += 1
    await ends
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    return response.end(`data: ${JSON.stringify(delta({ content: 'Hi' }, 'stop'))}\n\ndata: [DONE]\n\n`)
  })
  const server = { kind: 'openai', baseUrl: url, parallel: 2, contextWindow: 8192 } as const
  const windows = await Promise.all([endpointsWith(server), endpointsWith(server)])
  const choice = { endpointId: 'e', model: 'm' }
  const notes: string[] = []
  const asked = [...windows, ...windows].map(async ({ endpoints }) => {
    const { client } = await endpoints.model(choice)
    for await (const event of client.stream(chatRequest())) if (event.kind === 'status') notes.push(event.note)
  })
  await vi.waitUntil(() => arrived === 2 && notes.some((note) => note.startsWith('The model server answers 2')))
  expect(arrived).toBe(2)
  end()
  await Promise.all(asked)
  expect(arrived).toBe(4)
})
