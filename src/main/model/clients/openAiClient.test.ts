import { describe, expect, onTestFinished, test } from 'vitest'
import { isAbort } from '../../../shared/errors.ts'
import { ModelError, type ChatMessage } from '../modelClient.ts'
import { createOpenAiClient } from './openAiClient.ts'
import {
  answer,
  call,
  disconnect,
  waitForGate,
  raw,
  say,
  think,
  type Reply,
  type Scenario,
} from '../scripted/scenario.ts'
import { startScriptedEndpoint } from '../scripted/scriptedEndpoint.ts'
import { callsOf, chatRequest, collect, delta, modelError, serve, serveEvents, textOf } from '../testing/modelServer.ts'

async function scripted(play: (attempt: number) => Reply) {
  const scenario: Scenario = {
    name: 'test',
    turns: [{ prompt: /./, steps: [{ title: 'only', play: ({ attempt }) => play(attempt) }] }],
  }
  const endpoint = await startScriptedEndpoint(scenario)
  onTestFinished(() => endpoint.close())
  return endpoint
}
const clientAt = (baseUrl: string, timeouts = {}) => createOpenAiClient({ name: 'Test', baseUrl, timeouts })
const finishOf = (events: Awaited<ReturnType<typeof collect>>) => events.at(-1)

describe('a streamed answer', () => {
  test('yields text, reasoning, calls, usage and finish', async () => {
    const endpoint = await scripted(() => ({
      ...answer(think('hm'), say('Grüße, 世界!'), call('read_file', { path: 'a' })),
      usage: { promptTokens: 12, completionTokens: 34 },
    }))
    const events = await collect(clientAt(endpoint.url))
    expect(textOf(events)).toBe('Grüße, 世界!')
    expect(textOf(events, 'reasoning')).toBe('hm')
    expect(callsOf(events)).toMatchObject([{ name: 'read_file', arguments: '{"path":"a"}' }])
    expect(events.find((event) => event.kind === 'usage')).toMatchObject({
      usage: { promptTokens: 12, completionTokens: 34 },
    })
    expect(finishOf(events)).toEqual({ kind: 'finish', reason: 'tool_calls' })
  })

  test('is parsed if its content is a list of parts', async () => {
    const { url } = await serveEvents(
      delta({ content: [{ type: 'text', text: 'Hel' }, { type: 'image' }, null, { type: 'text', text: 'lo' }] }),
      delta({}, 'stop'),
    )
    expect(textOf(await collect(clientAt(url)))).toBe('Hello')
  })

  test('parses the same byte by byte', async () => {
    const endpoint = await scripted(() => ({
      ...answer(say('héllo 世界 🎉'), call('a', { text: 'ünïcode' }), call('b', {})),
      bytesPerWrite: 1,
    }))
    const events = await collect(clientAt(endpoint.url))
    expect(textOf(events)).toBe('héllo 世界 🎉')
    expect(callsOf(events).map(({ name, arguments: args }) => [name, args])).toEqual([
      ['a', '{"text":"ünïcode"}'],
      ['b', '{}'],
    ])
  })

  test.each(['', '/', '/v1', '/v1/', '//v1//', '/v1/chat/completions'])(
    'is requested at the base URL ending in "%s"',
    async (ending) => {
      const endpoint = await scripted(() => answer(say('here')))
      expect(textOf(await collect(clientAt(endpoint.url + ending)))).toBe('here')
    },
  )

  test('announces each of several parallel calls once, before their arguments are complete', async () => {
    const endpoint = await scripted(() => answer(call('one', { long: 'x'.repeat(100) }), call('two', { y: 2 })))
    const kinds = (await collect(clientAt(endpoint.url))).map((event) =>
      event.kind === 'callStarted'
        ? `started ${event.name}`
        : event.kind === 'call'
          ? `call ${event.call.name}`
          : event.kind,
    )
    expect(kinds).toEqual(['started one', 'started two', 'call one', 'call two', 'usage', 'finish'])
  })

  test('keeps arguments that are not JSON as the model wrote them', async () => {
    const endpoint = await scripted(() => answer(call('read_file', '{"path": ')))
    expect(callsOf(await collect(clientAt(endpoint.url)))[0]?.arguments).toBe('{"path": ')
  })

  test('separates reasoning in tags', async () => {
    const { url } = await serveEvents(
      delta({ content: '<thi' }),
      delta({ content: 'nk>why</th' }),
      delta({ content: 'ink>\n\nBecause.' }),
      delta({}, 'stop'),
      '[DONE]',
    )
    const events = await collect(clientAt(url))
    expect([textOf(events, 'reasoning'), textOf(events).trim()]).toEqual(['why', 'Because.'])
  })

  test.each(['reasoning_content', 'reasoning', 'thinking'])('reads reasoning from the field %s', async (field) => {
    const { url } = await serveEvents(delta({ [field]: 'why' }), delta({ content: 'so' }), delta({}, 'stop'), '[DONE]')
    expect(textOf(await collect(clientAt(url)), 'reasoning')).toBe('why')
  })

  test('is complete without [DONE] after a finish reason', async () => {
    const { url } = await serveEvents(delta({ content: 'all' }), delta({}, 'length'))
    expect(finishOf(await collect(clientAt(url)))).toEqual({ kind: 'finish', reason: 'length' })
  })

  test('is complete if the server never closes the connection after the finish reason', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`data: ${JSON.stringify(delta({ content: 'all' }, 'stop'))}\n\n`)
    })
    expect(textOf(await collect(clientAt(url, { trailingMs: 50 })))).toBe('all')
  })

  test('may be one JSON object if the server ignores `stream`', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify({
          choices: [
            {
              message: { content: 'whole', tool_calls: [{ id: 'x', function: { name: 'f', arguments: '{}' } }] },
              finish_reason: 'tool_calls',
            },
          ],
        }),
      )
    })
    const events = await collect(clientAt(url))
    expect([textOf(events), callsOf(events)[0]?.name]).toEqual(['whole', 'f'])
  })
})

describe('usage', () => {
  test("the speeds and the cached tokens are read from llama.cpp's timings", async () => {
    const { url } = await serveEvents(
      delta({ content: 'x' }),
      {
        ...delta({}, 'stop'),
        timings: { prompt_n: 1, cache_n: 2, prompt_per_second: 150, predicted_n: 7, predicted_per_second: 42.5 },
        usage: { prompt_tokens: 3, completion_tokens: 7 },
      },
      '[DONE]',
    )
    expect(await collect(clientAt(url))).toContainEqual({
      kind: 'usage',
      usage: {
        promptTokens: 3,
        completionTokens: 7,
        tokensPerSecond: 42.5,
        promptTokensPerSecond: 150,
        cachedTokens: 2,
      },
    })
  })

  test('more cached tokens than the prompt has are ignored', async () => {
    const { url } = await serveEvents(
      {
        ...delta({ content: 'x' }, 'stop'),
        usage: { prompt_tokens: 3, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 9 } },
      },
      '[DONE]',
    )
    const usage = (await collect(clientAt(url))).find(({ kind }) => kind === 'usage')
    expect(JSON.stringify(usage)).not.toContain('cachedTokens')
  })

  test('is estimated and marked as such if the server reports none', async () => {
    const endpoint = await scripted(() => ({ ...answer(say('some words here')), usage: null }))
    const usage = (await collect(clientAt(endpoint.url))).find((event) => event.kind === 'usage')?.usage
    expect(usage).toMatchObject({ estimated: true, completionTokens: 5 })
    expect(usage?.promptTokens).toBeGreaterThan(0)
  })

  test('is not requested again once the server rejects the option', async () => {
    const bodies: string[] = []
    const { url } = await serve((_request, response, body) => {
      bodies.push(body)
      if (body.includes('stream_options'))
        response
          .writeHead(400, { 'content-type': 'application/json' })
          .end('{"error":{"message":"Unknown field stream_options"}}')
      else
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end(`data: ${JSON.stringify(delta({ content: 'fine' }, 'stop'))}\n\ndata: [DONE]\n\n`)
    })
    const client = clientAt(url)
    expect(textOf(await collect(client))).toBe('fine')
    expect(textOf(await collect(client))).toBe('fine')
    expect(bodies.map((body) => body.includes('stream_options'))).toEqual([true, false, false])
  })
})

describe('errors', () => {
  test('no server is listening', async () => {
    const { url, server } = await serve(() => {})
    await new Promise((resolve) => server.close(resolve))
    const error = await modelError(collect(clientAt(url, { retryMs: 4 })))
    expect(error.code).toBe('unreachable')
    expect(error.hint).toMatch(/Start the model server/)
  })

  test('the host is unknown', async () => {
    expect((await modelError(collect(clientAt('http://tizona-test.invalid')))).code).toBe('unreachable')
  })

  test('the server uses plain HTTP instead of TLS', async () => {
    const { port } = await serve((_request, response) => response.end())
    const error = await modelError(collect(clientAt(`https://127.0.0.1:${port}`)))
    expect(error.code).toBe('unreachable')
    expect(error.hint).toMatch(/http:\/\/ instead of https/)
  })

  test.each([
    [401, '{"error":"bad key"}', 'unauthorised', /API key/],
    [404, '{"error":{"message":"model \\"m\\" not found"}}', 'no_model', /Select a model/],
    [404, 'Not Found', 'bad_response', /base URL/],
    [400, '{"error":{"message":"m does not support tools"}}', 'no_tools', /tool calls/],
    [
      400,
      '{"error":{"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}',
      'context_exceeded',
      /`-c`/,
    ],
    [500, '{"error":{"message":"boom"}}', 'server_error', /log/],
    [422, '{"detail":[{"msg":"field required"}]}', 'bad_request', /settings/],
    [200, '<!doctype html><p>hi', 'bad_response', /another program/],
    [500, '<html>Error</html>', 'bad_response', /another program/],
    [301, '', 'bad_response', /another program/],
  ] as const)('HTTP %i %s is %s', async (status, body, code, remedy) => {
    const { url } = await serve((_request, response) => {
      response.writeHead(status, { 'content-type': body.startsWith('<') ? 'text/html' : 'application/json' }).end(body)
    })
    const error = await modelError(collect(clientAt(url)))
    expect(error.code).toBe(code)
    expect(error.hint).toMatch(remedy)
  })

  test('a server that is loading its model is retried, and the user is informed', async () => {
    const endpoint = await scripted((attempt) =>
      attempt < 2
        ? { status: 503, headers: { 'retry-after': '0' }, body: '{"error":{"message":"Loading model","code":503}}' }
        : answer(say('ready')),
    )
    const events = await collect(clientAt(endpoint.url))
    expect(events.filter((event) => event.kind === 'status')).toEqual([
      { kind: 'status', note: 'Loading model…' },
      { kind: 'status', note: 'Loading model…' },
    ])
    expect(textOf(events)).toBe('ready')
  })

  test('a server that loads for too long fails', async () => {
    const endpoint = await scripted(() => ({ status: 503, body: '{"error":{"message":"Loading model"}}' }))
    expect((await modelError(collect(clientAt(endpoint.url, { retryMs: 5, loadingMs: 30 })))).code).toBe('loading')
  })

  test('a busy server is retried a few times', async () => {
    const endpoint = await scripted(() => ({ status: 503, body: '{"error":"maximum pending requests exceeded"}' }))
    expect((await modelError(collect(clientAt(endpoint.url, { retryMs: 1 })))).code).toBe('server_error')
    expect(endpoint.requests).toHaveLength(4)
  })

  test('a busy server is not retried before its Retry-After', async () => {
    const endpoint = await scripted((attempt) =>
      attempt === 0
        ? { status: 429, headers: { 'retry-after': '0' }, body: '{"error":"slow down"}' }
        : answer(say('now')),
    )
    expect(textOf(await collect(clientAt(endpoint.url, { retryMs: 60_000 })))).toBe('now')
    const closed = await scripted(() => ({
      status: 429,
      headers: { 'retry-after': '3600' },
      body: '{"error":"slow down"}',
    }))
    const error = await modelError(collect(clientAt(closed.url)))
    expect([error.code, error.message]).toEqual(['server_error', expect.stringMatching(/60 minutes/)])
    expect(closed.requests).toHaveLength(1)
  })

  test('a server that is starting is retried until it listens', async () => {
    const { url, port, server } = await serve(() => undefined)
    await new Promise((resolve) => server.close(resolve))
    const notes: string[] = []
    let text = ''
    for await (const event of clientAt(url, { retryMs: 40 }).stream(chatRequest())) {
      if (event.kind === 'text') text += event.text
      if (event.kind !== 'status' || notes.push(event.note) > 1) continue
      const started = await startScriptedEndpoint(
        { name: 's', turns: [{ prompt: /./, steps: [{ title: 'a', play: () => answer(say('up')) }] }] },
        { port },
      )
      onTestFinished(() => started.close())
    }
    expect(text).toBe('up')
    expect(notes[0]).toBe('Cannot reach the server. Waiting for it…')
  })

  test('a server that stays down fails after a few retries, other errors immediately', async () => {
    const { url, server } = await serve(() => undefined)
    await new Promise((resolve) => server.close(resolve))
    const notes = async (at: string) => {
      const told: string[] = []
      try {
        for await (const event of clientAt(at, { retryMs: 4 }).stream(chatRequest()))
          if (event.kind === 'status') told.push(event.note)
      } catch (error) {
        return [told.length, error instanceof ModelError && error.code]
      }
      return []
    }
    expect(await notes(url)).toEqual([3, 'unreachable'])
    const { url: plain } = await serve(() => undefined)
    expect(await notes(plain.replace('http:', 'https:'))).toEqual([0, 'unreachable'])
  })

  test('comments without data do not prevent a timeout', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const ping = setInterval(() => response.write(': still here\n\n'), 5)
      response.once('close', () => clearInterval(ping))
    })
    expect((await modelError(collect(clientAt(url, { headersMs: 60 })))).code).toBe('timeout')
  })

  test.each([
    [
      'with words',
      { choices: [{ delta: { reasoning_content: 'again '.repeat(20_000) } }] },
      /more than 1,000,000 characters/,
    ],
    ['without', { choices: [], padding: ' '.repeat(1_000_000) }, /more than 64 MiB/],
  ])('an endless answer is stopped, %s', async (_what, chunk, message) => {
    const piece = `data: ${JSON.stringify(chunk)}\n\n`
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const more = () => {
        while (!response.destroyed && response.write(piece));
      }
      response.on('drain', more)
      more()
    })
    const error = await modelError(collect(clientAt(url)))
    expect([error.code, error.message]).toEqual(['bad_response', expect.stringMatching(message)])
  })

  test('a lost connection in the middle of the answer', async () => {
    const endpoint = await scripted(() => answer(say('half an '), disconnect))
    const texts: string[] = []
    const error = await modelError(
      (async () => {
        for await (const event of clientAt(endpoint.url).stream(chatRequest()))
          if (event.kind === 'text') texts.push(event.text)
      })(),
    )
    expect(error.code).toBe('cut_off')
    expect(texts.join('')).toBe('half an '.repeat(4))
    expect(endpoint.requests).toHaveLength(4)
  })

  test('a stream that closes before its end is an error too, without an incomplete call', async () => {
    const { url } = await serveEvents(
      delta({ tool_calls: [{ index: 0, id: 'x', function: { name: 'f', arguments: '{"a":' } }] }),
    )
    expect((await modelError(collect(clientAt(url)))).code).toBe('cut_off')
  })

  test('a stream without an event is the error that the server reports without a stream', async () => {
    const message = `This model's maximum context length is 512 tokens. However, you requested 2436 tokens.`
    const bodies: Record<string, unknown>[] = []
    const { url } = await serve((_request, response, text) => {
      const body = JSON.parse(text) as Record<string, unknown>
      bodies.push(body)
      if (body['stream'] === true) response.writeHead(200, { 'content-type': 'text/event-stream' }).end()
      else response.writeHead(400).end(JSON.stringify({ error: { message } }))
    })
    expect(await modelError(collect(clientAt(url)))).toMatchObject({ code: 'context_exceeded' })
    expect(bodies.map((body) => [body['stream'], body['max_tokens']])).toEqual([
      [true, undefined],
      [false, 1],
    ])
  })

  test('malformed JSON in the middle of the stream', async () => {
    const endpoint = await scripted(() => answer(say('x'), raw('data: {"choices": [\n\n')))
    expect((await modelError(collect(clientAt(endpoint.url)))).code).toBe('bad_response')
  })

  test.each([
    ['data: {"error":{"message":"the request exceeds the available context size","code":400}}\n\n', 'context_exceeded'],
    ['error: {"code":500,"message":"slot broke"}\n\n', 'server_error'],
  ])('an error in the stream: %s', async (text, code) => {
    const endpoint = await scripted(() => answer(say('x'), raw(text)))
    expect((await modelError(collect(clientAt(endpoint.url)))).code).toBe(code)
  })

  test('an event of more than 16 MiB', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`data: ${'x'.repeat(17 * 1024 * 1024)}`)
    })
    expect((await modelError(collect(clientAt(url)))).code).toBe('bad_response')
  })

  test('timeouts before the headers and in the middle of the answer', async () => {
    const before = await scripted(() => answer(waitForGate('never')))
    expect((await modelError(collect(clientAt(before.url, { headersMs: 40 })))).code).toBe('timeout')
    const middle = await scripted(() => answer(say('x'), waitForGate('never')))
    expect((await modelError(collect(clientAt(middle.url, { chunkMs: 40 })))).code).toBe('timeout')
  })

  test('a pause that the measured speed explains is waited for, with a note, where calls are not streamed', async () => {
    let pending: (() => void) | undefined
    let count = 0
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const send = (chunk: object) => response.write(`data: ${JSON.stringify(chunk)}\n\n`)
      send(delta({ content: 'x' }))
      const end = () => {
        send({ ...delta({ content: 'y' }, 'stop'), timings: { predicted_per_second: 100, predicted_n: 2 } })
        response.end('data: [DONE]\n\n')
      }
      if (++count === 1) end()
      else pending = end
    })
    const client = clientAt(url, { chunkMs: 400, noticeMs: 20 })
    const tools = [{ name: 'write_file', description: '', parameters: {} }]
    await collect(client, chatRequest({ tools }))
    const events = []
    for await (const event of client.stream(chatRequest({ tools }))) {
      events.push(event)
      if (event.kind === 'status' && event.note === 'Waiting for the rest of the answer… 2 s') pending?.()
    }
    expect(textOf(events)).toBe('xy')
    // An answer without tools has no call to wait for.
    expect((await modelError(collect(client))).message).toContain('sent nothing for 0.4 s')
  })

  test('the error of a pause names the setting as headless runs need it', async () => {
    const middle = await scripted(() => answer(say('x'), waitForGate('never')))
    const client = clientAt(middle.url, { chunkMs: 40, configurable: true })
    expect((await modelError(collect(client))).hint).toContain('"Stream timeout" (patience.piece)')
  })

  test('a long wait is announced before it times out', async () => {
    const endpoint = await scripted(() => answer(waitForGate('go'), say('late')))
    const events = []
    for await (const event of clientAt(endpoint.url, { noticeMs: 10 }).stream(chatRequest())) {
      events.push(event)
      if (event.kind === 'status') endpoint.release('go')
    }
    expect(events[0]).toEqual({ kind: 'status', note: 'Waiting for the model…' })
    expect(textOf(events)).toBe('late')
  })
})

describe('cancelling', () => {
  test.each([
    ['before the headers', answer(waitForGate('never'))],
    ['in the middle', answer(say('x'), waitForGate('never'))],
  ])('%s closes the request and throws an AbortError', async (_when, reply) => {
    const endpoint = await scripted(() => reply)
    const controller = new AbortController()
    const done = collect(clientAt(endpoint.url), chatRequest({ signal: controller.signal })).then(
      () => undefined,
      (error: unknown) => error,
    )
    await expect.poll(() => endpoint.requests.length).toBe(1)
    controller.abort()
    expect(isAbort(await done)).toBe(true)
    expect(await endpoint.requests[0]?.ended).toBe('broken')
  })

  test('while the model is loading', async () => {
    const endpoint = await scripted(() => ({
      status: 503,
      headers: { 'retry-after': '30' },
      body: '{"error":{"message":"Loading model"}}',
    }))
    const controller = new AbortController()
    const error = await (async () => {
      for await (const event of clientAt(endpoint.url).stream(chatRequest({ signal: controller.signal })))
        if (event.kind === 'status') controller.abort()
    })().then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(isAbort(error)).toBe(true)
  })

  test('leaving the loop early closes the connection', async () => {
    const endpoint = await scripted(() => answer(say('x'), waitForGate('never')))
    for await (const event of clientAt(endpoint.url).stream(chatRequest())) if (event.kind === 'text') break
    expect(await endpoint.requests[0]?.ended).toBe('broken')
  })
})

test('the history is valid, whatever the conversation contains', async () => {
  const endpoint = await scripted(() => answer(say('ok')))
  const messages: ChatMessage[] = [
    { role: 'user', content: 'first' },
    {
      role: 'assistant',
      content: '',
      toolCalls: [
        { id: 'a', name: 'f', arguments: '{"broken' },
        { id: 'a', name: 'g', arguments: '{"x":1}' },
      ],
    },
    { role: 'tool', callId: 'a', name: 'f', content: 'one' },
    { role: 'user', content: 'again' },
  ]
  // The scripted endpoint answers 500 to a history that a strict server would refuse.
  expect(textOf(await collect(clientAt(endpoint.url), chatRequest({ messages })))).toBe('ok')
})

test('the key is sent in the header only', async () => {
  const endpoint = await scripted(() => answer(say('ok')))
  await collect(
    createOpenAiClient({
      name: 'Test',
      baseUrl: endpoint.url,
      connection: () => Promise.resolve({ headers: { authorization: 'Bearer s3cret' } }),
    }),
  )
  expect(endpoint.requests[0]?.headers.authorization).toBe('Bearer s3cret')
  expect(JSON.stringify(endpoint.requests[0]?.body)).not.toContain('s3cret')
})
