import { expect, test } from 'vitest'
import type { ChatRequest, ModelClient, ModelEvent } from '../../model/modelClient.ts'
import type { SourcedMessage } from '../conversation/items.ts'
import { requestNarrativeInConversation, sentPrompt, type SentPrompt } from './summaryRequest.ts'

const notes = 'Task and state: the counters of the modules are raised one by one.'
const sent: SentPrompt = {
  messages: [
    { role: 'system', content: 'You are a coding agent.' },
    { role: 'user', content: 'Raise the counters.' },
    { role: 'assistant', content: 'I will.' },
  ],
  tools: [{ name: 'read_file', description: 'Reads.', parameters: {} }],
  tokens: 1000,
}

async function request(events: readonly ModelEvent[], window = 8192) {
  const requests: ChatRequest[] = []
  const client = {
    async *stream(chat: ChatRequest): AsyncGenerator<ModelEvent, void, void> {
      requests.push(chat)
      yield* events
    },
  } as unknown as ModelClient
  const narrative = await requestNarrativeInConversation(
    { client, model: 'm', contextWindow: window, conversation: 'c', estimate: (text) => Math.ceil(text.length / 4) },
    { items: [], before: '', maxTokens: 500, sent, signal: new AbortController().signal },
  )
  return { narrative, requests }
}

test('a summary in place begins with the whole prompt of the conversation', async () => {
  const { narrative, requests } = await request([{ kind: 'text', text: notes }])
  expect(narrative).toEqual({ text: notes })
  const [chat] = requests
  expect(chat?.messages.slice(0, -1)).toEqual(sent.messages)
  expect(chat?.messages.at(-1)).toMatchObject({ role: 'user', content: expect.stringContaining('Call no tool') })
  expect(chat).toMatchObject({ tools: sent.tools, conversation: 'c' })
})

test('a model that calls a tool instead of writing notes has written none', async () => {
  const call = { kind: 'call', call: { id: 'c', name: 'read_file', arguments: '{}' } } as unknown as ModelEvent
  const { narrative } = await request([call])
  expect(narrative).toEqual({ problem: 'The model called a tool instead.' })
})

test('no summary is requested in place where the conversation leaves no room for it', async () => {
  const { narrative, requests } = await request([{ kind: 'text', text: notes }], 1600)
  expect(narrative).toBeUndefined()
  expect(requests).toEqual([])
})

test('the prompt in place ends before results that the server has not read, and with its last answer otherwise', () => {
  const call: SourcedMessage = {
    message: { role: 'assistant', content: '', toolCalls: [{ id: '1', name: 'read_file', arguments: '{}' }] },
  }
  const result: SourcedMessage = {
    message: { role: 'tool', callId: '1', name: 'read_file', content: 'x'.repeat(9000) },
  }
  const next: SourcedMessage = { message: { role: 'user', content: 'And now?' } }
  const before: SourcedMessage[] = sent.messages.map((message) => ({ message }))
  const known = (added: SourcedMessage[]) =>
    sentPrompt({
      messages: () => [...before, ...added],
      total: (messages = []) => messages.length,
      prompt: { tools: sent.tools },
    })
  expect(known([next])).toEqual({ ...sent, tokens: before.length })
  expect(known([call, result])).toEqual({ ...sent, tokens: before.length })
  expect(known([call, result, next]).messages).toEqual(sent.messages)
  expect(known([call, result, { message: { role: 'assistant', content: 'Done.' } }, next]).messages).toHaveLength(6)
})
