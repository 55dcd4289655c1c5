import { describe, expect, test } from 'vitest'
import { collect, chatRequest, delta, serve, serveEvents, textOf } from '../testing/modelServer.ts'
import { createOpenAiClient } from '../clients/openAiClient.ts'
import { createProgressReader } from './promptProgress.ts'

const step = (processed: unknown, total: unknown = 9000, cache: unknown = 1000) => ({
  total,
  cache,
  processed,
  time_ms: 1,
})

describe('progress of a prompt', () => {
  test('is the share of the tokens that are not cached', () => {
    const read = createProgressReader()
    expect([1000, 3000, 9000].map((processed) => read(step(processed)))).toEqual([
      'Processing the prompt: 0% of 8,000 new tokens…',
      'Processing the prompt: 25% of 8,000 new tokens…',
      'Processing the prompt: 100% of 8,000 new tokens…',
    ])
  })

  test('is not shown for a prompt that is almost wholly cached', () => {
    expect(createProgressReader()(step(8900, 9000, 8800))).toBeUndefined()
  })

  test.each([
    ['negative', step(-5)],
    ['beyond the total', step(9001)],
    ['behind the cache', step(500)],
    ['with a cache beyond the total', step(9000, 9000, 10_000)],
    ['not a number', step('many')],
    ['infinite', step(Infinity)],
    ['not an object', 'soon'],
  ])('that is %s is ignored', (_, event) => {
    expect(createProgressReader()(event)).toBeUndefined()
  })

  test('that goes backwards keeps the furthest position', () => {
    const read = createProgressReader()
    expect(read(step(5000))).toContain('50%')
    expect(read(step(3000))).toBeUndefined()
    expect(read(step(7000))).toContain('75%')
  })

  test('is requested from llama-server only, and shown while the answer has not begun', async () => {
    const bodies: string[] = []
    const { url } = await serve((_request, response, body) => {
      bodies.push(body)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const events = [{ choices: [], prompt_progress: step(5000) }, delta({ content: 'Hi' }, 'stop')]
      response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
    })
    const events = await collect(createOpenAiClient({ name: 'L', baseUrl: url, server: 'llamacpp' }))
    expect(events.slice(0, 2)).toEqual([
      { kind: 'status', note: 'Processing the prompt: 50% of 8,000 new tokens…' },
      { kind: 'text', text: 'Hi' },
    ])
    await collect(createOpenAiClient({ name: 'Other', baseUrl: url }))
    expect(bodies.map((body) => body.includes('return_progress'))).toEqual([true, false])
  })
})

test('an answer whose every part has a progress is read as a whole', async () => {
  const parts = [delta({ content: 'Hi ' }), delta({ content: 'you' }, 'stop')]
  const { url } = await serveEvents(...parts.map((part) => ({ ...part, prompt_progress: step(9000) })), '[DONE]')
  expect(textOf(await collect(createOpenAiClient({ name: 'L', baseUrl: url, server: 'llamacpp' })))).toBe('Hi you')
})

describe('the reported cache', () => {
  const usageOf = async (timings: object, promptTokens: number) => {
    const { url } = await serveEvents(
      delta({ content: 'Hi' }, 'stop'),
      { choices: [], usage: { prompt_tokens: promptTokens, completion_tokens: 2 }, timings },
      '[DONE]',
    )
    const messages = [{ role: 'user' as const, content: 'word '.repeat(4000) }]
    const events = await collect(createOpenAiClient({ name: 'L', baseUrl: url }), chatRequest({ messages }))
    return events.flatMap((event) => (event.kind === 'usage' ? [event.usage] : []))[0]
  }

  test('is part of the usage, with the speed of reading', async () => {
    expect(await usageOf({ cache_n: 4000, prompt_n: 1000, prompt_per_second: 250 }, 5000)).toMatchObject({
      promptTokens: 5000,
      cachedTokens: 4000,
      promptTokensPerSecond: 250,
    })
  })

  test.each([
    [
      { draft_n: 34, draft_n_accepted: 30 },
      { tokens: 34, accepted: 30 },
    ],
    [{ draft_n: 3, draft_n_accepted: 4 }, undefined],
    [{ draft_n: 0, draft_n_accepted: 0 }, undefined],
    [{}, undefined],
  ])('comes with the drafted tokens of %j', async (timings, drafted) => {
    expect((await usageOf(timings, 5000))?.drafted).toEqual(drafted)
  })

  test.each([
    ['beyond every prompt', 1e15],
    ['more than the prompt can have', 5_000_000],
    ['a fraction', 5000.37],
  ])('beside a prompt whose reported size is %s is left out, and the size is estimated', async (_, promptTokens) => {
    expect(await usageOf({}, promptTokens)).toMatchObject({ promptTokens: 5723, estimated: true })
  })

  test('beside speeds that no computer has is kept without them', async () => {
    const speeds = { prompt_per_second: 1e300, predicted_per_second: 1e12 }
    const usage = await usageOf({ cache_n: 4000, prompt_n: 1000, ...speeds }, 5000)
    expect(usage).toMatchObject({ promptTokens: 5000, cachedTokens: 4000 })
    expect(usage?.promptTokensPerSecond).toBeUndefined()
    expect(usage?.tokensPerSecond ?? 0).toBeLessThan(1e7)
  })

  test.each([
    ['negative', { cache_n: -4000, prompt_n: 5000 }],
    ['beyond every prompt', { cache_n: 1e12, prompt_n: 10 }],
    ['not a number', { cache_n: 'all', prompt_n: 5000 }],
  ])('that is %s is ignored, and the prompt keeps its size', async (_, timings) => {
    const usage = await usageOf(timings, 5000)
    expect(usage?.promptTokens).toBe(5000)
    expect(usage?.cachedTokens).toBeUndefined()
  })
})
