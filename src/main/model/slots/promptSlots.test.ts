import { expect, test, vi } from 'vitest'
import type { ModelClient, ModelEvent } from '../clients/modelClient.ts'
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

/** Sends a prompt of a conversation, of which the server takes so many tokens from its cache. */
async function read(slots: PromptSlots, id: string, cachedTokens: number): Promise<void> {
  const client = slots.watch({
    async *stream(): AsyncGenerator<ModelEvent, void, void> {
      yield { kind: 'usage', usage: { promptTokens: 1000, completionTokens: 1, cachedTokens } }
    },
  } as unknown as ModelClient)
  const slot = slots.conversation(id)
  const request = {
    model: 'm',
    messages: [{ role: 'user' as const, content: id }],
    tools: [],
    temperature: 0,
    signal: new AbortController().signal,
    ...(slot !== undefined && { slot }),
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
