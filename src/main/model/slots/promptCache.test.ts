import type { ServerResponse } from 'node:http'
import { describe, expect, test, vi } from 'vitest'
import { ModelError, type ModelClient, type ModelEvent } from '../modelClient.ts'
import { serve } from '../testing/modelServer.ts'
import { createPromptCache, type PromptCache } from './promptCache.ts'

const slotsOf = (count: number | undefined) =>
  createPromptCache({
    root: 'http://127.0.0.1:1',
    target: { name: 'S', address: '127.0.0.1:1' } as never,
    connection: () => Promise.reject(new Error('not needed')),
    slots: () => count,
    closed: new AbortController().signal,
  })

test.each([
  [2, 'otherSlot'],
  [undefined, 'unknown'],
])('with %s slots, nothing has to be saved beside a conversation', async (count, kept) => {
  expect((await slotsOf(count).keep('a', new AbortController().signal)).kept).toBe(kept)
})

/**
 * Sends a prompt of a conversation or of a sub-agent, of which the server takes so many tokens from its cache.
 * @param error the request fails
 */
async function read(slots: PromptCache, id: string, cachedTokens: number, error?: ModelError): Promise<void> {
  const client = slots.watch({
    async *stream(): AsyncGenerator<ModelEvent, void, void> {
      if (error) throw error
      yield { kind: 'usage', usage: { promptTokens: 1000, completionTokens: 1, cachedTokens } }
    },
  } as unknown as ModelClient)
  const isAside = id === 'sub-agent'
  const request = {
    model: 'm',
    messages: [{ role: 'user' as const, content: id }],
    tools: [],
    temperature: 0,
    signal: new AbortController().signal,
    ...(isAside ? { isAside } : { conversation: id }),
  }
  for await (const event of client.stream(request)) void event
}

test('a server that still has a prompt after that of another conversation keeps prompts', async () => {
  const cache = slotsOf(1)
  for (const id of ['a', 'b']) await read(cache, id, 0)
  expect(cache.keepsPrompts()).toBe(false)
  await read(cache, 'a', 1000)
  expect(cache.keepsPrompts()).toBe(true)
  await read(cache, 'b', 0)
  expect(cache.keepsPrompts()).toBe(false)
})

interface SlotServer {
  slots: PromptCache
  /** `save` and `restore` in the order of the requests. */
  actions: string[]
  /** The server answers the next requests with this status; undefined: not yet. */
  status: number | undefined
  /** Answers the requests that wait. */
  answerWaiting(): void
}

/** A llama-server with one slot that saves it. */
async function slotServer(): Promise<SlotServer> {
  const waiting: ServerResponse[] = []
  const server: SlotServer = {
    actions: [],
    status: 200,
    answerWaiting: () => waiting.splice(0).forEach((response) => response.end('{}')),
    slots: slotsOf(1),
  }
  const { url } = await serve((request, response) => {
    server.actions.push(String(request.url).replace(/.*action=/, ''))
    if (server.status === undefined) waiting.push(response)
    else response.writeHead(server.status).end('{}')
  })
  server.slots = createPromptCache({
    root: url,
    target: { name: 'S', kind: 'openai', baseUrl: url },
    connection: () => Promise.resolve({}),
    slots: () => 1,
    closed: new AbortController().signal,
  })
  return server
}

describe('a server with one slot', () => {
  const { signal } = new AbortController()

  test('that refused to save it is not asked again, also if it confirms an earlier restore late', async () => {
    const server = await slotServer()
    const { slots } = server
    await read(slots, 'a', 0)
    const { restore } = await slots.keep('a', signal)
    await read(slots, 'sub-agent', 0)
    server.status = undefined
    const restoring = restore()
    await vi.waitUntil(() => server.actions.length === 2)
    await read(slots, 'a', 1000)
    server.status = 501
    expect((await slots.keep('a', signal)).kept).toBe('lost')
    server.answerWaiting()
    await restoring
    server.status = 200
    expect((await slots.keep('a', signal)).kept).toBe('lost')
    expect(server.actions).toEqual(['save', 'restore', 'save'])
  })

  test('keeps the conversation in the file if another sub-agent starts before the slot is restored', async () => {
    const server = await slotServer()
    const { slots } = server
    await read(slots, 'a', 0)
    const { restore } = await slots.keep('a', signal)
    await read(slots, 'sub-agent', 0)
    server.status = undefined
    const restoring = restore()
    await vi.waitUntil(() => server.actions.length === 2)
    server.status = 200
    const second = await slots.keep('a', signal)
    expect(second.kept).toBe('saved')
    await read(slots, 'sub-agent', 0)
    server.answerWaiting()
    await restoring
    await second.restore()
    expect(server.actions).toEqual(['save', 'restore', 'restore'])
    await read(slots, 'a', 1000)
    expect((await slots.keep('a', signal)).kept).toBe('saved')
  })

  test('is not blamed for the prompt of another conversation after a restore', async () => {
    const { slots } = await slotServer()
    await read(slots, 'a', 0)
    await (await slots.keep('a', signal)).restore()
    await read(slots, 'b', 0)
    await read(slots, 'b', 0)
    expect((await slots.keep('b', signal)).kept).toBe('saved')
  })

  test('is not saved for a conversation whose prompt it no longer has', async () => {
    const { slots, actions } = await slotServer()
    for (const id of ['a', 'b']) await read(slots, id, 0)
    const kept = await slots.keep('a', signal)
    expect(kept).toMatchObject({ kept: 'lost', tokens: 1000 })
    expect(actions).toEqual([])
  })

  test('that did not give back a prompt is not asked again until it was started again', async () => {
    const { slots, actions } = await slotServer()
    await read(slots, 'a', 0)
    await (await slots.keep('a', signal)).restore()
    await read(slots, 'a', 0)
    expect((await slots.keep('a', signal)).kept).toBe('lost')
    await expect(read(slots, 'a', 0, new ModelError('unreachable', 'Gone.', ''))).rejects.toThrow('Gone.')
    await read(slots, 'a', 0)
    expect((await slots.keep('a', signal)).kept).toBe('saved')
    expect(actions).toEqual(['save', 'restore', 'save'])
  })

  test('that keeps prompts by itself is recognized by the next prompt of the conversation', async () => {
    const server = await slotServer()
    const { slots } = server
    server.status = 501
    const kept: string[] = []
    for (const cached of [1000, 1000, 0]) {
      await read(slots, 'a', cached)
      kept.push((await slots.keep('a', signal)).kept)
      await read(slots, 'sub-agent', 0)
    }
    await read(slots, 'a', 0)
    kept.push((await slots.keep('a', signal)).kept)
    expect(kept).toEqual(['lost', 'byServer', 'lost', 'lost'])
  })

  test('shows nothing about its cache if the sub-agent sent no request', async () => {
    const server = await slotServer()
    server.status = 501
    await read(server.slots, 'a', 0)
    for (let round = 0; round < 2; round++) {
      expect((await server.slots.keep('a', signal)).kept).toBe('lost')
      await read(server.slots, 'a', 1000)
    }
  })
})

test('a sub-agent that is stopped while the slot is saved does not end the saving of slots', async () => {
  let requests = 0
  const { url } = await serve((_request, response) => {
    requests += 1
    if (requests > 1) response.end('{}')
  })
  const slots = createPromptCache({
    root: url,
    target: { name: 'S', kind: 'openai', baseUrl: url },
    connection: () => Promise.resolve({}),
    slots: () => 1,
    closed: new AbortController().signal,
  })
  await read(slots, 'a', 0)
  const stopped = new AbortController()
  const first = slots.keep('a', stopped.signal)
  await vi.waitUntil(() => requests === 1)
  stopped.abort()
  expect((await first).kept).toBe('lost')
  expect((await slots.keep('a', new AbortController().signal)).kept).toBe('saved')
})
