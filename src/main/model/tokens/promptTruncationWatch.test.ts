import { describe, expect, test } from 'vitest'
import type { ChatMessage, ModelEvent } from '../modelClient.ts'
import { chatRequest, collect, serve } from '../testing/modelServer.ts'
import { endpointsWith as configured, type TestEndpoint } from '../testing/testEndpoints.ts'

const signal = new AbortController().signal
const code = 'const answer = compute(question, options)\n'

async function endpointsWith(endpoint: TestEndpoint, cutDetection = true) {
  const { endpoints } = await configured(endpoint, { features: { cutDetection } })
  await endpoints.list({ probe: true }, signal)
  return { endpoints, choice: { endpointId: 'e', model: 'm' } }
}

/** A conversation in which each round adds a result with this number of lines of code. */
function rounds(count: number, lines: number): ChatMessage[] {
  const messages: ChatMessage[] = [
    { role: 'system', content: 'You edit code.' },
    { role: 'user', content: 'Fix it.' },
  ]
  for (let round = 0; round < count; round++) {
    messages.push({ role: 'assistant', content: '', toolCalls: [{ id: `c${round}`, name: 'read', arguments: '{}' }] })
    messages.push({ role: 'tool', callId: `c${round}`, name: 'read', content: code.repeat(lines) })
  }
  return messages
}
/** About the number of tokens that a tokenizer yields. */
const tokensOf = (messages: readonly { content: string }[]) =>
  messages.reduce((sum, { content }) => sum + Math.ceil(content.length / 4.2) + 5, 0)

const warnings = (events: ModelEvent[]) => events.flatMap((event) => (event.kind === 'promptCut' ? [event.text] : []))

/** An OpenAI-compatible server. `usage` computes the reported token counts from the received messages. */
function server(usage: (messages: { content: string }[]) => object, answers: Record<string, () => unknown> = {}) {
  return serve((request, response, body) => {
    const found = answers[request.url ?? '']
    if (found) return void response.end(JSON.stringify(found()))
    if (request.url === '/v1/models')
      return void response.end(JSON.stringify({ data: [{ id: 'm', max_model_len: 32_768 }] }))
    if (request.url !== '/v1/chat/completions') return void response.writeHead(404).end('{}')
    const chunk = {
      choices: [{ delta: { content: 'ok' }, finish_reason: 'stop' }],
      ...usage(JSON.parse(body).messages),
    }
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
  })
}
const plain = (prompt: number) => ({ usage: { prompt_tokens: prompt, completion_tokens: 2 } })

test('a server that truncates at an unknown context size is detected, with a hint', async () => {
  const { url } = await server((messages) => plain(Math.min(tokensOf(messages), 4096)))
  const { endpoints, choice } = await endpointsWith({ kind: 'openai', baseUrl: url })
  const { client } = await endpoints.model(choice)
  expect(warnings(await collect(client, chatRequest({ messages: rounds(1, 300) })))).toEqual([])
  const [warning] = warnings(await collect(client, chatRequest({ messages: rounds(2, 300) })))
  expect(warning).toMatch(/^Mine read only 4,096 of about [67],\d{3} tokens/)
  expect(warning).toMatch(/larger context/)
})

test('after a prompt was truncated at an unknown size, the next requests keep to the size that this shows', async () => {
  const { url } = await server((messages) => plain(Math.min(tokensOf(messages), 4096)), {
    '/v1/models': () => ({ data: [{ id: 'm' }] }),
  })
  const { endpoints, choice } = await endpointsWith({ kind: 'openai', baseUrl: url })
  const before = await endpoints.model(choice)
  expect(before.contextWindow).toBeUndefined()
  await collect(before.client, chatRequest({ messages: rounds(1, 300) }))
  const events = await collect(before.client, chatRequest({ messages: rounds(2, 300) }))
  expect(events).toContainEqual(expect.objectContaining({ kind: 'promptCut', window: 4096 }))
  expect((await endpoints.model(choice)).contextWindow).toBe(4096)
})

test('a count that only lacks cached tokens does not lower the context size', async () => {
  let seen = 0
  const { url } = await server(
    (messages) => {
      const now = tokensOf(messages)
      const usage = plain(now - seen)
      seen = now
      return usage
    },
    { '/v1/models': () => ({ data: [{ id: 'm' }] }) },
  )
  const { endpoints, choice } = await endpointsWith({ kind: 'openai', baseUrl: url })
  const { client } = await endpoints.model(choice)
  await collect(client, chatRequest({ messages: rounds(2, 300) }))
  await collect(client, chatRequest({ messages: rounds(3, 300) }))
  expect((await endpoints.model(choice)).contextWindow).toBeUndefined()
})

test('numbers, which are a token a digit, raise no warning about the words of another conversation', async () => {
  // As in the vocabularies of Qwen and SmolLM2.
  const digitTokens = (messages: readonly { content: string }[]) =>
    messages.reduce((sum, { content }) => sum + content.replaceAll(/\D/g, '').length + content.split(/\s/).length, 5)
  const { url } = await server((messages) => plain(digitTokens(messages)), {
    '/v1/models': () => ({ data: [{ id: 'm' }] }),
  })
  const { endpoints, choice } = await endpointsWith({ kind: 'openai', baseUrl: url })
  const { client } = await endpoints.model(choice)
  const asking = (content: string) => collect(client, chatRequest({ messages: [{ role: 'user', content }] }))
  expect(warnings(await asking('room 8213 on floor 90\n'.repeat(600)))).toEqual([])
  expect(warnings(await asking('the room is on the second floor '.repeat(600)))).toEqual([])
  expect((await endpoints.model(choice)).contextWindow).toBeUndefined()
})

test('the warning is not shown if the feature is disabled', async () => {
  const { url } = await server((messages) => plain(Math.min(tokensOf(messages), 4096)))
  const { endpoints, choice } = await endpointsWith({ kind: 'openai', baseUrl: url }, false)
  const { client } = await endpoints.model(choice)
  expect(warnings(await collect(client, chatRequest({ messages: rounds(6, 300) })))).toEqual([])
})

describe('a server that reads the whole prompt causes no warning', () => {
  test.each<[string, (prompt: number, before: number) => object]>([
    ['vLLM', plain],
    [
      'OpenAI with a cached part',
      (prompt, before) => ({
        usage: { prompt_tokens: prompt, completion_tokens: 2, prompt_tokens_details: { cached_tokens: before } },
      }),
    ],
    [
      'llama-server',
      (prompt, before) => ({
        usage: { prompt_tokens: prompt, completion_tokens: 2 },
        timings: { cache_n: before, prompt_n: prompt - before },
      }),
    ],
    [
      'an older llama-server, which counts only evaluated tokens',
      (prompt, before) => ({
        usage: { prompt_tokens: prompt - before, completion_tokens: 2 },
        timings: { cache_n: before, prompt_n: prompt - before },
      }),
    ],
    ['a server that reports nothing', () => ({})],
  ])('%s', async (_name, usage) => {
    let before = 0
    const { url } = await server((messages) => {
      const prompt = tokensOf(messages)
      const told = usage(prompt, before)
      before = prompt
      return told
    })
    const { endpoints, choice } = await endpointsWith({ kind: 'openai', baseUrl: url })
    const { client, tokens } = await endpoints.model(choice)
    for (let round = 0; round < 12; round++) {
      expect(warnings(await collect(client, chatRequest({ messages: rounds(round, 150) })))).toEqual([])
    }
    // The estimate has adapted to the larger number of characters per token.
    const learnt = tokens.estimate(code.repeat(1000))
    if (tokens.learned) expect(Math.abs(learnt - (code.length * 1000) / 4.2)).toBeLessThan(learnt * 0.05)
  })
})

describe('the reasoning that a model gets back', () => {
  const thought = 'I have to look at the answer and the options first. '.repeat(40)
  const thinking = (count: number) =>
    rounds(count, 40).map((message) => (message.role === 'assistant' ? { ...message, reasoning: thought } : message))
  const length = ({ content, reasoning_content: reasoning = '' }: { content: string; reasoning_content?: string }) =>
    content.length + reasoning.length

  test.each<[string, (message: { content: string; reasoning_content?: string }) => number]>([
    ['is part of the prompt', length],
    ['is left out by the template', ({ content }) => content.length],
  ])('teaches nothing false about estimates if it %s, and causes no warning', async (_, lengthOf) => {
    const { url } = await server((messages) =>
      plain(Math.ceil(messages.reduce((sum, message) => sum + lengthOf(message), 0) / 3.5)),
    )
    const { endpoints, choice } = await endpointsWith({ kind: 'openai', baseUrl: url })
    const { client, tokens } = await endpoints.model(choice)
    for (let round = 1; round < 12; round += 1)
      expect(warnings(await collect(client, chatRequest({ messages: thinking(round) })))).toEqual([])
    expect(tokens.estimate(code.repeat(1000))).toBeGreaterThan((code.length * 1000 * 0.95) / 3.5)
    expect(tokens.estimate(code.repeat(1000))).toBeLessThan((code.length * 1000 * 1.05) / 3.5)
  })
})

describe('Ollama', () => {
  function ollama(
    count: (asked: number, messages: { content: string }[]) => number | undefined,
    loaded: () => number | undefined,
  ) {
    return serve((request, response, body) => {
      if (request.url === '/api/tags') return void response.end('{"models":[{"name":"m"}]}')
      if (request.url === '/api/show')
        return void response.end('{"capabilities":["completion","tools"],"model_info":{"x.context_length":131072}}')
      if (request.url === '/api/ps')
        return void response.end(JSON.stringify({ models: loaded() ? [{ name: 'm', context_length: loaded() }] : [] }))
      if (request.url !== '/api/chat') return void response.writeHead(404).end('{}')
      const { options, messages } = JSON.parse(body)
      const prompt = count(options.num_ctx, messages)
      response.end(
        `${JSON.stringify({ message: { content: 'ok' }, done: true, eval_count: 2, ...(prompt !== undefined && { prompt_eval_count: prompt }) })}\n`,
      )
    })
  }

  test('that loaded the model with a smaller context is detected, and the real size is known from then on', async () => {
    let loaded: number | undefined
    const { url } = await ollama(
      (_asked, messages) => {
        loaded = 4096
        return Math.min(tokensOf(messages), 4000)
      },
      () => loaded,
    )
    const { endpoints, choice } = await endpointsWith({ kind: 'ollama', baseUrl: url, contextWindow: 12_000 })
    const ready = await endpoints.model(choice)
    expect(ready.contextWindow).toBe(12_000)
    const [warning] = warnings(await collect(ready.client, chatRequest({ messages: rounds(3, 300) })))
    expect(warning).toMatch(/context size is 4,096.*num_ctx/)
    expect((await endpoints.model(choice)).contextWindow).toBe(4096)
  })

  test('that answers from its cache and reports no prompt tokens causes no warning', async () => {
    const { url } = await ollama(
      () => undefined,
      () => 16_384,
    )
    const { endpoints, choice } = await endpointsWith({ kind: 'ollama', baseUrl: url })
    const { client } = await endpoints.model(choice)
    expect(warnings(await collect(client, chatRequest({ messages: rounds(3, 100) })))).toEqual([])
  })
})

test('LM Studio, loading a model with a smaller context than its maximum, is queried again after the first answer', async () => {
  let state = { state: 'not-loaded', max_context_length: 131_072 } as object
  const { url } = await server(
    (messages) => {
      state = { state: 'loaded', max_context_length: 131_072, loaded_context_length: 4096 }
      return plain(tokensOf(messages))
    },
    { '/api/v0/models': () => ({ data: [{ id: 'm', type: 'llm', ...state }] }) },
  )
  const { endpoints, choice } = await endpointsWith({ kind: 'openai', baseUrl: url })
  const heard: (number | undefined)[] = []
  endpoints.onChanged((statuses) => heard.push(statuses[0]?.models[0]?.contextWindow))
  const { client, contextWindow } = await endpoints.model(choice)
  expect(contextWindow).toBe(131_072)
  await collect(client, chatRequest({ messages: rounds(1, 10) }))
  expect((await endpoints.model(choice)).contextWindow).toBe(4096)
  expect(heard).toEqual([4096])
})
