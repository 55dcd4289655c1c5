import { describe, expect, test } from 'vitest'
import { chatRequest, collect, delta, modelError, serve, textOf } from '../testing/modelServer.ts'
import { createCompatStore } from './compatStore.ts'
import { createOllamaClient } from './ollamaClient.ts'
import { createOpenAiClient } from './openAiClient.ts'

const answerSchema = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] }
const textPrompt = () => 'Tools: look.'
const tools = [{ name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } }]

/** A server that rejects bodies in which it finds a text, with its own error: by its status, or in the stream. */
async function strictServer(rejects: string, error: string, where: 'status' | 'stream' = 'status') {
  const bodies: Record<string, unknown>[] = []
  const { url } = await serve((_request, response, body) => {
    // The client sends objects.
    bodies.push(JSON.parse(body) as Record<string, unknown>)
    const refusal = JSON.stringify({ error: { code: 400, message: error } })
    const isRejected = rejects !== '' && body.includes(rejects)
    if (isRejected && where === 'status') return response.writeHead(400).end(refusal)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (isRejected) return response.end(`data: ${refusal}\n\n`)
    return response.end(`data: ${JSON.stringify(delta({ content: 'Hi' }, 'stop'))}\n\ndata: [DONE]\n\n`)
  })
  return { url, bodies }
}

describe('a field that the server rejects is left out, also by later clients of the server', () => {
  test.each([
    ['a grammar that it cannot compile', { answerSchema }, 'response_format', 'Failed to parse grammar: expected ::='],
    ['the progress', {}, 'return_progress', 'Unrecognized request argument: return_progress'],
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

describe('options of the template that a model does not have are left out for it, with native tools', () => {
  const mistral = 'chat_template is not supported for Mistral tokenizers.'
  test.each([
    ['an effort', mistral, { think: 'high' }],
    ['no thinking', mistral, { think: 'off' }],
    ['a strict server', 'Unknown field: chat_template_kwargs', { think: 'on' }],
  ] as const)('%s: %s', async (_, error, options) => {
    const { url, bodies } = await strictServer('chat_template_kwargs', error)
    const compatStore = createCompatStore()
    for (const model of ['alias', 'alias', 'other']) {
      const client = createOpenAiClient({
        name: 'V',
        baseUrl: url,
        server: 'vllm',
        compatStore,
        textPrompt,
        optionsOf: () => options,
      })
      expect(textOf(await collect(client, chatRequest({ model, tools })))).toBe('Hi')
    }
    expect(bodies.map((body) => 'chat_template_kwargs' in body)).toEqual([true, false, false, true, false])
    expect(bodies.every((body) => 'tools' in body)).toBe(true)
  })

  test('those of an extra body are an error, and no format is learned', async () => {
    const { url, bodies } = await strictServer('chat_template_kwargs', mistral)
    const extraBody = { chat_template_kwargs: { enable_thinking: false } }
    const client = createOpenAiClient({ name: 'V', baseUrl: url, textPrompt, optionsOf: () => ({ extraBody }) })
    expect((await modelError(collect(client, chatRequest({ tools })))).message).toContain(mistral)
    expect(bodies.every((body) => 'tools' in body)).toBe(true)
  })
})

describe('an effort that the server refuses becomes the nearest that it names, also for later clients', () => {
  test.each([
    [
      'vLLM of 2025',
      "[{'type': 'literal_error', 'loc': ('body', 'reasoning_effort'), 'msg': \"Input should be 'low', 'medium' or 'high'\", 'input': 'max'}]",
      'high',
    ],
    [
      'Qwen3.8 on llama-server b11434',
      "Unable to generate parser for this template. Automatic parser generation failed: \n------------\nWhile executing CallExpression at line 3, column 20 in source:\n...'medium', 'low'] -%}↵{{- raise_exception('Unexpected reasoning effort ' + e + '....\n   ^\nError: Jinja Exception: Unexpected reasoning effort max. Supported types are xhigh (default), medium, and low.",
      'xhigh',
    ],
    ['Alibaba', "'reasoning_effort' must be one of: 'none', 'minimal', 'low', 'medium', 'high', 'xhigh'", 'xhigh'],
    ['Hy3', 'reasoning_effort error : max, should be no_think/low/high', 'high'],
  ])('%s', async (_, error, sent) => {
    const { url, bodies } = await strictServer('"max"', error)
    const compatStore = createCompatStore()
    for (let round = 0; round < 2; round += 1) {
      const client = createOpenAiClient({
        name: 'L',
        baseUrl: url,
        compatStore,
        textPrompt,
        optionsOf: () => ({ think: 'max' }),
      })
      expect(textOf(await collect(client, chatRequest({ tools })))).toBe('Hi')
    }
    expect(bodies.map((body) => body['reasoning_effort'])).toEqual(['max', sent, sent])
    expect(bodies.every((body) => 'tools' in body)).toBe(true)
  })

  interface Sent {
    tools?: unknown
    reasoning_effort?: string
    chat_template_kwargs?: { reasoning_effort?: string }
  }

  /** A server that checks the field, and then the word that its template gets. */
  async function checkingServer(field: string, template: string, isReady?: (count: number) => Promise<void>) {
    const bodies: Sent[] = []
    const { url } = await serve(async (_request, response, text) => {
      // The client sends objects.
      const body = JSON.parse(text) as Sent
      bodies.push(body)
      await isReady?.(bodies.length)
      const { reasoning_effort: sent, chat_template_kwargs: options } = body
      const word = options?.reasoning_effort ?? sent
      const refuse = (message: string) => response.writeHead(400).end(JSON.stringify({ error: { message } }))
      if (sent && !field.split(', ').includes(sent)) return refuse(`'reasoning_effort' must be one of: ${field}`)
      if (word && !template.split(', ').includes(word))
        return refuse(`Jinja Exception: Unexpected reasoning effort ${word}. Supported types are ${template}.`)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return response.end(`data: ${JSON.stringify(delta({ content: 'Hi' }, 'stop'))}\n\ndata: [DONE]\n\n`)
    })
    const words = () => bodies.map((body) => `${body.reasoning_effort} ${body.chat_template_kwargs?.reasoning_effort}`)
    return { url, bodies, words }
  }

  const all = 'none, minimal, low, medium, high, xhigh, max'
  test.each([
    {
      name: 'the field lacks a word of the template',
      model: 'Qwen3.8-27B',
      think: 'xhigh',
      server: 'vllm',
      field: 'low, medium, high',
      template: 'low, medium, xhigh',
      words: ['xhigh xhigh', 'medium xhigh', 'medium xhigh'],
    },
    {
      name: 'field and template of an unknown model have different words',
      model: 'alias',
      think: 'max',
      server: 'llamacpp',
      field: 'low, medium, high',
      template: 'low, medium, xhigh',
      words: ['max max', 'high high', 'medium medium', 'medium medium'],
    },
    {
      name: 'the template has other words than its family',
      model: 'Qwen3.8-27B-tuned',
      think: 'medium',
      server: 'llamacpp',
      field: all,
      template: 'low, high',
      words: ['medium medium', 'low medium', 'high high', 'high high'],
    },
    {
      name: 'the field has no word of the family but "none"',
      model: 'Mistral-Small-4',
      think: 'high',
      server: 'llamacpp',
      field: 'none, low, medium',
      template: 'none, high',
      words: ['high high', 'medium high', 'medium high'],
    },
    {
      name: 'the server has no word for "off"',
      model: 'gpt-oss-20b',
      think: 'off',
      server: 'lmstudio',
      field: 'low, medium, high',
      template: 'low, medium, high',
      words: ['none undefined', 'low undefined', 'low undefined'],
    },
  ] as const)('$name: $model', async ({ model, think, server, field, template, words }) => {
    const { url, bodies, words: sent } = await checkingServer(field, template)
    const compatStore = createCompatStore()
    for (let round = 0; round < 2; round += 1) {
      const options = { name: 'L', baseUrl: url, server, compatStore, textPrompt, optionsOf: () => ({ think }) }
      expect(textOf(await collect(createOpenAiClient(options), chatRequest({ model, tools })))).toBe('Hi')
    }
    expect(sent()).toEqual(words)
    expect(bodies.every((body) => 'tools' in body)).toBe(true)
  })

  test.each([
    ['Qwen3.8-27B', 'medium xhigh'],
    ['alias', 'high high'],
  ])('two requests at the same time learn one list: %s', async (model, words) => {
    const both = Promise.withResolvers<void>()
    const { url, words: sent } = await checkingServer('low, medium, high', all, (count) => {
      if (count === 2) both.resolve()
      return both.promise
    })
    const client = createOpenAiClient({
      name: 'L',
      baseUrl: url,
      server: 'llamacpp',
      textPrompt,
      optionsOf: () => ({ think: 'xhigh' }),
    })
    const answers = await Promise.all([1, 2].map(() => collect(client, chatRequest({ model, tools }))))
    expect(answers.map((events) => textOf(events))).toEqual(['Hi', 'Hi'])
    expect(textOf(await collect(client, chatRequest({ model, tools })))).toBe('Hi')
    expect(sent()).toEqual(['xhigh xhigh', 'xhigh xhigh', words, words, words])
  })

  test.each(['Qwen3.8-27B', 'alias'])(
    'a server that refuses each word ends the turn with its error: %s',
    async (model) => {
      const { url, bodies } = await strictServer('reasoning_effort', `reasoning_effort must be one of: ${all}`)
      const client = createOpenAiClient({
        name: 'L',
        baseUrl: url,
        server: 'llamacpp',
        textPrompt,
        optionsOf: () => ({ think: 'high' }),
      })
      for (let round = 0; round < 2; round += 1)
        expect((await modelError(collect(client, chatRequest({ model, tools })))).message).toContain(
          'rejected the reasoning effort',
        )
      expect(bodies.length).toBeLessThanOrEqual(14)
      expect(bodies.every((body) => 'tools' in body)).toBe(true)
    },
  )

  test('Ollama before 0.22', async () => {
    const bodies: Record<string, unknown>[] = []
    const { url } = await serve((_request, response, body) => {
      // The client sends objects.
      bodies.push(JSON.parse(body) as Record<string, unknown>)
      if (!body.includes('"max"')) return response.end('{"message":{"content":"Hi"},"done":true}\n')
      return response
        .writeHead(400)
        .end(JSON.stringify({ error: 'invalid think value: "max" (must be "high", "medium", "low", true, or false)' }))
    })
    const client = createOllamaClient({ name: 'O', baseUrl: url, optionsOf: () => ({ think: 'xhigh' }) })
    expect(textOf(await collect(client, chatRequest({})))).toBe('Hi')
    expect(bodies.map((body) => body['think'])).toEqual(['max', 'high'])
  })

  test('a server that names none reports what to change, and nothing is left out', async () => {
    const { url, bodies } = await strictServer('reasoning_effort', 'reasoning_effort is not enabled for this model')
    const client = createOpenAiClient({ name: 'M', baseUrl: url, textPrompt, optionsOf: () => ({ think: 'high' }) })
    const error = await modelError(collect(client, chatRequest({ tools })))
    expect(`${error.message} ${error.hint}`).toMatch(
      /rejected the reasoning effort .*Select another value for "Thinking"/,
    )
    expect(bodies).toHaveLength(1)
  })
})

const grammarErrors = [
  'Failed to initialize samplers: failed to parse grammar',
  'JSON schema conversion failed: Unrecognized schema: {}',
  'The provided JSON schema contains features not supported by xgrammar.',
]

describe.each(['status', 'stream'] as const)(
  'a grammar that the server cannot compile, reported in the %s',
  (where) => {
    test('of an answer is left out', async () => {
      const { url, bodies } = await strictServer('response_format', 'Failed to parse grammar', where)
      const client = createOpenAiClient({ name: 'L', baseUrl: url, server: 'llamacpp' })
      expect(textOf(await collect(client, chatRequest({ answerSchema })))).toBe('Hi')
      expect(bodies.map((body) => 'response_format' in body)).toEqual([true, false])
    })

    test.each(grammarErrors)(
      'of tools is avoided by tools in the prompt, for good and with one reason: %s',
      async (error) => {
        const { url, bodies } = await strictServer('"tools"', error, where)
        const compatStore = createCompatStore()
        for (let round = 0; round < 2; round += 1) {
          const client = createOpenAiClient({ name: 'L', baseUrl: url, server: 'llamacpp', compatStore, textPrompt })
          const events = await collect(client, chatRequest({ tools }))
          expect(textOf(events)).toBe('Hi')
          expect(events.filter(({ kind }) => kind === 'toolsAsText')).toEqual([
            {
              kind: 'toolsAsText',
              text: expect.stringContaining('L cannot compile a grammar from the parameters'),
              hint: expect.stringContaining('MCP servers'),
              why: 'grammar',
            },
          ])
        }
        expect(bodies.map((body) => 'tools' in body)).toEqual([true, false, false])
      },
    )

    test('of strict tools is avoided by tools that are not strict', async () => {
      const { url, bodies } = await strictServer('"strict":true', grammarErrors[2] ?? '', where)
      const client = createOpenAiClient({ name: 'V', baseUrl: url, server: 'vllm', textPrompt })
      expect(textOf(await collect(client, chatRequest({ tools })))).toBe('Hi')
      expect(bodies.map((body) => JSON.stringify(body['tools']).includes('strict'))).toEqual([true, false])
    })
  },
)

/** A server that rejects the first requests with these errors, and answers the next ones. */
async function failingServer(...errors: object[]) {
  const bodies: Record<string, unknown>[] = []
  const { url } = await serve((_request, response, body) => {
    const error = errors[bodies.length]
    // The client sends objects.
    bodies.push(JSON.parse(body) as Record<string, unknown>)
    if (error) return response.writeHead(500).end(JSON.stringify(error))
    return response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(`data: ${JSON.stringify(delta({ content: 'Hi' }, 'stop'))}\n\n`)
  })
  return { url, bodies }
}

const brokenGrammar = { error: { message: 'Unexpected empty grammar stack after accepting piece: <think> (151667)' } }

test('a grammar that breaks while the model writes is tried once more, with native tools from then on too', async () => {
  const { url, bodies } = await failingServer(brokenGrammar)
  const compatStore = createCompatStore()
  for (let round = 0; round < 2; round += 1) {
    const client = createOpenAiClient({ name: 'L', baseUrl: url, server: 'llamacpp', compatStore, textPrompt })
    expect(textOf(await collect(client, chatRequest({ tools, answerSchema })))).toBe('Hi')
  }
  expect(bodies.map((body) => ['tools' in body, 'response_format' in body])).toEqual(Array(3).fill([true, true]))
})

test('a grammar that breaks twice is an error, and no format is learned', async () => {
  const { url, bodies } = await failingServer(brokenGrammar, brokenGrammar)
  const client = createOpenAiClient({ name: 'L', baseUrl: url, server: 'llamacpp', textPrompt })
  expect((await modelError(collect(client, chatRequest({ tools })))).message).toContain('empty grammar stack')
  expect(textOf(await collect(client, chatRequest({ tools })))).toBe('Hi')
  expect(bodies.map((body) => 'tools' in body)).toEqual([true, true, true])
})

test('an answer with a schema that llama-server cannot sample is requested without it', async () => {
  const { url, bodies } = await failingServer({ error: { message: 'Failed to initialize samplers: std::exception' } })
  const client = createOpenAiClient({ name: 'L', baseUrl: url, server: 'llamacpp' })
  expect(textOf(await collect(client, chatRequest({ answerSchema })))).toBe('Hi')
  expect(bodies.map((body) => 'response_format' in body)).toEqual([true, false])
})

test.each([
  [`[{'type': 'extra_forbidden', 'loc': ('body', 'tools', 0, 'function', 'strict'), 'msg': 'Extra inputs'}]`, false],
  ['Unrecognized request argument supplied: strict', false],
  [
    `[{'type': 'missing', 'loc': ('body', 'x'), 'msg': 'Field required', 'input': {'tools': [{'strict': True}]}}]`,
    true,
  ],
])('tools stay strict unless the server rejects that: %s', async (message, isStrict) => {
  const { url, bodies } = await failingServer({ error: { message } })
  const client = createOpenAiClient({ name: 'V', baseUrl: url, server: 'vllm', textPrompt })
  await collect(client, chatRequest({ tools })).catch(() => undefined)
  await collect(client, chatRequest({ tools }))
  expect(JSON.stringify(bodies.at(-1)?.['tools']).includes('"strict":true')).toBe(isStrict)
})

test('a grammar that breaks after the answer has begun is tried once more, and nothing is left out', async () => {
  const bodies: string[] = []
  const { url } = await serve((_request, response, body) => {
    bodies.push(body)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const error = { error: { code: 500, message: 'Unexpected empty grammar stack' } }
    response.end([delta({ content: 'Hi' }), error].map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
  })
  const client = createOpenAiClient({ name: 'L', baseUrl: url, server: 'llamacpp', textPrompt })
  expect((await modelError(collect(client, chatRequest({ tools })))).message).toContain('empty grammar stack')
  expect(bodies).toHaveLength(2)
  expect(bodies[1]).toBe(bodies[0])
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

test('a gateway gets the schema of an answer for a model that the user lets work in guided turns', async () => {
  const { url, bodies } = await strictServer('', '')
  const client = createOpenAiClient({ name: 'G', baseUrl: url, optionsOf: () => ({ calls: 'guided' }) })
  await collect(client, chatRequest({ answerSchema }))
  expect(bodies[0]).toMatchObject({ response_format: { json_schema: { schema: answerSchema } } })
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

test('Ollama keeps the format after an error that only mentions one', async () => {
  const bodies: Record<string, unknown>[] = []
  const { url } = await serve((_request, response, body) => {
    // The client sends objects.
    bodies.push(JSON.parse(body) as Record<string, unknown>)
    return response.writeHead(400).end('{"error":"invalid image format"}')
  })
  const client = createOllamaClient({ name: 'O', baseUrl: url })
  for (let round = 0; round < 2; round += 1) await modelError(collect(client, chatRequest({ answerSchema })))
  expect(bodies.map((body) => 'format' in body)).toEqual([true, true])
})

test.each([
  ['status', 500],
  ['stream', 200],
])('Ollama gets no format after it could not use one, reported in the %s', async (_, status) => {
  const bodies: Record<string, unknown>[] = []
  const { url } = await serve((_request, response, body) => {
    // The client sends objects.
    bodies.push(JSON.parse(body) as Record<string, unknown>)
    if (body.includes('"format"')) return response.writeHead(status).end('{"error":"invalid JSON schema in format"}\n')
    return response.end('{"message":{"content":"Hi"},"done":true}\n')
  })
  const compatStore = createCompatStore()
  for (let round = 0; round < 2; round += 1) {
    const client = createOllamaClient({ name: 'O', baseUrl: url, compatStore })
    expect(textOf(await collect(client, chatRequest({ answerSchema })))).toBe('Hi')
  }
  expect(bodies.map((body) => 'format' in body)).toEqual([true, false, false])
})
