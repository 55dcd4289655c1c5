import { expect, it } from 'vitest'
import { createOpenAiClient } from '../clients/openAiClient.ts'
import type { ChatRequest, ModelClient, ModelEvent } from '../modelClient.ts'
import { delta, serve, serveEvents } from '../testing/modelServer.ts'
import { checkModel } from './toolCallCheck.ts'

const never = new AbortController().signal
const clientOf = (url: string): ModelClient => createOpenAiClient({ name: 'Test', baseUrl: url })

/** A client whose answer is these events. */
const answering = (...events: ModelEvent[]): ModelClient => ({
  async *stream() {
    yield* events
  },
  models: () => Promise.resolve([]),
})
const call: ModelEvent = { kind: 'call', call: { id: '1', name: 'read_file', arguments: '{"path":"notes.txt"}' } }

it('a call through the interface of the server counts as native, and its context size is reported', async () => {
  const { url } = await serveEvents(
    delta({
      tool_calls: [
        { index: 0, id: 'c', type: 'function', function: { name: 'read_file', arguments: '{"path":"notes.txt"}' } },
      ],
    }),
    delta({}, 'tool_calls'),
    '[DONE]',
  )
  const checked = await checkModel({ client: clientOf(url), contextWindow: 8192 }, 'm', never)
  expect(checked).toMatchObject({ calls: 'native', contextWindow: 8192 })
  expect(checked.firstAnswerMs).toBeLessThanOrEqual(checked.totalMs)
})

it('a call after the server refused tools counts as text', async () => {
  const hint = 'Start it with --jinja.'
  const told: ModelEvent = { kind: 'toolsAsText', text: 'The server accepts no tools.', hint, why: 'unsupported' }
  expect(await checkModel({ client: answering(told, call) }, 'm', never)).toMatchObject({ calls: 'text', hint })
})

it('a call in the text of the answer counts as text', async () => {
  const { url } = await serveEvents(
    delta({ content: '<tool_call>\n{"name": "read_file", "arguments": {"path": "notes.txt"}}\n</tool_call>' }),
    delta({}, 'stop'),
    '[DONE]',
  )
  expect(await checkModel({ client: clientOf(url) }, 'm', never)).toMatchObject({ calls: 'text' })
})

it('an answer without a call, and a call of a tool that does not exist, count as none', async () => {
  const { url } = await serveEvents(delta({ content: 'I cannot read files.' }), delta({}, 'stop'), '[DONE]')
  expect(await checkModel({ client: clientOf(url) }, 'm', never)).toMatchObject({ calls: 'none' })
  const other: ModelEvent = { kind: 'call', call: { id: '1', name: 'open', arguments: '{}' } }
  expect(await checkModel({ client: answering(other) }, 'm', never)).toMatchObject({ calls: 'none' })
})

it('the request is closed at the first call, even if the server goes on', async () => {
  let closed = false
  const { url } = await serve((request, response) => {
    request.socket.once('close', () => (closed = true))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const fields = {
      tool_calls: [
        { index: 0, id: 'c', type: 'function', function: { name: 'read_file', arguments: '{"path":"notes.txt"}' } },
      ],
    }
    response.write(`data: ${JSON.stringify(delta(fields))}\n\ndata: ${JSON.stringify(delta({}, 'tool_calls'))}\n\n`)
    response.write('data: [DONE]\n\n')
  })
  expect(await checkModel({ client: clientOf(url) }, 'm', never)).toMatchObject({ calls: 'native' })
  await expect.poll(() => closed).toBe(true)
})

it('a failure of the server and a cancelled check are passed on', async () => {
  const { url } = await serve((_request, response) => {
    response.writeHead(500).end('out of memory')
  })
  await expect(checkModel({ client: clientOf(url) }, 'm', never)).rejects.toThrow('out of memory')
  await expect(checkModel({ client: clientOf(url) }, 'm', AbortSignal.abort())).rejects.toMatchObject({
    name: 'AbortError',
  })
})

it('a model of guided turns gets no tool, and a short answer under a schema', async () => {
  const requests: ChatRequest[] = []
  const answers = (text: string): ModelClient => ({
    async *stream(request) {
      requests.push(request)
      yield { kind: 'text', text }
    },
    models: () => Promise.resolve([]),
  })
  const check = (text: string) => checkModel({ client: answers(text), guided: {} }, 'm', never)
  expect(await check('{"action": "read", "path": "notes.txt"}')).toMatchObject({ calls: 'guided' })
  expect(await check('{"action": "search", "path": "./notes.txt"}')).toMatchObject({ calls: 'guided' })
  expect(await check('{"action": "read", "path": "notes')).toMatchObject({ calls: 'none' })
  expect(await check('{"action": "read", "path": ""}')).toMatchObject({ calls: 'none' })
  expect(requests[0]).toMatchObject({ tools: [], maxTokens: 100, answerSchema: { type: 'object' } })
})

it('an answer that was cut before its call says so, and not that the model called nothing', async () => {
  const thinks: ModelEvent = { kind: 'reasoning', text: 'First, ' }
  const cut: ModelEvent = { kind: 'finish', reason: 'length' }
  expect(await checkModel({ client: answering(thinks, cut) }, 'm', never)).toMatchObject({ calls: 'cut' })
  expect(await checkModel({ client: answering(call, cut) }, 'm', never)).toMatchObject({ calls: 'native' })
})

it('an endless answer ends after a number of tokens', async () => {
  let limit: number | undefined
  const client: ModelClient = {
    async *stream({ maxTokens }) {
      limit = maxTokens
      yield { kind: 'text', text: 'the the the' }
    },
    models: () => Promise.resolve([]),
  }
  expect(await checkModel({ client }, 'm', never)).toMatchObject({ calls: 'none' })
  expect(limit).toBe(2000)
})
