import type { ServerResponse } from 'node:http'
import { describe, expect, test, vi } from 'vitest'
import { ModelError, type ModelClient, type ModelEvent } from '../modelClient.ts'
import { serve } from '../testing/modelServer.ts'
import { createPromptSlots, type PromptSlots } from './promptSlots.ts'

const slotsOf = (count: number | undefined) =>
  createPromptSlots({
    root: 'http://127.0.0.1:1',
    target: { name: 'S', address: '127.0.0.1:1' } as never,
    connection: () => Promise.reject(new Error('not needed')),
    slots: () => count,
    closed: new AbortController().signal,
  })

test('with two slots, two conversations have one each as long as nothing else needs one', () => {
  const slots = slotsOf(2)
  expect(['a', 'b', 'a', 'b'].map(slots.conversation)).toEqual([0, 1, 0, 1])
})

test('a request beside a conversation takes the slot that was used the longest time ago', () => {
  const slots = slotsOf(2)
  expect(slots.conversation('a')).toBe(0)
  expect(slots.aside()).toBe(1)
  expect(slots.conversation('a')).toBe(0)
  expect(slots.conversation('b')).toBe(1)
  expect(slots.conversation('a')).toBe(0)
  expect(slots.aside()).toBe(1)
  expect(slots.conversation('a')).toBe(0)
})

test('with more slots, each conversation keeps its own, and a new one replaces the least recently used', () => {
  const slots = slotsOf(3)
  expect(['a', 'b', 'c', 'a'].map(slots.conversation)).toEqual([0, 1, 2, 0])
  expect(slots.conversation('d')).toBe(1)
  expect(slots.conversation('b')).toBe(2)
})

test('a server that claims any number of slots is believed without a list of them', () => {
  const slots = slotsOf(Number.MAX_SAFE_INTEGER)
  expect(['a', 'b', 'a'].map(slots.conversation)).toEqual([0, 1, 0])
})

test('a slot is not chosen on a server with one slot, or of another kind', () => {
  expect([slotsOf(1).conversation('a'), slotsOf(1).aside()]).toEqual([undefined, undefined])
  expect(slotsOf(undefined).conversation('a')).toBeUndefined()
})

/**
 * Sends a prompt of a conversation or of a sub-agent, of which the server takes so many tokens from its cache.
 * @param error the request fails
 */
async function read(slots: PromptSlots, id: string, cachedTokens: number, error?: ModelError): Promise<void> {
  const client = slots.watch({
    async *stream(): AsyncGenerator<ModelEvent, void, void> {
      if (error) throw error
      yield { kind: 'usage', usage: { promptTokens: 1000, completionTokens: 1, cachedTokens } }
    },
  } as unknown as ModelClient)
  const isAside = id === 'sub-agent'
  const slot = isAside ? slots.aside() : slots.conversation(id)
  const request = {
    model: 'm',
    messages: [{ role: 'user' as const, content: id }],
    tools: [],
    temperature: 0,
    signal: new AbortController().signal,
    ...(slot !== undefined && { slot }),
    ...(isAside && { isAside }),
  }
  for await (const event of client.stream(request)) void event
}

test('a conversation that comes back to a slot of another does not count as a failure of the slots', async () => {
  const slots = slotsOf(2)
  for (const id of ['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c']) await read(slots, id, 0)
  expect(slots.conversation('a')).toBeDefined()
})

test('a server that ignores the chosen slots gets no more choices, and no slot is promised to sub-agents', async () => {
  const slots = slotsOf(2)
  const { signal } = new AbortController()
  expect((await slots.keep(signal)).kept).toBe('otherSlot')
  for (const cached of [0, 0, 0]) await read(slots, 'a', cached)
  expect([slots.conversation('a'), slots.aside()]).toEqual([undefined, undefined])
  expect((await slots.keep(signal)).kept).toBe('unknown')
})

interface SlotServer {
  slots: PromptSlots
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
  server.slots = createPromptSlots({
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
    const { restore } = await slots.keep(signal)
    await read(slots, 'sub-agent', 0)
    server.status = undefined
    const restoring = restore()
    await vi.waitUntil(() => server.actions.length === 2)
    await read(slots, 'a', 1000)
    server.status = 501
    expect((await slots.keep(signal)).kept).toBe('lost')
    server.answerWaiting()
    await restoring
    server.status = 200
    expect((await slots.keep(signal)).kept).toBe('lost')
    expect(server.actions).toEqual(['save', 'restore', 'save'])
  })

  test('keeps the conversation in the file if another sub-agent starts before the slot is restored', async () => {
    const server = await slotServer()
    const { slots } = server
    await read(slots, 'a', 0)
    const { restore } = await slots.keep(signal)
    await read(slots, 'sub-agent', 0)
    server.status = undefined
    const restoring = restore()
    await vi.waitUntil(() => server.actions.length === 2)
    server.status = 200
    const second = await slots.keep(signal)
    expect(second.kept).toBe('saved')
    await read(slots, 'sub-agent', 0)
    server.answerWaiting()
    await restoring
    await second.restore()
    expect(server.actions).toEqual(['save', 'restore', 'restore'])
    await read(slots, 'a', 1000)
    expect((await slots.keep(signal)).kept).toBe('saved')
  })

  test('is not blamed for the prompt of another conversation after a restore', async () => {
    const { slots } = await slotServer()
    await read(slots, 'a', 0)
    await (await slots.keep(signal)).restore()
    await read(slots, 'b', 0)
    await read(slots, 'b', 0)
    expect((await slots.keep(signal)).kept).toBe('saved')
  })

  test('that did not give back a prompt is not asked again until it was started again', async () => {
    const { slots, actions } = await slotServer()
    await read(slots, 'a', 0)
    await (await slots.keep(signal)).restore()
    await read(slots, 'a', 0)
    expect((await slots.keep(signal)).kept).toBe('lost')
    await expect(read(slots, 'a', 0, new ModelError('unreachable', 'Gone.', ''))).rejects.toThrow('Gone.')
    await read(slots, 'a', 0)
    expect((await slots.keep(signal)).kept).toBe('saved')
    expect(actions).toEqual(['save', 'restore', 'save'])
  })

  test('that keeps prompts by itself is recognized by the next prompt of the conversation', async () => {
    const server = await slotServer()
    const { slots } = server
    server.status = 501
    const kept: string[] = []
    for (const cached of [1000, 1000, 0]) {
      await read(slots, 'a', cached)
      kept.push((await slots.keep(signal)).kept)
      await read(slots, 'sub-agent', 0)
    }
    await read(slots, 'a', 0)
    kept.push((await slots.keep(signal)).kept)
    expect(kept).toEqual(['lost', 'byServer', 'lost', 'lost'])
  })

  test('shows nothing about its cache if the sub-agent sent no request', async () => {
    const server = await slotServer()
    server.status = 501
    await read(server.slots, 'a', 0)
    for (let round = 0; round < 2; round++) {
      expect((await server.slots.keep(signal)).kept).toBe('lost')
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
  const slots = createPromptSlots({
    root: url,
    target: { name: 'S', kind: 'openai', baseUrl: url },
    connection: () => Promise.resolve({}),
    slots: () => 1,
    closed: new AbortController().signal,
  })
  const stopped = new AbortController()
  const first = slots.keep(stopped.signal)
  await vi.waitUntil(() => requests === 1)
  stopped.abort()
  expect((await first).kept).toBe('lost')
  expect((await slots.keep(new AbortController().signal)).kept).toBe('saved')
})
