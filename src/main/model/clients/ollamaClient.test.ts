import { describe, expect, test } from 'vitest'
import { isAbort } from '../../../shared/errors.ts'
import type { ChatMessage } from '../modelClient.ts'
import { createOllamaClient } from './ollamaClient.ts'
import { callsOf, chatRequest, collect, modelError, serve, textOf } from '../testing/modelServer.ts'

/** An Ollama that answers every chat with these lines. */
async function ollama(...lines: (object | string)[]) {
  const bodies: Record<string, unknown>[] = []
  const server = await serve((request, response, body) => {
    if (request.url !== '/api/chat') return void response.writeHead(404).end()
    bodies.push(JSON.parse(body))
    response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    response.end(lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''))
  })
  return { ...server, bodies }
}
const piece = (message: object) => ({ model: 'm', message: { role: 'assistant', ...message }, done: false })
const end = {
  message: { role: 'assistant', content: '' },
  done: true,
  done_reason: 'stop',
  prompt_eval_count: 20,
  eval_count: 50,
  eval_duration: 2_000_000_000,
}
const clientAt = (baseUrl: string, contextWindow?: number) =>
  createOllamaClient({ name: 'Ollama', baseUrl, contextWindow })

describe("Ollama's own chat", () => {
  test('returns text, reasoning, calls and speed', async () => {
    const { url } = await ollama(
      piece({ content: '', thinking: 'hm' }),
      piece({ content: 'I read.' }),
      piece({
        content: '',
        tool_calls: [
          { function: { name: 'read_file', arguments: { path: 'a' } } },
          { function: { name: 'read_file', arguments: { path: 'b' } } },
        ],
      }),
      end,
    )
    const events = await collect(clientAt(url))
    expect([textOf(events), textOf(events, 'reasoning')]).toEqual(['I read.', 'hm'])
    expect(callsOf(events).map((call) => call.arguments)).toEqual(['{"path":"a"}', '{"path":"b"}'])
    expect(new Set(callsOf(events).map((call) => call.id)).size).toBe(2)
    expect(events.slice(-2)).toEqual([
      { kind: 'usage', usage: { promptTokens: 20, completionTokens: 50, tokensPerSecond: 25 } },
      { kind: 'finish', reason: 'tool_calls' },
    ])
  })

  test('computes the reading speed from the part of the prompt that was not cached', async () => {
    const { url } = await ollama({
      ...end,
      prompt_eval_count: 9000,
      prompt_eval_cached_count: 8000,
      prompt_eval_duration: 2_000_000_000,
    })
    expect(await collect(clientAt(url))).toContainEqual({
      kind: 'usage',
      usage: expect.objectContaining({ promptTokens: 9000, cachedTokens: 8000, promptTokensPerSecond: 500 }),
    })
  })

  test('returns two calls for two lines with calls without arguments', async () => {
    const call = { function: { name: 'get_selection', arguments: {} } }
    const { url } = await ollama(piece({ tool_calls: [call] }), piece({ tool_calls: [call] }), end)
    expect(callsOf(await collect(clientAt(url)))).toHaveLength(2)
  })

  test.each([
    [undefined, undefined, 16_384],
    [undefined, 8192, 8192],
    [4096, 8192, 4096],
  ])('requests a context size: request %s, endpoint %s', async (requested, configured, sent) => {
    const { url, bodies } = await ollama(end)
    await collect(clientAt(url, configured), chatRequest({ contextWindow: requested }))
    expect(bodies[0]?.['options']).toEqual({ num_ctx: sent, num_predict: sent, temperature: 0.2, repeat_penalty: 1 })
    expect(bodies[0]).not.toHaveProperty('think')
  })

  test('does not punish what an answer copies, as Ollama does by default', async () => {
    const { url, bodies } = await ollama(end)
    const penaltyOf = (body: Record<string, unknown>) => (body['options'] as { repeat_penalty: number }).repeat_penalty
    await collect(clientAt(url))
    await collect(clientAt(url), chatRequest({ againstRepetition: true }))
    const extraBody = { options: { repeat_penalty: 1.05 } }
    await collect(createOllamaClient({ name: 'O', baseUrl: url, optionsOf: () => ({ extraBody }) }))
    expect(bodies.map(penaltyOf)).toEqual([1, 1.2, 1.05])
  })

  test('asks the server to reject a prompt that is too long instead of truncating it', async () => {
    const windowOf = (body: Record<string, unknown>) => (body['options'] as { num_ctx: number }).num_ctx
    const { url } = await serve((_request, response, text) => {
      // The test sends an object with options.
      const body = JSON.parse(text) as Record<string, unknown>
      const excess = text.length / 4 > windowOf(body)
      if (excess && body['truncate'] === false)
        return void response.writeHead(400).end('{"error":"the input length exceeds the context length"}')
      response
        .writeHead(200, { 'content-type': 'application/x-ndjson' })
        .end(`${JSON.stringify({ ...end, prompt_eval_count: excess ? windowOf(body) : 20 })}\n`)
    })
    const long = chatRequest({ messages: [{ role: 'user', content: 'word '.repeat(10_000) }] })
    expect(await modelError(collect(clientAt(url, 4096), long))).toMatchObject({ code: 'context_exceeded' })
    expect(await collect(clientAt(url, 65_536), long)).toContainEqual({ kind: 'finish', reason: 'stop' })
  })

  test.each(['/', '/v1', '/api', '/api/chat'])('is requested at the base URL ending in %s', async (ending) => {
    const { url } = await ollama(piece({ content: 'here' }), end)
    expect(textOf(await collect(clientAt(url + ending)))).toBe('here')
  })

  test('has no limit in its schema that crashes the server', async () => {
    const { url, bodies } = await ollama(end)
    const text = (maxLength: number) => ({ type: 'string', maxLength })
    const answerSchema = { type: 'object', properties: { long: text(4000), short: text(2000), maxLength: text(5000) } }
    await collect(clientAt(url), chatRequest({ answerSchema }))
    expect(bodies[0]?.['format']).toEqual({
      type: 'object',
      properties: { long: { type: 'string' }, short: text(2000), maxLength: { type: 'string' } },
    })
  })

  test('continues an answer that the last message begins, although its templates end it', async () => {
    const bodies: unknown[] = []
    const { url } = await serve((request, response, text) => {
      // The client sends objects.
      const body = JSON.parse(text) as Record<string, unknown>
      const isRendered = request.url === '/api/chat' && body['_debug_render_only'] === true
      bodies.push(isRendered ? body['messages'] : { url: request.url, prompt: body['prompt'], raw: body['raw'] })
      const logprobs = [{ token: 'b', logprob: 0, top_logprobs: [{ token: 'b', logprob: -1 }] }]
      const lines = isRendered
        ? [{ _debug_info: { rendered_template: '<|im_start|>u<|im_end|>' } }]
        : [
            { response: 'b', logprobs },
            { response: '', done: true, done_reason: 'stop' },
          ]
      response.writeHead(200).end(lines.map((line) => JSON.stringify(line)).join('\n'))
    })
    const messages: ChatMessage[] = [
      { role: 'user', content: 'u' },
      { role: 'assistant', content: 'a' },
    ]
    const events = await collect(clientAt(url), chatRequest({ messages, topTokens: 5 }))
    expect(textOf(events)).toBe('b')
    expect(events).toContainEqual({ kind: 'likelihoods', tokens: [{ token: 'b', logprob: -1 }] })
    expect(bodies).toEqual([
      [{ role: 'user', content: 'u' }],
      { url: '/api/generate', prompt: '<|im_start|>u<|im_end|>a', raw: true },
    ])
  })

  test("gets the history in Ollama's format", async () => {
    const { url, bodies } = await ollama(end)
    const messages: ChatMessage[] = [
      { role: 'system', content: 's' },
      { role: 'user', content: 'u' },
      {
        role: 'assistant',
        content: '',
        toolCalls: [
          { id: '1', name: 'f', arguments: '{"a":1}' },
          { id: '2', name: 'g', arguments: 'rubbish' },
        ],
      },
      { role: 'tool', callId: '1', name: 'f', content: 'r' },
    ]
    await collect(clientAt(url), chatRequest({ messages }))
    expect(bodies[0]?.['messages']).toEqual([
      { role: 'system', content: 's' },
      { role: 'user', content: 'u' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          { id: '1', function: { name: 'f', arguments: { a: 1 } } },
          { id: '2', function: { name: 'g', arguments: {} } },
        ],
      },
      { role: 'tool', tool_name: 'f', tool_call_id: '1', content: 'r' },
      { role: 'tool', tool_name: 'g', tool_call_id: '2', content: 'cancelled' },
    ])
  })

  test('parses the same split at every byte', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      const bytes = Buffer.from(
        [piece({ content: 'Grüße 世界' }), end].map((line) => `${JSON.stringify(line)}\n`).join(''),
      )
      const next = (at: number) =>
        at === bytes.length ? response.end() : response.write(bytes.subarray(at, at + 1), () => next(at + 1))
      next(0)
    })
    expect(textOf(await collect(clientAt(url)))).toBe('Grüße 世界')
  })
})

describe('errors have a hint', () => {
  test.each([
    [404, "model 'm' not found", 'no_model', /ollama pull m/],
    [400, 'registry.ollama.ai/library/m does not support tools', 'no_tools', /ollama pull qwen3/],
    [500, 'model requires more system memory (20 GiB) than is available (8 GiB)', 'server_error', /smaller model/],
    [400, 'input length 9000 exceeds the context length', 'context_exceeded', /num_ctx/],
  ] as const)('%i %s', async (status, message, code, remedy) => {
    const { url } = await serve(
      (_request, response) =>
        void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error: message })),
    )
    const error = await modelError(collect(clientAt(url)))
    expect(error.code).toBe(code)
    expect(error.hint).toMatch(remedy)
    expect(error.message).toContain(message)
  })

  test('no server is listening', async () => {
    const { url, server } = await serve(() => {})
    await new Promise((resolve) => server.close(resolve))
    expect((await modelError(collect(clientAt(url)))).hint).toMatch(/ollama serve/)
  })

  test.each([
    [
      'an error line',
      [piece({ content: 'x' }), { error: 'an error was encountered while running the model' }],
      'server_error',
    ],
    ['no last line', [piece({ content: 'x' })], 'cut_off'],
    ['a broken line', [piece({ content: 'x' }), '{"message":'], 'bad_response'],
  ] as const)('%s', async (_name, sent, code) => {
    const { url } = await ollama(...sent)
    expect((await modelError(collect(clientAt(url)))).code).toBe(code)
  })
})

test('cancelling closes the connection', async () => {
  const closed = Promise.withResolvers<void>()
  const { url } = await serve((_request, response) => {
    response.once('close', () => closed.resolve())
    response.writeHead(200).write(`${JSON.stringify(piece({ content: 'x' }))}\n`)
  })
  const controller = new AbortController()
  let thrown: unknown
  try {
    for await (const event of clientAt(url).stream(chatRequest({ signal: controller.signal })))
      if (event.kind === 'text') controller.abort()
  } catch (error) {
    thrown = error
  }
  expect(isAbort(thrown)).toBe(true)
  await closed.promise
})
