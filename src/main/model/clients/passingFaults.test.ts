import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { chatRequest, collect, delta, modelError, serve, textOf } from '../testing/modelServer.ts'
import type { ModelEvent } from '../modelClient.ts'
import { createOpenAiClient } from './openAiClient.ts'

const events = (...items: object[]) => items.map((item) => `data: ${JSON.stringify(item)}\n\n`).join('')
const good = `${events(delta({ content: 'Here it is.' }, 'stop'))}data: [DONE]\n\n`
const stream = (response: ServerResponse, text: string) =>
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text)
const page = '<html><head><title>502 Bad Gateway</title></head><body><center>nginx</center></body></html>'
const tools = [{ name: 'read_file', description: 'Reads.', parameters: { type: 'object' } }]

/** A server that fails with each of these in turn, and then answers. */
async function server(...failures: ((response: ServerResponse) => void)[]) {
  const bodies: string[] = []
  const { url } = await serve((_request, response, body) => {
    const fail = failures[bodies.length]
    bodies.push(body)
    if (fail) fail(response)
    else stream(response, good)
  })
  const client = createOpenAiClient({
    name: 'Test',
    baseUrl: url,
    timeouts: { retryMs: 4, loadingMs: 2000 },
    textPrompt: () => 'The tools.',
  })
  return { client, bodies }
}

/** The text of the answer that counts. */
const lastText = (all: ModelEvent[]) => textOf(all.slice(all.findLastIndex(({ kind }) => kind === 'discarded') + 1))

describe('a fault that passes does not end the turn', () => {
  test.each([
    ['a page of nginx', 502, page],
    ['the time limit of a proxy', 504, page],
    ['a proxy whose server restarts', 503, page],
    ["llama-server's router", 500, '{"error":{"message":"proxy error: Could not establish connection","code":500}}'],
    ['LM Studio', 400, '{"error":"Model unloaded."}'],
  ])('%s', async (_name, status, body) => {
    const fail = (response: ServerResponse) => response.writeHead(status).end(body)
    const { client, bodies } = await server(fail, fail, fail, fail, fail)
    const all = await collect(client)
    expect(lastText(all)).toBe('Here it is.')
    expect(bodies).toHaveLength(6)
    expect(all.find(({ kind }) => kind === 'status')).toMatchObject({
      note: `The server cannot reach the model (HTTP ${status}). Waiting for it…`,
    })
  })

  test.each([
    [
      'the connection ends',
      (response: ServerResponse) => void response.writeHead(200).write(begin, () => response.destroy()),
    ],
    [
      'the model is unloaded',
      (response: ServerResponse) => stream(response, begin + events({ error: 'Model unloaded.' })),
    ],
  ])('in the middle of an answer: %s', async (_name, fail) => {
    const { client, bodies } = await server(fail, fail)
    const all = await collect(client)
    expect(lastText(all)).toBe('Here it is.')
    expect(all.filter(({ kind }) => kind === 'discarded')).toHaveLength(2)
    expect(bodies).toHaveLength(3)
  })

  test('a proxy that never reaches its server is an error after a while, and no other program', async () => {
    const { url } = await serve((_request, response) => response.writeHead(502).end(page))
    const client = createOpenAiClient({ name: 'Box', baseUrl: url, timeouts: { retryMs: 4, loadingMs: 40 } })
    expect(await modelError(collect(client))).toMatchObject({
      code: 'server_error',
      message: 'The model behind Box does not respond (HTTP 502).',
    })
  })
})

const begin = events(delta({ content: 'Half of ' }))

describe('an answer that llama-server cannot parse', () => {
  const unread = (response: ServerResponse) =>
    stream(
      response,
      begin +
        events({
          error: {
            code: 500,
            message: 'The model produced output that does not match the expected peg-native format',
            type: 'server_error',
          },
        }),
    )
  const request = () => chatRequest({ tools })

  test('is requested once more in the same way', async () => {
    const { client, bodies } = await server(unread)
    const all = await collect(client, request())
    expect(lastText(all)).toBe('Here it is.')
    expect(bodies.map((body) => body.includes('"tools"'))).toEqual([true, true])
    expect(all.some(({ kind }) => kind === 'toolsAsText')).toBe(false)
  })

  test('is then requested with calls as text, with a notice', async () => {
    const { client, bodies } = await server(unread, unread)
    const all = await collect(client, request())
    expect(lastText(all)).toBe('Here it is.')
    expect(bodies.map((body) => body.includes('"tools"'))).toEqual([true, true, false])
    expect(all.find(({ kind }) => kind === 'toolsAsText')).toMatchObject({
      text: expect.stringMatching(/^Test cannot read the calls of m\. The tools are described in the prompt/),
    })
  })

  test('is an error if that fails too', async () => {
    const { client, bodies } = await server(unread, unread, unread)
    expect((await modelError(collect(client, request()))).code).toBe('server_error')
    expect(bodies).toHaveLength(3)
  })
})
