import { describe, expect, test } from 'vitest'
import { callsOf, chatRequest, collect, delta, serve, textOf } from '../testing/modelServer.ts'
import { createCompatStore } from './compatStore.ts'
import type { ClientOptions } from './clientOptions.ts'
import { createOpenAiClient } from './openAiClient.ts'

/** Large enough for a decision by the count of a prompt. */
const tools = ['read_file', 'write_file', 'list_dir', 'search'].map((name) => ({
  name,
  description: `Does what ${name} says, with a description that is long enough to be seen in the count of a prompt.`,
  parameters: { type: 'object', properties: { path: { type: 'string', description: 'Path below the folder.' } } },
}))
const textPrompt = (offered: readonly { name: string }[]) => `Tools: ${offered.map(({ name }) => name).join(', ')}.`

interface Body {
  tools?: object[]
  stream: boolean
  max_tokens?: number
  messages: { content: string }[]
}

/** A server that counts a token for 4 characters of what reaches its prompt. */
async function server(reads: 'tools' | 'no tools', usageOf: 'all' | 'whole answers' | 'none' = 'all') {
  const bodies: Body[] = []
  const { url } = await serve((_request, response, text) => {
    // The client under test wrote it.
    const body = JSON.parse(text) as Body
    bodies.push(body)
    const read = JSON.stringify(body.messages) + (reads === 'tools' && body.tools ? JSON.stringify(body.tools) : '')
    const usage = { prompt_tokens: Math.ceil(read.length / 4), completion_tokens: 3 }
    const content = body.messages[0]?.content.includes('Tools:')
      ? '<tool_call>\n{"name": "read_file", "arguments": {"path": "b"}}\n</tool_call>'
      : 'I have read the file.'
    if (!body.stream) {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ choices: [{ message: { content } }], ...(usageOf !== 'none' && { usage }) }))
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const events = [delta({ content }, 'stop'), ...(usageOf === 'all' ? [{ choices: [], usage }] : [])]
    response.end(`${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`)
  })
  const client = (options: Partial<ClientOptions> = {}) =>
    createOpenAiClient({ name: 'Test', baseUrl: url, textPrompt, ...options })
  return { bodies, client }
}

describe('a server that drops the tools of a request', () => {
  test.each(['all', 'whole answers'] as const)(
    'no longer invents answers: the request is sent again with calls as text (usage in %s)',
    async (usageOf) => {
      const { bodies, client } = await server('no tools', usageOf)
      const events = await collect(client(), chatRequest({ tools }))
      expect(bodies.map(({ stream, tools: sent }) => [stream, sent !== undefined])).toEqual([
        [true, true],
        [false, false],
        [false, true],
        [true, false],
      ])
      const discarded = events.findIndex(({ kind }) => kind === 'discarded')
      expect(textOf(events.slice(0, discarded))).toBe('I have read the file.')
      expect(callsOf(events.slice(discarded))).toMatchObject([{ name: 'read_file' }])
      expect(events.filter(({ kind }) => kind === 'usage')).toHaveLength(1)
      expect(events.find(({ kind }) => kind === 'toolsAsText')).toMatchObject({
        text: expect.stringMatching(/^Test drops the tools of a request\. The tools are described in the prompt/),
      })
    },
  )

  test('is queried once, also by another client', async () => {
    const { bodies, client } = await server('no tools')
    const compatStore = createCompatStore()
    await collect(client({ compatStore }), chatRequest({ tools }))
    await collect(client({ compatStore }), chatRequest({ tools }))
    expect(bodies.filter(({ stream }) => !stream)).toHaveLength(2)
    expect(bodies.at(-1)?.tools).toBeUndefined()
  })

  test('is queried after an answer that was stopped because it repeats itself', async () => {
    const { bodies, client } = await server('no tools')
    // Such an answer ends without a count, so the client has learned nothing from it.
    const events = await collect(client(), chatRequest({ tools, againstRepetition: true }))
    expect(bodies.map(({ stream, tools: sent }) => [stream, sent !== undefined])).toEqual([
      [false, false],
      [false, true],
      [true, false],
    ])
    expect(callsOf(events)).toMatchObject([{ name: 'read_file' }])
  })

  test('is known from its list of models', async () => {
    const { bodies, client } = await server('no tools')
    const events = await collect(client({ infoOf: () => ({ id: 'm', tools: false }) }), chatRequest({ tools }))
    expect(bodies.map(({ tools: sent }) => sent)).toEqual([undefined])
    expect(callsOf(events)).toHaveLength(1)
    expect(events.some(({ kind }) => kind === 'toolsAsText')).toBe(true)
  })

  test('gets them if the user has set that the model has tool calls', async () => {
    const { bodies, client } = await server('no tools')
    await collect(
      client({ infoOf: () => ({ id: 'm', tools: false }), optionsOf: () => ({ tools: true }) }),
      chatRequest({ tools }),
    )
    expect(bodies.map(({ tools: sent }) => sent?.length)).toEqual([4])
  })

  test('and reports no counts at all is queried once, and keeps its answers', async () => {
    const { bodies, client } = await server('no tools', 'none')
    const same = client()
    await collect(same, chatRequest({ tools }))
    expect(textOf(await collect(same, chatRequest({ tools })))).toBe('I have read the file.')
    expect(bodies.filter(({ stream }) => !stream)).toHaveLength(1)
  })
})

test('a server that reports a plausible count gets no other request', async () => {
  const { bodies, client } = await server('tools')
  await collect(client(), chatRequest({ tools }))
  expect(bodies).toHaveLength(1)
})
