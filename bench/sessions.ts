import { setTimeout as delay } from 'node:timers/promises'
import { createOpenAiClient } from '../src/main/model/clients/openAiClient.ts'
import type { ChatMessage, ModelClient } from '../src/main/model/modelClient.ts'
import { createPromptCache } from '../src/main/model/slots/promptCache.ts'
import { createRequestQueue } from '../src/main/model/slots/requestQueue.ts'
import { notPrepared, startRealServer, type RealServer } from '../src/main/testing/real/realServers.ts'
import { median, type Row } from './row.ts'

const conversations = 3
const requestsEach = 5
const personMessages = 3
/** How long the calls of a conversation take, in milliseconds. */
const callMs = 200
/** Options of llama-server. The later `-np` counts. */
const servers = [
  { what: 'its defaults (four slots)', slots: 4, args: ['-np', '4', '--kv-unified'] },
  { what: 'one slot', slots: 1, args: [] },
  { what: 'one slot and no cache in memory', slots: 1, args: ['--cache-ram', '0'] },
] as const

/**
 * Lets three conversations work at once on one real llama-server, with and without the queue: how much of their prompts
 * is computed again, and how long the first token of a person's message takes beside them. Not run without the server.
 */
export async function measure(): Promise<Row[]> {
  const missing = await notPrepared('llama-server')
  if (missing !== undefined) {
    console.log(`not run: ${missing}`)
    return []
  }
  const rows: Row[] = []
  for (const { what, slots, args } of servers) {
    const without = await onServer(args, (server) => work(server, clientOf(server)))
    const queued = await onServer(args, (server) => work(server, withQueue(server, slots)))
    rows.push(
      {
        question: `prompt tokens computed again for each of ${conversations} conversations at once, llama-server with ${what}`,
        value: queued.again / conversations,
        unit: 'tokens',
        how: `${Math.round(without.again / conversations)} without the queue; ${requestsEach} requests each, ${queued.prompts} tokens in all prompts`,
      },
      {
        question: `first token of a person's message beside ${conversations} working conversations, llama-server with ${what}`,
        value: queued.firstTokenMs / without.firstTokenMs,
        unit: '×',
        how: `of the time without the queue: ${Math.round(queued.firstTokenMs)} ms against ${Math.round(without.firstTokenMs)} ms, ${Math.round(queued.aloneMs)} ms alone; median of ${personMessages}`,
      },
    )
  }
  return rows
}

async function onServer<T>(args: readonly string[], action: (server: RealServer) => Promise<T>): Promise<T> {
  const server = await startRealServer('llama-server', { args, window: 16_384 })
  try {
    return await action(server)
  } finally {
    await server.stop()
  }
}

/** Each answer ends with a call, as in a turn that goes on. The small model makes none. */
function clientOf({ baseUrl }: RealServer): ModelClient {
  const client = createOpenAiClient({ name: 'llama-server', baseUrl, server: 'llamacpp' })
  return {
    ...client,
    async *stream(request) {
      yield* client.stream(request)
      yield { kind: 'call', call: { id: 'call', name: 'read_file', arguments: '{}' } }
    },
  }
}

function withQueue(server: RealServer, slots: number): ModelClient {
  const cache = createPromptCache({
    root: server.baseUrl,
    target: { name: 'llama-server', kind: 'openai', baseUrl: server.baseUrl },
    connection: () => Promise.resolve({}),
    slots: () => slots,
    closed: new AbortController().signal,
  })
  return createRequestQueue().schedule(cache.watch(clientOf(server)), { ...cache, capacity: () => slots })
}

interface Worked {
  /** Prompt tokens that the server had computed before and computed again. */
  again: number
  prompts: number
  aloneMs: number
  firstTokenMs: number
}

async function work(server: RealServer, client: ModelClient): Promise<Worked> {
  const send = (conversation: string, messages: ChatMessage[], urgency?: 'person') =>
    ask(client, server.model, conversation, messages, urgency)
  const message = (words: number, seed: number): ChatMessage => ({ role: 'user', content: text(words, seed) })
  const system: ChatMessage = { role: 'system', content: text(120, 1) }
  const aloneMs = (await send('alone', [system, message(20, 2)], 'person')).firstTokenMs
  const sum = { again: 0, prompts: 0 }
  const converse = async (number: number): Promise<void> => {
    const messages = [system, message(100, 100 + number)]
    let known = 0
    for (let request = 0; request < requestsEach; request++) {
      const { answer, promptTokens, cachedTokens } = await send(`c${number}`, messages)
      sum.again += Math.max(0, known - cachedTokens - 1)
      sum.prompts += promptTokens
      known = promptTokens
      messages.push({ role: 'assistant', content: answer }, message(40, 1000 + number * 50 + request))
      await delay(callMs)
    }
  }
  const working = Promise.all(Array.from({ length: conversations }, (_, number) => converse(number)))
  const firstTokens: number[] = []
  for (let turn = 0; turn < personMessages; turn++) {
    await delay(2500)
    firstTokens.push((await send(`person ${turn}`, [system, message(20, 5000 + turn)], 'person')).firstTokenMs)
  }
  await working
  return { ...sum, aloneMs, firstTokenMs: median(firstTokens) }
}

async function ask(
  client: ModelClient,
  model: string,
  conversation: string,
  messages: ChatMessage[],
  urgency?: 'person',
): Promise<{ answer: string; promptTokens: number; cachedTokens: number; firstTokenMs: number }> {
  const start = performance.now()
  const result = { answer: '', promptTokens: 0, cachedTokens: 0, firstTokenMs: 0 }
  const request = { model, messages, tools: [], temperature: 0, maxTokens: 16, signal: AbortSignal.timeout(600_000) }
  for await (const event of client.stream({ ...request, conversation, ...(urgency && { urgency }) })) {
    if (event.kind === 'text') {
      result.firstTokenMs ||= performance.now() - start
      result.answer += event.text
    }
    if (event.kind === 'usage') {
      result.promptTokens = event.usage.promptTokens
      result.cachedTokens = event.usage.cachedTokens ?? 0
    }
  }
  return result
}

/** Returns words that depend on the seed alone, so that prompts of different seeds share no beginning. */
function text(words: number, seed: number): string {
  let state = seed
  return Array.from({ length: words }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return ['file', 'test', 'value', 'error', 'line', 'open', 'close', 'read'][state % 8] + String(state % 97)
  }).join(' ')
}
