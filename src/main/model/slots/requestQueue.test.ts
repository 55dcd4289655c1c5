import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ChatRequest, ModelClient, ModelEvent } from '../modelClient.ts'
import { chatRequest } from '../testing/modelServer.ts'
import { createRequestQueue, type QueuedServer, type RequestQueue } from './requestQueue.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A server whose answers the test begins and ends, and the requests that it has received. */
function controlledServer() {
  const received: string[] = []
  const answers = new Map<string, { begin(): void; end(calls?: boolean): void }>()
  const client: ModelClient = {
    async *stream({ messages }): AsyncGenerator<ModelEvent, void, void> {
      const name = messages[0]?.content ?? ''
      received.push(name)
      const begun = Promise.withResolvers<void>()
      const ended = Promise.withResolvers<boolean>()
      answers.set(name, { begin: begun.resolve, end: (calls = false) => (begun.resolve(), ended.resolve(calls)) })
      await begun.promise
      yield { kind: 'text', text: name }
      if (await ended.promise) yield { kind: 'call', call: { id: '1', name: 'read_file', arguments: '{}' } }
      yield { kind: 'finish', reason: 'stop' }
    },
    models: () => Promise.resolve([]),
  }
  return { received, client, answer: (name: string) => answers.get(name) ?? expect.fail(`${name} did not start`) }
}

const settled = () => vi.advanceTimersByTimeAsync(0)

function start(
  queue: RequestQueue,
  server: ReturnType<typeof controlledServer>,
  behavior: Partial<QueuedServer> & { slots?: number } = {},
) {
  const { slots, ...rest } = behavior
  const client = queue.schedule(server.client, { capacity: () => slots, keepsPrompts: () => true, ...rest })
  return async (name: string, change: Partial<ChatRequest> = {}) => {
    const notes: string[] = []
    const done = (async () => {
      for await (const event of client.stream(chatRequest({ messages: [{ role: 'user', content: name }], ...change })))
        if (event.kind === 'status') notes.push(event.note)
    })()
    done.catch(() => undefined)
    await settled()
    return { done, notes }
  }
}

test('as many requests run as the server has slots, and the others wait in order and say for how many', async () => {
  const server = controlledServer()
  const send = start(createRequestQueue(), server, { slots: 2 })
  for (const name of ['a', 'b']) await send(name, { conversation: name })
  const third = await send('c', { conversation: 'c' })
  const fourth = await send('d', { conversation: 'd' })
  expect(server.received).toEqual(['a', 'b'])
  expect(third.notes).toEqual(['The model server answers 2 requests at a time, and this one is next…'])
  expect(fourth.notes).toEqual(['The model server answers 2 requests at a time, and 1 is before this one…'])
  server.answer('b').end()
  await settled()
  expect(server.received).toEqual(['a', 'b', 'c'])
  expect(fourth.notes.at(-1)).toMatch(/this one is next…$/)
  server.answer('a').end()
  await settled()
  expect(server.received).toEqual(['a', 'b', 'c', 'd'])
})

test("a person's message goes before the requests of working conversations, and titles come last", async () => {
  const server = controlledServer()
  const send = start(createRequestQueue(), server, { slots: 1 })
  await send('a', { conversation: 'a' })
  await send('title', { urgency: 'background' })
  await send('b', { conversation: 'b' })
  await send('person', { conversation: 'c', urgency: 'person' })
  for (const name of ['a', 'person', 'b']) {
    server.answer(name).end()
    await settled()
  }
  expect(server.received).toEqual(['a', 'person', 'b', 'title'])
})

test('conversations take turns, the one that ran longest ago first', async () => {
  const server = controlledServer()
  const send = start(createRequestQueue(), server, { slots: 1 })
  for (const name of ['a1', 'b1', 'a2', 'c1', 'a3', 'b2']) {
    await send(name, { conversation: name.slice(0, 1) })
    vi.advanceTimersByTime(1)
  }
  for (const name of ['a1', 'b1', 'c1', 'a2', 'b2']) {
    server.answer(name).end()
    await vi.advanceTimersByTimeAsync(1)
  }
  expect(server.received).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test('where prompts would be lost, a conversation keeps its place while its call runs, but not for long', async () => {
  const server = controlledServer()
  const send = start(createRequestQueue(), server, { slots: 1, keepsPrompts: () => false })
  await send('a1', { conversation: 'a' })
  await send('b1', { conversation: 'b' })
  server.answer('a1').end(true)
  await vi.advanceTimersByTimeAsync(1000)
  expect(server.received).toEqual(['a1'])
  await send('a2', { conversation: 'a' })
  expect(server.received).toEqual(['a1', 'a2'])
  server.answer('a2').end(true)
  await vi.advanceTimersByTimeAsync(2000)
  expect(server.received).toEqual(['a1', 'a2', 'b1'])
})

test('a person does not wait for a kept place, and a conversation with a cached prompt does not run on for long', async () => {
  const server = controlledServer()
  const send = start(createRequestQueue(), server, { slots: 1, keepsPrompts: () => false })
  await send('a1', { conversation: 'a' })
  await send('b1', { conversation: 'b' })
  server.answer('a1').end(true)
  await settled()
  await send('person', { conversation: 'c', urgency: 'person' })
  expect(server.received).toEqual(['a1', 'person'])
  await vi.advanceTimersByTimeAsync(100_000)
  await send('c2', { conversation: 'c' })
  server.answer('person').end(true)
  await settled()
  expect(server.received).toEqual(['a1', 'person', 'b1'])
})

test('a request that is cancelled while it waits leaves the queue, and one that fails makes room', async () => {
  const server = controlledServer()
  const queue = createRequestQueue()
  const failing: ModelClient = {
    ...server.client,
    // eslint-disable-next-line require-yield
    async *stream(): AsyncGenerator<ModelEvent, void, void> {
      throw new Error('broken')
    },
  }
  const send = start(queue, server, { slots: 1 })
  await send('a', { conversation: 'a' })
  const controller = new AbortController()
  const cancelled = await send('b', { conversation: 'b', signal: controller.signal })
  const broken = await start(queue, { ...server, client: failing }, { slots: 1 })('f', { conversation: 'f' })
  await send('c', { conversation: 'c' })
  controller.abort()
  await expect(cancelled.done).rejects.toMatchObject({ name: 'AbortError' })
  server.answer('a').end()
  await expect(broken.done).rejects.toThrow('broken')
  await settled()
  expect(server.received).toEqual(['a', 'c'])
})

test('a server with an unknown number of slots is measured: a request that began only after another one had ended', async () => {
  const server = controlledServer()
  const send = start(createRequestQueue(), server)
  await send('a', { conversation: 'a' })
  server.answer('a').begin()
  await settled()
  for (const [running, next] of [
    ['a', 'b'],
    ['b', 'c'],
    ['c', 'd'],
  ] as const) {
    await send(next, { conversation: next })
    await vi.advanceTimersByTimeAsync(5000)
    server.answer(running).end()
    await vi.advanceTimersByTimeAsync(500)
    server.answer(next).begin()
    await settled()
  }
  expect(server.received).toEqual(['a', 'b', 'c', 'd'])
  const waiting = await send('e', { conversation: 'e' })
  expect(waiting.notes).toEqual(['The model server answers 1 request at a time, and this one is next…'])
  server.answer('d').end()
  await settled()
  expect(server.received).toEqual(['a', 'b', 'c', 'd', 'e'])
})

test('a server that answers several requests at once is not limited', async () => {
  const server = controlledServer()
  const send = start(createRequestQueue(), server)
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
    await send(name, { conversation: name })
    await vi.advanceTimersByTimeAsync(3000)
    server.answer(name).begin()
    await settled()
  }
  expect(server.received).toHaveLength(6)
})

test('while the server is away, a request does not keep others waiting', async () => {
  const server = controlledServer()
  const queue = createRequestQueue()
  const back = Promise.withResolvers<void>()
  const away: ModelClient = {
    ...server.client,
    async *stream(): AsyncGenerator<ModelEvent, void, void> {
      yield { kind: 'status', note: 'Cannot reach the server. Waiting for it…', isAway: true }
      await back.promise
      yield { kind: 'text', text: 'Back.' }
    },
  }
  const first = await start(queue, { ...server, client: away }, { slots: 1 })('a', { conversation: 'a' })
  const send = start(queue, server, { slots: 1 })
  await send('b', { conversation: 'b' })
  expect(server.received).toEqual(['b'])
  back.resolve()
  await first.done
  await send('c', { conversation: 'c' })
  expect(server.received).toEqual(['b'])
  server.answer('b').end()
  await settled()
  expect(server.received).toEqual(['b', 'c'])
  expect(queue.isIdle()).toBe(false)
})

test('a window that does not know the server yet does not open the queue', async () => {
  const server = controlledServer()
  const queue = createRequestQueue()
  await start(queue, server, { slots: 1 })('a', { conversation: 'a' })
  await start(queue, server)('b', { conversation: 'b' })
  expect(server.received).toEqual(['a'])
  queue.forget()
  await settled()
  expect(server.received).toEqual(['a', 'b'])
})

test('a guided question keeps the place of its conversation', async () => {
  const server = controlledServer()
  const send = start(createRequestQueue(), server, { slots: 1, keepsPrompts: () => false })
  await send('a1', { conversation: 'a', isAside: true })
  await send('b1', { conversation: 'b' })
  server.answer('a1').end()
  await settled()
  await send('a2', { conversation: 'a', isAside: true })
  expect(server.received).toEqual(['a1', 'a2'])
})
