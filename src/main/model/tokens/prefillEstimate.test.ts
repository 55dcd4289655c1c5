import { expect, test } from 'vitest'
import type { Usage } from '../../../shared/agent/conversation.ts'
import type { ChatMessage, ChatRequest, ModelClient, ModelEvent } from '../modelClient.ts'
import { chatRequest } from '../testing/modelServer.ts'
import { waitingLabel } from '../transport/waitingNotes.ts'
import { createPrefillEstimate } from './prefillEstimate.ts'

const user = (content: string): ChatMessage => ({ role: 'user', content })
/** A speed at which no progress is seen while the test runs. */
const slow = 0.001

/** A model whose answers wait once. @param usages what it reports, in the order of the requests */
function model(usages: Partial<Usage>[], countsCached = false) {
  let answers = 0
  const wrap = createPrefillEstimate({ estimate: (text) => text.length, countsCached })
  const client: ModelClient = wrap({
    models: () => Promise.resolve([]),
    async *stream(): AsyncGenerator<ModelEvent, void, void> {
      const usage = usages[answers++] ?? {}
      yield await Promise.resolve({ kind: 'status' as const, note: `${waitingLabel} 5 s` })
      yield { kind: 'text', text: 'Hi' }
      yield { kind: 'usage', usage: { promptTokens: 1, completionTokens: 1, ...usage } }
    },
  })
  return {
    /** Sends a request. @returns its waiting note */
    async ask(request: ChatRequest): Promise<string> {
      let note = ''
      for await (const event of client.stream(request)) if (event.kind === 'status') note = event.note
      return note
    },
  }
}

const system: ChatMessage = { role: 'system', content: 'You edit code.' }
const first = chatRequest({ messages: [system, user('x'.repeat(3000))] })
const next = { ...first, messages: [...first.messages, user('y'.repeat(1000))] }
const reports = (promptTokensPerSecond: number, more: Partial<Usage> = {}) => ({ promptTokensPerSecond, ...more })

test('without a measured speed the note stays; with one it estimates the share of the new tokens', async () => {
  const { ask } = model([reports(slow)])
  expect(await ask(first)).toBe(`${waitingLabel} 5 s`)
  expect(await ask(next)).toBe('Processing the prompt: about 0% of 1,028 new tokens (estimate)… 5 s')
})

test('a prompt that is read within three seconds has no estimate', async () => {
  const { ask } = model([reports(20)])
  await ask(first)
  expect(await ask({ ...first, messages: [...first.messages, user('short')] })).toBe(`${waitingLabel} 5 s`)
})

test('after a request beside the conversation the prompt counts as new, because the server may have replaced it', async () => {
  const { ask } = model([reports(slow)])
  await ask(first)
  expect(await ask(chatRequest({ messages: [user('z'.repeat(900))], isAside: true }))).toBe(`${waitingLabel} 5 s`)
  expect(await ask(next)).toMatch(/^Processing the prompt: about 0% of 4,\d{3} new tokens/)
})

/** @returns whether the last request had an estimate, so that a speed was known */
async function isMeasured(requests: readonly ChatRequest[], usages: Partial<Usage>[] = [], countsCached = false) {
  const { ask } = model(usages, countsCached)
  let note = ''
  for (const request of requests) note = await ask(request)
  return !note.startsWith(waitingLabel)
}

const aside = { ...first, messages: [user('z'.repeat(3000))], isAside: true }
/** Too short to teach a speed. */
const short = { ...first, messages: [user('z')], isAside: true }
const toolsOf = (length: number) => [{ name: 'a', description: 'x'.repeat(length), parameters: {} }]
const other = { ...first, messages: [system, user('o'.repeat(3000))] }
const otherNext = { ...other, messages: [...other.messages, user('y'.repeat(1000))] }

test('the time until an answer teaches the speed only if it is certain what the server had to read', async () => {
  expect(await isMeasured([first, next])).toBe(true)
  // The cache may have kept the prompt of this conversation, or not.
  expect(await isMeasured([short, first, aside, next])).toBe(false)
  expect(await isMeasured([short, other, first, otherNext])).toBe(false)
})

test('the time of a request beside the conversations teaches nothing, unless it is the first of all', async () => {
  expect(await isMeasured([short, aside, first])).toBe(false)
  expect(await isMeasured([aside, first])).toBe(true)
})

test('from the second message on there is an estimate, also where a title was made in between', async () => {
  const { ask } = model([])
  const warmUp = { ...first, messages: [system, user('')], tools: toolsOf(3000), isAside: true }
  await ask(warmUp)
  await ask({ ...first, tools: warmUp.tools })
  await ask(aside)
  expect(await ask({ ...next, tools: warmUp.tools })).toMatch(
    /^Processing the prompt: about \d+% of 7,\d{3} new tokens \(estimate\)/,
  )
})

test('a speed that Ollama computes from the whole prompt is that of its new part, where that is certain', async () => {
  // A prompt of which nearly all was cached, in the short time for the rest: far too fast.
  const { ask } = model([reports(slow, { promptTokens: 3000 }), reports(1e8, { promptTokens: 1e9 })], true)
  await ask(first)
  await ask(next)
  const last = { ...next, messages: [...next.messages, user('w'.repeat(2000))] }
  expect(await ask(last)).toMatch(/about 0% of 2,\d{3} new tokens/)
  expect(await isMeasured([short, first, aside, next], [{}, reports(9e6), {}, reports(9e6)], true)).toBe(false)
  // A newer version reports what was cached, so that its speed is that of the rest.
  expect(await isMeasured([aside, first, aside, next], [{}, reports(9e6, { cachedTokens: 0 })], true)).toBe(true)
})
