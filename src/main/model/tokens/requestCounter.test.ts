import { describe, expect, test } from 'vitest'
import { createOpenAiClient } from '../clients/openAiClient.ts'
import { serve } from '../testing/modelServer.ts'
import { createTokenCounter } from './tokenCounter.ts'

const signal = new AbortController().signal
const request = { messages: [{ role: 'user' as const, content: 'word '.repeat(600) }], tools: [] }
const estimated = 900

/** A server that answers at these paths. @returns the counter of one model, and the requested paths */
async function counterOf(answers: Record<string, unknown>) {
  const paths: string[] = []
  const { url } = await serve(({ url: path = '' }, response) => {
    paths.push(path)
    const answer = answers[path]
    response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer ?? { error: 'no such path' }))
  })
  const target = { name: 'L', kind: 'openai' as const, baseUrl: url }
  const { promptFields } = createOpenAiClient({ name: 'L', baseUrl: url })
  const connection = () => Promise.resolve({})
  const counter = createTokenCounter(
    { root: url, target, tokenizer: true, connection, ...(promptFields && { promptFields }) },
    'm',
  )
  return { paths, count: () => counter.countRequest?.(request, estimated, signal) }
}

const inputTokens = '/v1/chat/completions/input_tokens'

describe('the tokens of a whole request', () => {
  test.each([
    ['llama-server', { [inputTokens]: { object: 'response.input_tokens', input_tokens: 812 } }, inputTokens],
    ['vLLM', { '/tokenize': { count: 812, tokens: [] } }, '/tokenize'],
  ])('are counted by %s, which is asked at one path from then on', async (_, answers, path) => {
    const { count, paths } = await counterOf(answers)
    expect([await count(), await count()]).toEqual([812, 812])
    expect(paths.slice(-1)).toEqual([path])
    expect(paths.length).toBeLessThanOrEqual(3)
  })

  test('are counted in the rendered prompt by a llama-server without the path for requests', async () => {
    const { count, paths } = await counterOf({
      '/apply-template': { prompt: '<|im_start|>user\n…' },
      '/tokenize': { tokens: Array.from({ length: 812 }, () => 1) },
    })
    expect([await count(), await count()]).toEqual([812, 812])
    expect(paths).toEqual([inputTokens, '/tokenize', '/apply-template', '/tokenize', '/apply-template', '/tokenize'])
  })

  test('are not counted by a llama-server whose template fails, which is not requested again', async () => {
    const { count, paths } = await counterOf({ '/tokenize': { tokens: [] } })
    expect([await count(), await count()]).toEqual([undefined, undefined])
    expect(paths).toEqual([inputTokens, '/tokenize', '/apply-template'])
  })

  test.each([
    ['negative', { input_tokens: -812 }],
    ['far too large', { input_tokens: 812_000 }],
    ['far too small', { input_tokens: 3 }],
    ['text', { input_tokens: 'many' }],
    ['a list', [812]],
    ['missing', {}],
  ])('that are %s are not used, and not requested again', async (_, answer) => {
    const { count, paths } = await counterOf({ [inputTokens]: answer })
    expect(await count()).toBeUndefined()
    const before = paths.length
    expect(await count()).toBeUndefined()
    expect(paths).toHaveLength(before)
  })
})
