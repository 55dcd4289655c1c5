import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import zlib from 'node:zlib'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createOllamaClient } from './clients/ollamaClient.ts'
import { createOpenAiClient } from './clients/openAiClient.ts'
import { embedAtServer } from './embeddings/serverEmbeddings.ts'
import { listOllama } from './clients/modelListing.ts'
import { listOpenAi } from './clients/openAiListing.ts'
import { createFimClient } from './fim/fimClient.ts'
import { pullModel } from './setup/ollamaPull.ts'
import { chatRequest, collect, delta, modelError, serve, textOf } from './testing/modelServer.ts'
import { countAtServer } from './tokens/serverTokenizer.ts'
import type { RequestTarget } from './transport/modelErrors.ts'

// Answers that no well-behaved server sends, over HTTP: each has a clear result, with every kind of request.

const signal = new AbortController().signal
const eventText = (...data: (object | string)[]) =>
  data.map((item) => `data: ${typeof item === 'string' ? item : JSON.stringify(item)}\n\n`).join('')

interface Api {
  type: string
  /** An answer with this text, without its end. */
  text(text: string): string
  /** @param usage JSON of the fields about usage, without braces */
  end(usage?: string): string
  chat(url: string, timeouts?: object): ReturnType<typeof collect>
}

const apis: Record<'openai' | 'ollama', Api> = {
  openai: {
    type: 'text/event-stream',
    text: (text) => eventText(delta({ content: text })),
    end: (usage = '"usage":null') => eventText(delta({}, 'stop'), `{"choices":[],${usage}}`, '[DONE]'),
    chat: (baseUrl, timeouts = {}) => collect(createOpenAiClient({ name: 'Test', baseUrl, timeouts })),
  },
  ollama: {
    type: 'application/x-ndjson',
    text: (text) => `${JSON.stringify({ message: { role: 'assistant', content: text }, done: false })}\n`,
    end: (usage = '"eval_count":1') => `{"message":{"content":""},"done":true,"done_reason":"stop",${usage}}\n`,
    chat: (baseUrl, timeouts = {}) => collect(createOllamaClient({ name: 'Test', baseUrl, timeouts })),
  },
}
const eachApi = ['openai', 'ollama'] as const
const targetAt = (baseUrl: string, kind: RequestTarget['kind'] = 'openai'): RequestTarget => ({
  name: 'Test',
  kind,
  baseUrl,
  model: 'm',
})

/** Every request besides chat whose answer is read. Resolves with something that shows what was read. */
const otherRequests = {
  'list of an OpenAI-compatible server': async (root: string) =>
    (await listOpenAi({ root, target: targetAt(root), signal })).models.map(({ id }) => id),
  'list of Ollama': async (root: string) =>
    (await listOllama({ root, target: targetAt(root, 'ollama'), signal })).models.map(({ id }) => id),
  embeddings: async (root: string) =>
    (await embedAtServer({ root, connection: {}, target: targetAt(root) }, ['x'], signal)).map((vector) => [...vector]),
  'token count': async (root: string) =>
    countAtServer(
      { root, target: targetAt(root), connection: async () => ({}) },
      {
        path: '/tokenize',
        body: {},
        timeouts: { connectMs: 1000, headersMs: 5000, chunkMs: 5000 },
        read: ({ count }) => count,
      },
      signal,
    ),
  'raw completion': async (root: string) => {
    const client = createFimClient({ access: async () => ({ root, connection: {}, target: targetAt(root) }) })
    const choice = { endpointId: 'e', model: 'm' }
    const prompt = { prompt: 'p', stop: [], maxTokens: 5, isComplete: () => false }
    return (await client.continueRaw(choice, prompt, signal)).text
  },
  'download of a model': async (root: string) => {
    const target = targetAt(root, 'ollama')
    await pullModel({ root, connection: {}, target, model: 'm', signal, onProgress: () => {} })
    return 'downloaded'
  },
}
const otherAnswers: Record<string, [type: string, text: string]> = {
  '/v1/models': ['application/json', '{"data":[{"id":"m"}]}'],
  '/api/tags': ['application/json', '{"models":[{"name":"m"}]}'],
  '/v1/embeddings': ['application/json', '{"data":[{"embedding":[1,2]}]}'],
  '/tokenize': ['application/json', '{"count":7}'],
  '/v1/completions': ['text/event-stream', eventText({ choices: [{ text: 'middle', finish_reason: 'stop' }] })],
  '/api/pull': ['application/x-ndjson', '{"status":"success"}\n'],
}
const expectedOf: Record<keyof typeof otherRequests, unknown> = {
  'list of an OpenAI-compatible server': ['m'],
  'list of Ollama': ['m'],
  embeddings: [[1, 2]],
  'token count': 7,
  'raw completion': 'middle',
  'download of a model': 'downloaded',
}
const eachOther = Object.keys(otherRequests) as (keyof typeof otherRequests)[]

const encodings = {
  gzip: zlib.gzipSync,
  'x-gzip': zlib.gzipSync,
  br: (data: Buffer) => zlib.brotliCompressSync(data, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
  deflate: zlib.deflateSync,
  ...(typeof zlib.zstdCompressSync === 'function' && { zstd: zlib.zstdCompressSync }),
}

describe('a compressed answer', () => {
  describe.each(Object.entries(encodings))('%s', (encoding, pack) => {
    const headers = { 'content-encoding': encoding.toUpperCase() }

    test.each(eachApi)('of %s is read instead of shown as invalid data', async (name) => {
      const api = apis[name]
      const { url } = await serve((_request, response) => {
        response.writeHead(200, { 'content-type': api.type, ...headers })
        response.end(pack(Buffer.from(api.text('Grüße') + api.end())))
      })
      expect(textOf(await api.chat(url))).toBe('Grüße')
    })

    test.each(eachOther)('%s is read', async (name) => {
      const { url } = await serve((request, response) => {
        const [type, text] = otherAnswers[request.url ?? ''] ?? []
        if (type === undefined) return void response.writeHead(404).end()
        response.writeHead(200, { 'content-type': type, ...headers }).end(pack(Buffer.from(text ?? '')))
      })
      expect(await otherRequests[name](url)).toEqual(expectedOf[name])
    })

    test('the error of a server is read', async () => {
      const { url } = await serve((_request, response) => {
        response.writeHead(400, headers).end(pack(Buffer.from('{"error":{"message":"no such thing"}}')))
      })
      expect((await modelError(apis.openai.chat(url))).message).toContain('no such thing')
    })

    test.runIf(encoding === 'gzip' || encoding === 'br').each(eachApi)(
      'a decompression bomb of %s is stopped',
      async (name) => {
        const bomb = pack(Buffer.alloc(65 * 1024 * 1024, 'x'))
        const { url } = await serve((_request, response) => {
          response.writeHead(200, { 'content-type': apis[name].type, ...headers }).end(bomb)
        })
        expect(await modelError(apis[name].chat(url))).toMatchObject({ code: 'bad_response' })
        await expect(otherRequests['list of Ollama'](url)).rejects.toMatchObject({
          code: 'bad_response',
          message: 'Test sent a response of more than 16 MiB.',
        })
      },
    )
  })

  test.each(eachApi)('of %s arrives token by token', async (name) => {
    const api = apis[name]
    let next = () => {}
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': api.type, 'content-encoding': 'gzip' })
      const packer = zlib.createGzip()
      packer.pipe(response)
      packer.write(api.text('one '))
      packer.flush()
      next = () => packer.end(api.text('two') + api.end())
    })
    const client =
      name === 'openai'
        ? createOpenAiClient({ name: 'Test', baseUrl: url })
        : createOllamaClient({ name: 'Test', baseUrl: url })
    let text = ''
    for await (const event of client.stream(chatRequest())) {
      if (event.kind !== 'text') continue
      // The second half is only sent after the first one has arrived.
      if (text === '') next()
      text += event.text
    }
    expect(text).toBe('one two')
  })

  test.each<[string, string, Buffer, string, RegExp]>([
    ['is not what it states', 'gzip', Buffer.from('plain text'), 'bad_response', /"gzip".*cannot be decompressed/],
    ['has an unknown compression', 'constructor', Buffer.from('x'), 'bad_response', /"constructor"/],
    ['is compressed twice', 'gzip, br', Buffer.from('x'), 'bad_response', /"gzip, br"/],
    ['is cut', 'gzip', zlib.gzipSync(apis.openai.text('hello')).subarray(0, -9), 'cut_off', /closed the connection/],
  ])('that %s is an error that names the cause', async (_, encoding, body, code, message) => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': encoding }).end(body)
    })
    const error = await modelError(apis.openai.chat(url))
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
  })
})

describe('figures that are no figures', () => {
  const odd = ['NaN', '-Infinity', '"12"', '"many"', '-5', '1e300', '1.5', 'null', '{"prompt_tokens":3}', '[]', 'true']
  const openAiUsages = odd.flatMap((value) => [
    `"usage":${value}`,
    `"usage":{"prompt_tokens":${value},"completion_tokens":${value},"prompt_tokens_details":{"cached_tokens":${value}}}`,
    `"timings":${value}`,
    `"timings":{"prompt_n":${value},"cache_n":${value},"predicted_n":${value},"predicted_per_second":${value},"prompt_per_second":${value}}`,
  ])
  const ollamaUsages = odd.map(
    (value) =>
      `"prompt_eval_count":${value},"eval_count":${value},"eval_duration":${value},"prompt_eval_duration":${value},"prompt_eval_cached_count":${value}`,
  )

  test.each([['openai', openAiUsages] as const, ['ollama', ollamaUsages] as const])(
    'in the usage of %s are estimated, and the answer is kept',
    async (name, usages) => {
      const api = apis[name]
      for (const usage of usages) {
        for (const whole of name === 'openai' ? [false, true] : [false]) {
          const { url } = await serve((_request, response) => {
            response.writeHead(200, { 'content-type': whole ? 'application/json' : api.type })
            response.end(
              whole
                ? `{"choices":[{"message":{"content":"NaN is \\"NaN\\""},"finish_reason":"stop"}],${usage}}`
                : api.text('NaN is "NaN"') + api.end(usage),
            )
          })
          const events = await api.chat(url)
          expect(textOf(events), usage).toBe('NaN is "NaN"')
          const reported = events.find((event) => event.kind === 'usage')?.usage
          expect(reported, usage).toMatchObject({ estimated: true })
          for (const figure of [reported?.promptTokens, reported?.completionTokens])
            expect(figure, usage).toSatisfy((count: number) => Number.isInteger(count) && count > 0 && count < 1000)
          expect(reported?.cachedTokens, usage).toBeUndefined()
        }
      }
    },
  )

  test('in lists and properties leave the size of the context unknown, and entries without a name out', async () => {
    for (const value of odd) {
      const { url } = await serve((request, response) => {
        const answers: Record<string, string> = {
          '/v1/models': `{"data":[{"id":"m","max_model_len":${value}},{"id":${value === '"12"' || value === '"many"' ? '""' : value}},{}]}`,
          '/props': `{"default_generation_settings":{"n_ctx":${value}},"total_slots":${value}}`,
          '/api/tags': `{"models":[{"name":"m"},{"name":7},{}]}`,
          '/api/ps': `{"models":[{"name":"m","context_length":${value}}]}`,
          '/api/show': `{"model_info":{"x.context_length":${value}}}`,
        }
        const text = answers[request.url ?? '']
        response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(text)
      })
      const listed = await listOpenAi({ root: url, target: targetAt(url), signal })
      expect(listed, value).toEqual({ server: 'llamacpp', models: [{ id: 'm', loaded: true }] })
      const tags = await listOllama({ root: url, target: targetAt(url, 'ollama'), signal })
      expect(tags.models, value).toEqual([{ id: 'm', contextWindow: 16_384, loaded: true }])
    }
  })

  test.each(['NaN', '"1"', '1e300', 'null'])('%s in an embedding is an error that names it', async (value) => {
    const { url } = await serve((_request, response) => response.end(`{"data":[{"embedding":[1,${value}]}]}`))
    await expect(otherRequests.embeddings(url)).rejects.toMatchObject({
      message: 'Test sent an embedding with values that are not numbers.',
    })
  })

  test.each(odd)('%s as a count of tokens is no count', async (value) => {
    const { url } = await serve((_request, response) => response.end(`{"count":${value}}`))
    expect(await otherRequests['token count'](url)).toBeUndefined()
  })
})

describe('a stream that never ends', () => {
  afterEach(() => vi.useRealTimers())

  /** Sends parts until the connection closes; `minutes` pass before each, on the clock that the limits use. */
  async function sendSlowly(response: ServerResponse, minutes: number, parts: Iterable<string>): Promise<void> {
    for (const part of parts) {
      if (response.destroyed) return
      await delay(2)
      vi.advanceTimersByTime(minutes * 60_000)
      response.write(part)
    }
  }
  function* forEver(part: string): Generator<string> {
    for (;;) yield part
  }
  const serveSlowly = (type: string, minutes: number, parts: () => Iterable<string>) => {
    vi.useFakeTimers({ toFake: ['performance'] })
    return serve((_request, response) => {
      response.writeHead(200, { 'content-type': type })
      void sendSlowly(response, minutes, parts()).then(() => response.end())
    })
  }

  test.each(eachApi)('one byte a minute from %s is ended, with the setting that changes it', async (name) => {
    const api = apis[name]
    const { url } = await serveSlowly(api.type, 1, function* () {
      yield api.text('begun')
      yield name === 'openai' ? 'data: ' : '{'
      yield* forEver('x')
    })
    expect(await modelError(api.chat(url))).toMatchObject({
      code: 'timeout',
      message: 'Test sent only a few bytes, and no complete part of an answer, within 5 minutes.',
      hint: expect.stringContaining('"Stream timeout"'),
    })
  })

  test.each<[string, 'openai' | 'ollama', string]>([
    ['comments', 'openai', ': keep-alive\n\n'],
    ['lines of an event that does not end', 'openai', 'data: {\n'],
    ['events without content', 'openai', eventText(delta({ content: '' }))],
    ['blank lines', 'ollama', '\n'],
    ['lines without content', 'ollama', apis.ollama.text('')],
  ])('%s without a token are ended after two hours', async (_, name, part) => {
    const { url } = await serveSlowly(apis[name].type, 4, () => forEver(part))
    expect(await modelError(apis[name].chat(url))).toMatchObject({
      code: 'timeout',
      message: 'Test kept the connection open for 120 minutes without sending any part of an answer.',
      hint: expect.stringContaining('"Answer timeout"'),
    })
  })

  test('the same progress of the prompt is no progress', async () => {
    const event = eventText({ choices: [], prompt_progress: { total: 9000, cache: 0, processed: 10 } })
    const { url } = await serveSlowly(apis.openai.type, 4, () => forEver(event))
    expect(await modelError(apis.openai.chat(url))).toMatchObject({ code: 'timeout' })
  })

  test.each<[string, string]>([
    ['JSON', '{"choices":'],
    ['blanks', ''],
  ])('%s that trickles as a whole answer is ended', async (_, begin) => {
    const { url } = await serveSlowly('application/json', 4, function* () {
      yield begin
      yield* forEver(' ')
    })
    expect(await modelError(apis.openai.chat(url))).toMatchObject({ code: 'timeout' })
  })

  test.each(eachOther)('%s that trickles is ended', async (name) => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const { url } = await serve((request, response) => {
      const [type, text = ''] = otherAnswers[request.url ?? ''] ?? []
      if (type === undefined) return void response.writeHead(404).end()
      response.writeHead(200, { 'content-type': type })
      response.write(text.slice(0, 3))
      void sendSlowly(response, 0.05, forEver('x'))
    })
    await expect(otherRequests[name](url)).rejects.toMatchObject({ code: 'timeout' })
  })

  test.each(eachApi)('a token every two seconds from %s for five hours is not ended', async (name) => {
    const api = apis[name]
    const { url } = await serveSlowly(api.type, 4, function* () {
      for (let at = 0; at < 75; at++) yield api.text('x')
      yield api.end()
    })
    expect(textOf(await api.chat(url))).toBe('x'.repeat(75))
  })

  test.each<[string, 'openai' | 'ollama', string]>([
    ['comments', 'openai', ': keep-alive\n\n'],
    ['blank lines', 'ollama', '\n'],
  ])('a prompt that takes an hour with %s is not ended', async (_, name, part) => {
    const api = apis[name]
    const { url } = await serveSlowly(api.type, 2, function* () {
      for (let at = 0; at < 30; at++) yield part
      yield api.text('done')
      yield api.end()
    })
    expect(textOf(await api.chat(url))).toBe('done')
  })

  test('a whole answer after an hour of blanks is not ended', async () => {
    const { url } = await serveSlowly('application/json', 2, function* () {
      for (let at = 0; at < 30; at++) yield '\n'
      yield '{"choices":[{"message":{"content":"done"},"finish_reason":"stop"}]}'
    })
    expect(textOf(await apis.openai.chat(url))).toBe('done')
  })
})

test('a stream of short lines that are no events ends early with its reason; comments do not count', async () => {
  let sent = 0
  const lines = Buffer.from('x\n'.repeat(32 * 1024))
  const { url } = await serve(async (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    while (sent < 65 * 1024 * 1024 && !response.destroyed) {
      sent += lines.length
      if (!response.write(lines)) await Promise.race([once(response, 'drain'), once(response, 'close')])
    }
    response.end()
  })
  expect(await modelError(collect(createOpenAiClient({ name: 'Test', baseUrl: url })))).toMatchObject({
    code: 'bad_response',
    message: 'Test sent more than 10,000 lines that are not server-sent events.',
  })
  expect(sent).toBeLessThan(16 * 1024 * 1024)
  const kept = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`${': ping\n'.repeat(30_000)}${eventText(delta({ content: 'Hello' }, 'stop'), '[DONE]')}`)
  })
  expect(textOf(await collect(createOpenAiClient({ name: 'Test', baseUrl: kept.url })))).toBe('Hello')
})
