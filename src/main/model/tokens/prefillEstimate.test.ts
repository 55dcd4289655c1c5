import { expect, test } from 'vitest'
import type { ChatMessage, ChatRequest, ModelClient, ModelEvent } from '../clients/modelClient.ts'
import { chatRequest } from '../testing/modelServer.ts'
import { waitingLabel } from '../transport/waitingNotes.ts'
import { createPrefillEstimate } from './prefillEstimate.ts'

const user = (content: string): ChatMessage => ({ role: 'user', content })
const usage = (promptTokensPerSecond: number): ModelEvent => ({
  kind: 'usage',
  usage: { promptTokens: 1, completionTokens: 1, promptTokensPerSecond },
})

/** A client that waits once and then reports a speed. */
const waits: ModelClient = {
  models: () => Promise.resolve([]),
  async *stream() {
    yield await Promise.resolve({ kind: 'status' as const, note: `${waitingLabel} 5 s` })
    yield usage(0.001)
  },
}

async function noteOf(client: ModelClient, request: ChatRequest): Promise<string> {
  for await (const event of client.stream(request)) if (event.kind === 'status') return event.note
  throw new Error('There was no note.')
}

test('without a measured speed the note stays; with one it estimates the share of the new tokens', async () => {
  const client = createPrefillEstimate((text) => text.length)(waits)
  const first = chatRequest({ messages: [user('x'.repeat(3000))] })
  for await (const event of client.stream(first))
    if (event.kind === 'status') expect(event.note).toBe(`${waitingLabel} 5 s`)
  const longer = { ...first, messages: [...first.messages, user('y'.repeat(1000))] }
  expect(await noteOf(client, longer)).toBe('Reading the prompt: about 0 % of 1,028 new tokens… 5 s')
})

test('a prompt with little new text has no estimate', async () => {
  const client = createPrefillEstimate((text) => text.length)(waits)
  const first = chatRequest({ messages: [user('x'.repeat(3000))] })
  for await (const event of client.stream(first)) void event
  expect(await noteOf(client, { ...first, messages: [...first.messages, user('short')] })).toBe(`${waitingLabel} 5 s`)
})
