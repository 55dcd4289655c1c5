import { describe, expect, test } from 'vitest'
import type { ChatMessage, ChatRequest } from '../modelClient.ts'
import { createOllamaClient } from './ollamaClient.ts'
import type { ClientOptions } from './clientOptions.ts'
import { createOpenAiClient } from './openAiClient.ts'
import { compatibleMessages } from './requestCompat.ts'
import { createCompatStore } from './compatStore.ts'
import { readRefusal } from './refusal.ts'
import { compatAfterRefusal, defaultCompat } from './refusalAdapter.ts'
import { callsOf, chatRequest, collect, modelError, serve } from '../testing/modelServer.ts'

const tools = [{ name: 'read_file', description: 'Reads.', parameters: { type: 'object' } }]
const textPrompt = (offered: readonly { name: string }[]) => `Tools: ${offered.map(({ name }) => name).join(', ')}.`
const history: ChatMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Read a.' },
  { role: 'assistant', content: 'I do.', toolCalls: [{ id: 'c1', name: 'read_file', arguments: '{"path":"a"}' }] },
  { role: 'tool', callId: 'c1', name: 'read_file', content: 'alpha' },
  { role: 'user', content: 'And b.' },
]

const roles = (messages: readonly { role: string }[]) => messages.map(({ role }) => role).join(' ')

interface Sent {
  tools?: unknown
  messages: { role: string; content: string }[]
}

/**
 * A server that sends the result of `answer` for each request: an error, or undefined for a complete answer with a call
 * in its text.
 */
async function server(
  answer: (body: Sent) => { status: number; message: string } | undefined,
  kind: 'openai' | 'ollama' = 'openai',
) {
  const sent: Sent[] = []
  const { url } = await serve((_request, response, text) => {
    // The client under test wrote it.
    const body = JSON.parse(text) as Sent
    sent.push(body)
    const refusal = answer(body)
    if (refusal) {
      response.writeHead(refusal.status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: kind === 'ollama' ? refusal.message : { message: refusal.message } }))
      return
    }
    const content = '<tool_call>\n{"name": "read_file", "arguments": {"path": "b"}}\n</tool_call>'
    response.writeHead(200, { 'content-type': kind === 'ollama' ? 'application/x-ndjson' : 'text/event-stream' })
    response.end(
      kind === 'ollama'
        ? `${JSON.stringify({ message: { role: 'assistant', content }, done: true, done_reason: 'stop' })}\n`
        : `data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`,
    )
  })
  const create = kind === 'ollama' ? createOllamaClient : createOpenAiClient
  return {
    sent,
    client: (options: Partial<ClientOptions> = {}) => create({ name: 'Test', baseUrl: url, textPrompt, ...options }),
  }
}

const request = (change: Partial<ChatRequest> = {}) => chatRequest({ messages: history, tools, ...change })

describe('a model without native tool calls', () => {
  test.each([
    ['openai', 500, 'tools param requires --jinja flag'],
    ['openai', 400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
    ['openai', 500, 'Value is not callable: null at row 12, column 4: {%- if tools %}'],
    ['ollama', 400, 'registry.ollama.ai/library/gemma3:4b does not support tools'],
  ] as const)('gets the tools in its prompt: %s, %i, %s', async (kind, status, message) => {
    const { sent, client } = await server((body) => (body.tools ? { status, message } : undefined), kind)
    const events = await collect(client(), request())
    expect(sent).toHaveLength(2)
    expect(sent[1]?.tools).toBeUndefined()
    expect(sent[1]?.messages).toMatchObject([
      { role: 'system', content: 'Be brief.\n\nTools: read_file.' },
      { role: 'user', content: 'Read a.' },
      {
        role: 'assistant',
        content: 'I do.\n<tool_call>\n{"name": "read_file", "arguments": {"path":"a"}}\n</tool_call>',
      },
      { role: 'user', content: '<tool_response>\nread_file: alpha\n</tool_response>\n\nAnd b.' },
    ])
    expect(callsOf(events)).toMatchObject([{ name: 'read_file', arguments: '{"path":"b"}' }])
    expect(events.filter((event) => event.kind === 'toolsAsText')).toHaveLength(1)
  })

  test('is remembered by another client of the same server', async () => {
    const { sent, client } = await server((body) =>
      body.tools ? { status: 400, message: 'm does not support tools' } : undefined,
    )
    const compatStore = createCompatStore()
    await collect(client({ compatStore }), request())
    await collect(client({ compatStore }), request())
    expect(sent.map((body) => body.tools !== undefined)).toEqual([true, false, false])
    await collect(client({ compatStore }), request({ model: 'another' }))
    expect(sent.map((body) => body.tools !== undefined)).toEqual([true, false, false, true, false])
  })

  test('gets no native tools if the user disabled them', async () => {
    const { sent, client } = await server(() => undefined)
    await collect(client({ optionsOf: () => ({ tools: false }) }), request())
    expect(sent.map((body) => body.tools)).toEqual([undefined])
  })

  test('the notice advises only options that the server does not have yet', async () => {
    const caps = { id: 'm', tools: false }
    const notice = async (options: Partial<ClientOptions>, refusal?: string) => {
      const { client } = await server((body) => (body.tools && refusal ? { status: 500, message: refusal } : undefined))
      const events = await collect(client(options), request())
      return events.flatMap((event) => (event.kind === 'toolsAsText' ? [event.text] : [])).join()
    }
    const llama = { server: 'llamacpp', infoOf: () => caps } as const
    expect(await notice(llama)).toMatch(/whose chat template supports tools, .*`--chat-template-file FILE`/)
    expect(await notice(llama)).not.toContain('--jinja')
    // The user chose native calls, which the server refuses.
    const native = { ...llama, optionsOf: () => ({ calls: 'native' as const }) } as const
    expect(await notice(native, 'tools param requires --jinja flag')).toContain('Start llama-server with `--jinja`.')
    const off = await notice({ ...llama, optionsOf: () => ({ tools: false }) })
    expect(off).toContain('Native tool calls of m on Test are turned off.')
    expect(off).not.toContain('llama-server')
    const vllm = { server: 'vllm', infoOf: () => caps } as const
    expect(await notice(vllm)).not.toContain('--tool-call-parser')
    const needsParser = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
    expect(await notice({ server: 'vllm' }, needsParser)).toContain('--tool-call-parser NAME')
  })

  test('is an error if the text prompt is disabled', async () => {
    const { client } = await server(() => ({ status: 400, message: 'm does not support tools' }))
    expect((await modelError(collect(client({ features: { textPrompt: false } }), request()))).code).toBe('no_tools')
  })
})

describe('a template with strict roles', () => {
  test('gets the system prompt in the first message if it has no system role', async () => {
    const { sent, client } = await server((body) =>
      body.messages[0]?.role === 'system' ? { status: 500, message: 'System role not supported' } : undefined,
    )
    await collect(client(), request({ messages: history.slice(0, 2) }))
    expect(sent[1]?.messages).toEqual([{ role: 'user', content: 'Be brief.\n\nRead a.' }])
  })

  test('gets alternating roles, and other formats if needed', async () => {
    const alternates = (body: Sent) =>
      body.messages.every(({ role }, position) => role === (position % 2 === 0 ? 'user' : 'assistant'))
    const { sent, client } = await server((body) =>
      alternates(body)
        ? undefined
        : { status: 500, message: 'Conversation roles must alternate user/assistant/user/assistant/...' },
    )
    await collect(client(), request())
    expect(sent.length).toBeLessThanOrEqual(4)
    expect(roles(sent.at(-1)?.messages ?? [])).toBe('user assistant user')
    expect(sent.at(-1)?.messages[0]?.content).toBe('Be brief.\n\nTools: read_file.\n\nRead a.')
  })

  test('that rejects every format fails with its own error message', async () => {
    const { sent, client } = await server(() => ({ status: 500, message: 'Conversation roles must alternate' }))
    expect((await modelError(collect(client(), request()))).message).toContain('Conversation roles must alternate')
    expect(sent.length).toBeLessThanOrEqual(5)
  })
})

/** Responses of llama-server (August 2026) with the templates that the makers of the models publish. */
const raised = (target: string, what: string) =>
  `Unable to generate parser for this template. Automatic parser generation failed: \n------------\nWhile executing CallExpression at ${target} in source:\n...\nError: Jinja Exception: ${what}`

describe('a history with two calls in a message', () => {
  const twice: ChatMessage[] = [
    ...history.slice(0, 2),
    {
      role: 'assistant',
      content: 'Both.',
      toolCalls: [
        { id: 'c1', name: 'read_file', arguments: '{"path":"a"}' },
        { id: 'c2', name: 'read_file', arguments: '{"path":"b"}' },
      ],
    },
    { role: 'tool', callId: 'c1', name: 'read_file', content: 'alpha' },
    { role: 'tool', callId: 'c2', name: 'read_file', content: 'Error (not_found): b does not exist.' },
  ]
  const callsIn = (body: Sent) =>
    body.messages.map((message) =>
      'tool_calls' in message && Array.isArray(message.tool_calls) ? message.tool_calls.length : 0,
    )
  const idsIn = (body: Sent) => JSON.stringify(body.messages).match(/"(?:tool_call_)?id":"[^"]*"/g) ?? []

  test('is sent to Llama 3.1 with one call per message and native tools, because its template rejects several', async () => {
    const { sent, client } = await server((body) =>
      callsIn(body).some((count) => count > 1)
        ? { status: 400, message: raised('line 71, column 32', 'This model only supports single tool-calls at once!') }
        : undefined,
    )
    await collect(client(), request({ messages: twice }))
    expect(roles(sent.at(-1)?.messages ?? [])).toBe('system user assistant tool assistant tool')
    expect(sent.at(-1)?.messages[3]?.content).toBe('alpha')
    expect(sent).toHaveLength(2)
    expect(sent[1]?.tools).toBeDefined()
  })

  test('has nine-character ids in calls and results for Mistral Nemo, with native tools', async () => {
    const { sent, client } = await server((body) =>
      idsIn(body).some((id) => !/":"[a-zA-Z0-9]{9}"$/.test(id))
        ? {
            status: 400,
            message: raised('line 62, column 36', 'Tool call IDs should be alphanumeric strings with length 9!'),
          }
        : undefined,
    )
    await collect(client(), request({ messages: twice }))
    const ids = idsIn(sent.at(-1) ?? { messages: [] }).map((id) => id.slice(-10, -1))
    expect(ids).toHaveLength(4)
    expect(new Set(ids).size).toBe(2)
    expect(sent).toHaveLength(2)
    expect(sent[1]?.tools).toBeDefined()
  })

  test('has a line break instead of an empty text beside calls for Qwen 3 on llama-server, with native tools', async () => {
    const isEmpty = (body: Sent) => body.messages.some(({ role, content }) => role === 'assistant' && content === '')
    const { sent, client } = await server((body) =>
      isEmpty(body)
        ? { status: 500, message: "Trying to call method 'lstrip' on null at row 41, column 128:" }
        : undefined,
    )
    const silent = twice.map((message) => (message.role === 'assistant' ? { ...message, content: '' } : message))
    await collect(client(), request({ messages: silent }))
    expect(isEmpty(sent[0] ?? { messages: [] })).toBe(true)
    expect(sent).toHaveLength(2)
    expect(sent[1]?.tools).toBeDefined()
    expect(sent[1]?.messages.map(({ content }) => content)).toContain('\n')
  })

  test.each([400, 500])(
    'is sent to Gemma 2 with alternating roles, because its template allows no results between them (HTTP %i)',
    async (status) => {
      const strict = (body: Sent) =>
        body.messages
          .filter(({ role }) => role !== 'system')
          .every(({ role }, position) => role === (position % 2 === 0 ? 'user' : 'assistant'))
      const { sent, client } = await server((body) =>
        strict(body)
          ? undefined
          : {
              status,
              message: raised(
                'line 1, column 226',
                'Conversation roles must alternate user/assistant/user/assistant/...',
              ),
            },
      )
      await collect(client(), request({ messages: twice }))
      expect(roles(sent.at(-1)?.messages ?? [])).toBe('system user assistant user')
      // The same without tools (for a summary) and with them.
      await collect(client(), request({ messages: twice, tools: [] }))
      expect(strict(sent.at(-1) ?? { messages: [] })).toBe(true)
    },
  )
})

test('a compacted conversation starts with a user message if roles alternate', () => {
  const messages: ChatMessage[] = [
    { role: 'assistant', content: 'Done.' },
    { role: 'user', content: 'More.' },
  ]
  expect(
    roles(
      compatibleMessages({ ...request(), messages }, { ...defaultCompat, roles: 'alternating' }, textPrompt).messages,
    ),
  ).toBe('user assistant user')
})

test('every format is deterministic, and a longer conversation keeps the prefix', () => {
  for (const form of [
    defaultCompat,
    { ...defaultCompat, tools: 'text' },
    { tools: 'text', system: 'inUser', roles: 'alternating' },
  ] as const) {
    const before = compatibleMessages({ ...request(), messages: history.slice(0, 4) }, form, textPrompt).messages
    const after = compatibleMessages(
      request({ messages: [...history.slice(0, 4), { role: 'assistant', content: 'So.' }] }),
      form,
      textPrompt,
    ).messages
    expect(after.slice(0, before.length)).toEqual(before)
  }
})

const causesOf = (message: string) => readRefusal(500, JSON.stringify({ error: { message } }), request())?.causes ?? []

// Errors of the chat templates in llama.cpp's models/templates (October 2025), rendered with @huggingface/jinja, for
// each request format.
test.each([
  [
    'google-gemma-2-2b-it',
    [
      ['System role not supported', { system: 'inUser' }],
      [
        'Conversation roles must alternate user/assistant/user/assistant/...',
        { system: 'inUser', roles: 'alternating' },
      ],
      [
        'Conversation roles must alternate user/assistant/user/assistant/...',
        { system: 'inUser', roles: 'alternating', tools: 'text' },
      ],
    ],
  ],
  ['meta-llama 3.1 8B, 3.2 3B, 3.3 70B', [['This model only supports single tool-calls at once!', { calls: 'one' }]]],
  [
    'Mistral-Small-3.2-24B-Instruct-2506, Mistral-Nemo-Instruct-2407',
    [['Tool call IDs should be alphanumeric strings with length 9!', { ids: 'nine' }]],
  ],
] as const)('after an error of the template of %s, the format that it can render is used', (_, steps) => {
  let form = defaultCompat
  for (const [raised, change] of steps) {
    const next = compatAfterRefusal(form, request(), { text: raised, causes: causesOf(raised) }, true)
    expect(next).toEqual({ ...defaultCompat, ...change })
    form = next ?? form
  }
})
