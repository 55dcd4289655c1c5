import { describe, expect, test } from 'vitest'
import { serve } from '../testing/modelServer.ts'
import { createTokenCounter, type CountingEndpoint } from './tokenCounter.ts'

const signal = new AbortController().signal
const long = 'const answer = compute(question)\n'.repeat(200)

function endpoint(root: string, headers: Record<string, string> = {}): CountingEndpoint {
  return {
    root,
    tokenizer: true,
    connection: () => Promise.resolve({ headers }),
    target: { name: 'Here', kind: 'openai', baseUrl: root },
  }
}
const estimating = () => createTokenCounter({ ...endpoint('http://127.0.0.1:9'), tokenizer: false }, 'm')

describe('an estimate', () => {
  test('is about 3.5 characters per token, and one token per Chinese character', () => {
    const counter = estimating()
    expect(counter.estimate('x'.repeat(350))).toBe(100)
    expect(counter.estimate('你好'.repeat(50))).toBe(100)
    expect(counter.estimate('привет'.repeat(50))).toBe(150)
    expect(counter.estimate('')).toBe(0)
  })

  test('adapts to the reported counts', () => {
    const counter = estimating()
    for (let turn = 0; turn < 20; turn++) counter.observe(counter.estimate(long), 2500)
    expect(counter.estimate(long)).toBeGreaterThan(2490)
    expect(counter.estimate(long)).toBeLessThan(2510)
  })

  test('ignores a short request, an empty report, and an implausible one', () => {
    const counter = estimating()
    const before = counter.estimate(long)
    counter.observe(20, 200)
    counter.observe(5000, 0)
    counter.observe(5000, 40)
    counter.observe(5000, 5_000_000)
    expect(counter.estimate(long)).toBe(before)
  })
})

describe('a server with a tokenizer', () => {
  test('that adds a token to a text of which every byte is one is used', async () => {
    const digits = '7'.repeat(3000)
    const { url } = await serve((_request, response) => response.end('{"count": 3001}'))
    const counter = createTokenCounter(endpoint(url), 'm')
    expect(await counter.count([digits], signal)).toBe(3001)
    expect(counter.exact).toBe(true)
  })

  test.each([
    ['more tokens than bytes', 1e12],
    ['no tokens', 0],
  ])('that counts %s is not used', async (_, count) => {
    let requests = 0
    const { url } = await serve((_request, response) => {
      requests += 1
      response.end(JSON.stringify({ count }))
    })
    const counter = createTokenCounter(endpoint(url), 'm')
    expect(await counter.count([long, `${long} `], signal)).toBe(counter.estimate(long) + counter.estimate(`${long} `))
    expect(counter.exact).toBe(false)
    expect(requests).toBe(1)
  })

  test.each([
    ['llama-server', '/tokenize', { tokens: Array.from({ length: 1234 }, (_, id) => id) }],
    ['vLLM and SGLang', '/tokenize', { count: 1234, max_model_len: 8192, tokens: [1, 2] }],
    ['KoboldCpp', '/api/extra/tokencount', { value: 1234, ids: [] }],
  ])('%s', async (_name, path, reply) => {
    const { url } = await serve((request, response) => {
      response
        .writeHead(request.url === path ? 200 : 404)
        .end(JSON.stringify(request.url === path ? reply : { detail: 'Not Found' }))
    })
    const counter = createTokenCounter(endpoint(url), 'm')
    expect(await counter.count([long], signal)).toBe(1234)
    expect(counter.exact).toBe(true)
  })

  test('counts a text once, with the key of the endpoint, and small texts are estimated', async () => {
    const asked: { key: string | undefined; body: unknown }[] = []
    const { url } = await serve((request, response, body) => {
      asked.push({ key: request.headers.authorization, body: JSON.parse(body) })
      response.end(JSON.stringify({ count: 1000 }))
    })
    const counter = createTokenCounter(endpoint(url, { authorization: 'Bearer k' }), 'qwen')
    expect(await counter.count([long, 'short', long], signal)).toBe(2000 + counter.estimate('short'))
    expect(await counter.count([long], signal)).toBe(1000)
    expect(asked).toEqual([
      { key: 'Bearer k', body: expect.objectContaining({ model: 'qwen', content: long, prompt: long }) },
    ])
  })

  test.each([
    ['does not have the address', 404, 'Not Found'],
    ['responds with 200 and an error, like LM Studio', 200, '{"error":"Unexpected endpoint or method."}'],
    ['responds with a page', 200, '<html></html>'],
  ])('is not used if it %s', async (_name, status, reply) => {
    let asked = 0
    const { url } = await serve((_request, response) => {
      asked += 1
      response.writeHead(status).end(reply)
    })
    const counter = createTokenCounter(endpoint(url), 'm')
    expect(await counter.count([long], signal)).toBe(counter.estimate(long))
    expect(counter.exact).toBe(false)
    const before = asked
    await counter.count([`${long} more`], signal)
    expect(asked).toBe(before)
  })

  test('never delays a turn: a slow count is replaced by an estimate', async () => {
    const { url } = await serve(() => undefined)
    const counter = createTokenCounter(endpoint(url), 'm')
    expect(await counter.count([long, `${long}2`], signal)).toBe(counter.estimate(long) + counter.estimate(`${long}2`))
  })

  test('is replaced by an estimate once it is stopped', async () => {
    const counter = createTokenCounter(endpoint('http://127.0.0.1:9'), 'm')
    expect(await counter.count([long], signal)).toBe(counter.estimate(long))
  })

  test('stops counting when cancelled', async () => {
    const controller = new AbortController()
    const { url } = await serve(() => controller.abort())
    await expect(createTokenCounter(endpoint(url), 'm').count([long], controller.signal)).rejects.toThrow(
      expect.objectContaining({ name: 'AbortError' }),
    )
  })
})
