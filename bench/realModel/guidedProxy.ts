import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  actQuestion,
  answerPrompt,
  changePrompt,
  emptyChange,
  emptyQuestion,
  kindQuestion,
} from '../../src/main/agent/guided/questions.ts'

// A proxy between guided turns and a real server that omits one part of their questions.

/** Parts of the questions of guided turns. */
export const parts = ['enumerations', 'examples', 'repeatedTask', 'calibration', 'freshPrompts'] as const
export type Part = (typeof parts)[number]

/** Prompt tokens of the requests for one purpose. */
interface Cost {
  requests: number
  promptTokens: number
  /** How many of `promptTokens` the server computed. */
  computed: number
}

export interface GuidedProxy {
  url: string
  /** Costs by purpose of the requests. */
  costs: ReadonlyMap<string, Cost>
  close(): Promise<void>
}

interface Message {
  role: string
  content: string
}

interface Body extends Record<string, unknown> {
  messages: Message[]
  max_tokens?: number
  logprobs?: boolean
  temperature?: number
  seed?: number
  response_format?: { json_schema: { schema: Schema } }
}

interface Schema {
  properties: Record<string, { enum?: unknown; const?: unknown }>
  required: string[]
}

type Purpose = 'kind' | 'act' | 'change' | 'answer'

/** The system prompt of each question. */
const systems = new Map<string | undefined, Purpose>([
  [kindQuestion.prompt('', false)[0]?.content, 'kind'],
  [changePrompt('', '', '')[0]?.content, 'change'],
  [answerPrompt('', '')[0]?.content, 'answer'],
])
const emptyTasks = [...kindQuestion.emptyTasks, ...actQuestion([]).emptyTasks]

/**
 * The server's answers by request. Equal requests have equal answers at temperature 0, and equal likelihoods at any
 * temperature.
 */
const known = new Map<string, string>()

/** @param without part to omit from each question */
export async function startGuidedProxy(target: string, without?: Part): Promise<GuidedProxy> {
  const costs = new Map<string, Cost>()
  /** The conversation up to the last chosen step, for prompts that are not fresh. */
  let conversation: Message[] = []

  async function chat(body: Body, response: ServerResponse): Promise<void> {
    const purpose = purposeOf(body)
    const isEmpty = isEmptyTask(body, purpose)
    if (isLikelihood(body) && hidesLikelihoods(without, purpose, isEmpty)) {
      const isCalibration = without === 'calibration'
      return void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(likelihoodAnswer(isCalibration))
    }
    let sent = without && purpose ? withoutPart(body, without) : body
    if (without === 'freshPrompts' && (purpose === 'change' || purpose === 'answer'))
      sent = { ...sent, messages: [...conversation, ...sent.messages] }
    const stopped = new AbortController()
    response.once('close', () => stopped.abort())
    const text = await answerOf(sent, stopped.signal)
    record(
      `${purpose ?? 'conversation'}, ${isEmpty ? 'calibration' : isLikelihood(body) ? 'likelihoods' : 'text'}`,
      text,
    )
    if (purpose === 'act' && sent.response_format)
      conversation = [...sent.messages, { role: 'assistant', content: contentOf(text) }]
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text)
  }

  async function answerOf(body: Body, signal: AbortSignal): Promise<string> {
    const isRepeatable = body.temperature === 0 || isLikelihood(body)
    // Sampling parameters do not affect likelihoods.
    const { temperature: _, seed: __, ...rest } = body
    const key = JSON.stringify([target, isLikelihood(body) ? rest : body])
    const before = isRepeatable ? known.get(key) : undefined
    if (before !== undefined) return before
    const answer = await fetch(`${target}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`The server answered ${answer.status}: ${text.slice(0, 300)}`)
    if (isRepeatable) known.set(key, text)
    return text
  }

  function record(purpose: string, text: string): void {
    const [, prompt = '0'] = /"prompt_tokens":(\d+)/.exec(text) ?? []
    const [, cached = '0'] = /"cached_tokens":(\d+)/.exec(text) ?? []
    const { requests, promptTokens, computed } = costs.get(purpose) ?? { requests: 0, promptTokens: 0, computed: 0 }
    costs.set(purpose, {
      requests: requests + 1,
      promptTokens: promptTokens + Number(prompt),
      computed: computed + Number(prompt) - Number(cached),
    })
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString('utf8')
    if (request.method === 'POST' && request.url?.endsWith('/chat/completions') === true)
      // Sent by the OpenAI client of this repository.
      return chat(JSON.parse(text) as Body, response)
    const answer = await fetch(`${target}${request.url ?? ''}`, {
      method: request.method ?? 'GET',
      headers: { 'content-type': 'application/json' },
      ...(text !== '' && { body: text }),
    })
    const type = answer.headers.get('content-type') ?? 'application/json'
    response.writeHead(answer.status, { 'content-type': type }).end(await answer.text())
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(502)
      response.end(String(error))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // The address of a server that listens on a port is an object.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    costs,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function purposeOf({ messages }: Body): Purpose | undefined {
  const first = messages[0]
  if (first?.role !== 'system') return undefined
  return (
    systems.get(first.content) ?? (first.content.startsWith('You are a coding agent. You repeat') ? 'act' : undefined)
  )
}

const isLikelihood = (body: Body): boolean => body.logprobs === true && body.max_tokens === 1

function isEmptyTask({ messages }: Body, purpose: Purpose | undefined): boolean {
  const asked = messages.findLast(({ role }) => role === 'user')?.content ?? ''
  if (purpose === 'change') return asked.endsWith(`Task: ${emptyChange}`)
  if (purpose === 'answer') return asked.endsWith(`Question: ${emptyQuestion}`)
  return purpose !== undefined && emptyTasks.includes(asked)
}

function hidesLikelihoods(without: Part | undefined, purpose: Purpose | undefined, isEmpty: boolean): boolean {
  if (without === 'calibration') return isEmpty
  // Lines are chosen from an enumeration.
  return without === 'enumerations' && (purpose === 'change' || purpose === 'answer')
}

/** An answer with equal likelihoods for all alternatives, or with none. */
function likelihoodAnswer(isEqual: boolean): string {
  const logprobs = { content: [{ top_logprobs: isEqual ? [{ token: '\u0000', logprob: 0 }] : [] }] }
  const choice = { index: 0, delta: { content: '' }, logprobs, finish_reason: 'length' }
  return `data: ${JSON.stringify({ choices: [choice] })}\n\ndata: [DONE]\n\n`
}

function withoutPart(body: Body, without: Part): Body {
  const schema = body.response_format?.json_schema.schema
  const withSchema = (changed: Schema): Pick<Body, 'response_format'> => ({
    response_format: {
      ...body.response_format,
      json_schema: { ...body.response_format?.json_schema, schema: changed },
    },
  })
  if (without === 'examples') {
    const asked = body.messages.findLastIndex(({ role }) => role === 'user')
    return { ...body, messages: body.messages.filter(({ role }, at) => role === 'system' || at >= asked) }
  }
  if (without === 'repeatedTask') {
    const messages = body.messages.map((message) => ({ ...message, content: withoutTask(message) }))
    const fields = ([field]: [string, unknown]) => field !== 'task' && field !== 'message'
    return {
      ...body,
      messages,
      ...(schema &&
        withSchema({
          ...schema,
          properties: Object.fromEntries(Object.entries(schema.properties).filter(fields)),
          required: schema.required.filter((field) => fields([field, ''])),
        })),
    }
  }
  if (without === 'enumerations' && schema) {
    const free = Object.entries(schema.properties).map(([field, value]) => {
      const isKept = field === 'tool' || field === 'kind' || field === 'task' || field === 'message'
      return [field, isKept || (!value.enum && value.const === undefined) ? value : { type: 'string', maxLength: 200 }]
    })
    return { ...body, ...withSchema({ ...schema, properties: Object.fromEntries(free) }) }
  }
  return body
}

function withoutTask({ role, content }: Message): string {
  if (role === 'assistant') return content.replace(/^\{"(?:task|message)":"(?:[^"\\]|\\.)*",/, '{')
  return role === 'system'
    ? content
        .replace('You repeat the task and then choose', 'You choose')
        .replace('You repeat the task, copy', 'You copy')
    : content
}

/** Returns the text of an answer. */
function contentOf(events: string): string {
  return [...events.matchAll(/^data: (\{.*)$/gm)]
    .map(([, data = '']) => {
      // Sent by the server.
      const { choices } = JSON.parse(data) as { choices?: { delta?: { content?: string | null } }[] }
      return choices?.[0]?.delta?.content ?? ''
    })
    .join('')
}
