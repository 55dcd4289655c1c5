import { describe, expect, test } from 'vitest'
import type { ChatRequest, ModelClient, ModelEvent } from '../../model/modelClient.ts'
import { createOllamaClient } from '../../model/clients/ollamaClient.ts'
import { createOpenAiClient } from '../../model/clients/openAiClient.ts'
import { delta, serve, serveEvents } from '../../model/testing/modelServer.ts'
import { createGuidedModel, rank } from './guidedModel.ts'

test('a token that begins two alternatives counts for none', () => {
  const ranked = rank(
    [
      { token: 're', logprob: Math.log(0.5) },
      { token: 'ren', logprob: Math.log(0.2) },
      { token: 'read', logprob: Math.log(0.1) },
      { token: 'read"', logprob: Math.log(0.1) },
      { token: '', logprob: Math.log(0.1) },
    ],
    ['read', 'rename', 'list'],
  )
  expect(ranked.map(({ name, score }) => [name, Math.exp(score).toFixed(2)])).toEqual([
    ['read', '0.20'],
    ['rename', '0.20'],
    ['list', '0.00'],
  ])
})

test('the requests of a step have their usage added up, and bound their answers', async () => {
  const requests: ChatRequest[] = []
  const client: ModelClient = {
    async *stream(request): AsyncGenerator<ModelEvent, void, void> {
      requests.push(request)
      if (request.topTokens !== undefined) yield { kind: 'likelihoods', tokens: [{ token: 'a', logprob: 0 }] }
      else yield { kind: 'text', text: '{"a":1}' }
      yield { kind: 'usage', usage: { promptTokens: 10, completionTokens: 1 } }
      yield { kind: 'finish', reason: 'stop' }
    },
    models: () => Promise.resolve([]),
  }
  const { signal } = new AbortController()
  const model = createGuidedModel(client, { model: 'm', temperature: 0, signal })
  expect(await model.likelihoods([], 'x', ['a', 'b'])).toMatchObject([{ name: 'a', score: 0 }, { name: 'b' }])
  expect(await model.fill([], { type: 'object' })).toEqual({ a: 1 })
  expect(model.takeUsage()).toMatchObject({ promptTokens: 20, completionTokens: 2 })
  expect(model.takeUsage()).toBeUndefined()
  expect(requests.map(({ maxTokens, tools }) => [maxTokens, tools])).toEqual([
    [1, []],
    [1500, []],
  ])
  expect(requests[0]?.messages).toEqual([{ role: 'assistant', content: 'x' }])
})

test('an Ollama that renders no prompt reports no likelihoods, and is asked once', async () => {
  const bodies: unknown[] = []
  const { url } = await serve((_request, response, text) => {
    bodies.push(JSON.parse(text))
    response.writeHead(200).end(JSON.stringify({ message: { content: 'x' }, done: true, done_reason: 'length' }))
  })
  const client = createOllamaClient({ name: 'O', baseUrl: url })
  const create = () => createGuidedModel(client, { model: 'm', temperature: 0, signal: new AbortController().signal })
  const model = create()
  expect(await model.likelihoods([], '{"tool":"', ['edit', 'read'])).toBeUndefined()
  expect(await model.likelihoods([], '{"tool":"', ['edit', 'read'])).toBeUndefined()
  expect(await model.endString([], '{"text":"')).toBeUndefined()
  expect(await create().likelihoods([], '{"tool":"', ['edit', 'read'])).toBeUndefined()
  expect(bodies).toMatchObject([{ _debug_render_only: true, stream: false, options: { num_predict: 1 } }])
})

describe('a model that thinks', () => {
  const base = { model: 'm', temperature: 0, signal: new AbortController().signal }
  const thought = delta({ reasoning_content: 'The user {wants} it.' })

  test('is asked without thinking, as each server switches it off', async () => {
    const bodies: Record<string, unknown>[] = []
    const { url } = await serve((_request, response, body) => {
      bodies.push(JSON.parse(body) as Record<string, unknown>)
      response.writeHead(200).end()
    })
    const ask = async (client: ModelClient) => {
      await createGuidedModel(client, base)
        .fill([], { type: 'object' })
        .catch(() => undefined)
      return bodies.at(-1)
    }
    const options = { name: 'S', baseUrl: url, optionsOf: () => ({ think: 'high' as const }) }
    expect(await ask(createOpenAiClient({ ...options, server: 'llamacpp' }))).toMatchObject({
      chat_template_kwargs: { enable_thinking: false, thinking: false },
      reasoning_budget_tokens: 0,
    })
    expect(await ask(createOpenAiClient({ ...options, server: 'vllm' }))).toMatchObject({
      chat_template_kwargs: { enable_thinking: false, thinking: false },
    })
    expect(await ask(createOllamaClient(options))).toMatchObject({ think: false, format: { type: 'object' } })
  })

  test.each([
    ['before the object', [thought, delta({ content: '{"path":"a"}' }, 'stop')]],
    [
      'in place of the object',
      [delta({ reasoning_content: '{"path":' }), delta({ reasoning_content: '"a"}' }, 'stop')],
    ],
    ['in the text', [delta({ content: '<think>The {user} wants it.</think>\n\n{"path":"a"}' }, 'stop')]],
    ['with its start in the prompt', [delta({ content: 'The {user}.\n</think>\n\n{"path":"a"}' }, 'stop')]],
  ])('fills in an object although reasoning comes %s', async (_, events) => {
    const { url } = await serveEvents(...events, '[DONE]')
    const model = createGuidedModel(createOpenAiClient({ name: 'S', baseUrl: url, server: 'lmstudio' }), base)
    expect(await model.fill([], { type: 'object' })).toEqual({ path: 'a' })
  })
})

test('short prompts run beside the conversation, whose prompt is put back before it goes on', async () => {
  const log: unknown[] = []
  const client: ModelClient = {
    async *stream({ isAside }): AsyncGenerator<ModelEvent, void, void> {
      log.push(isAside ? 'aside' : 'talk')
      yield { kind: 'finish', reason: 'stop' }
    },
    models: () => Promise.resolve([]),
  }
  const { signal } = new AbortController()
  const model = createGuidedModel(client, { model: 'm', temperature: 0, signal }, () => {
    log.push('keep')
    return Promise.resolve({ restore: () => Promise.resolve(void log.push('restore')) })
  })
  await model.fill([], {})
  await model.fill([], {})
  for await (const event of model.talk([])) void event
  await model.fill([], {})
  await model.end()
  await model.end()
  expect(log).toEqual(['keep', 'aside', 'aside', 'restore', 'talk', 'keep', 'aside', 'restore'])
})
