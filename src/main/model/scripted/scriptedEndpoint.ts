import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { http } from '../../base/nodeHttp.ts'
import type { ChatMessage } from '../modelClient.ts'
import { isRecord } from '../transport/modelErrors.ts'
import {
  answer,
  say,
  ScenarioMismatch,
  StepInput,
  type Reply,
  type Scenario,
  type ScenarioTurn,
  type ScriptedEmbeddings,
} from './scenario.ts'
import { answerCompletion, answerProps } from './scriptedCompletion.ts'
import { checkMessages, readMessages } from './scriptedRequest.ts'
import { streamReply } from './scriptedReply.ts'

/** A received request, for tests. */
export interface ScriptedRequest {
  method: string
  path: string
  headers: IncomingMessage['headers']
  /** Parsed JSON of a chat request. */
  body: unknown
  /** `broken`: the connection closed before the answer was complete, by the client or by `disconnect`. */
  ended: Promise<'answered' | 'broken'>
}

export interface ScriptedEndpoint {
  /** Without `/v1`. */
  url: string
  /** The latest 200 requests. */
  requests: readonly ScriptedRequest[]
  /** Failed expectations of steps. The client gets each as HTTP 422. */
  mismatches: readonly string[]
  /** Releases all current and future answers that wait for this gate. */
  release(gate: string): void
  close(): Promise<void>
}

/** Maximum number of requests in `ScriptedEndpoint.requests`. */
const maxRequests = 200
/** Maximum size of a request, in bytes. Scenarios need far less. */
const maxBodyBytes = 64 * 1024 * 1024

/**
 * Plays a scenario as an OpenAI-compatible server on 127.0.0.1, over real HTTP and server-sent events, and as strict
 * about the history as llama-server. The tour and the end-to-end tests use it.
 */
export async function startScriptedEndpoint(
  scenario: Scenario,
  options: { port?: number } = {},
): Promise<ScriptedEndpoint> {
  const state: EndpointState = { scenario, mismatches: [], attempts: new Map(), gates: new Map() }
  const requests: ScriptedRequest[] = []
  const server = http.createServer((request, response) => {
    const hangUp = new AbortController()
    const entry = recordRequest(request, response, hangUp)
    requests.push(entry)
    if (requests.length > maxRequests) requests.shift()
    if (request.method === 'GET' && entry.path === '/v1/models') {
      sendJson(response, 200, { object: 'list', data: listedModels(scenario) })
      return
    }
    if (request.method === 'GET' && scenario.completion && answerProps(scenario.completion, entry.path, response))
      return
    const isChat = entry.path === '/v1/chat/completions'
    const embeddings = entry.path === '/v1/embeddings' ? scenario.embeddings : undefined
    if (request.method !== 'POST' || !(isChat || embeddings || scenario.completion)) {
      sendJson(response, 404, errorBody(`no such address: ${request.method} ${entry.path}`))
      return
    }
    const answered = isChat
      ? answerChat(state, request, response, entry, hangUp.signal)
      : embeddings
        ? embed(embeddings, request, response, entry)
        : complete(state, request, response, entry, hangUp.signal)
    answered.catch((error: unknown) => {
      if (hangUp.signal.aborted) return
      const message = error instanceof Error ? error.message : String(error)
      if (response.headersSent) response.destroy()
      else sendJson(response, error instanceof SyntaxError ? 400 : 500, errorBody(message))
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  // A server that listens on a port has an address object.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    mismatches: state.mismatches,
    release: (name) => gateOf(state, name).resolve(),
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()))
        server.closeAllConnections()
      }),
  }
}

interface EndpointState {
  scenario: Scenario
  mismatches: string[]
  /** How often each step was requested, by turn and step. */
  attempts: Map<string, number>
  gates: Map<string, PromiseWithResolvers<void>>
}

function gateOf({ gates }: EndpointState, name: string): PromiseWithResolvers<void> {
  const gate = gates.get(name) ?? Promise.withResolvers<void>()
  gates.set(name, gate)
  return gate
}

/** @param hangUp is aborted when the connection closes */
function recordRequest(request: IncomingMessage, response: ServerResponse, hangUp: AbortController): ScriptedRequest {
  const ended = Promise.withResolvers<'answered' | 'broken'>()
  response.once('close', () => {
    hangUp.abort()
    ended.resolve(response.writableFinished ? 'answered' : 'broken')
  })
  const { method = '', url = '/', headers } = request
  return { method, path: url, headers, body: undefined, ended: ended.promise }
}

function listedModels({ model, contextWindow, embeddings }: Scenario): object[] {
  const entry = { object: 'model', owned_by: 'tizona' }
  return [
    { id: model ?? 'scripted', ...entry, ...(contextWindow && { max_model_len: contextWindow }) },
    ...(embeddings ? [{ id: embeddings.model, ...entry }] : []),
  ]
}

/** Answers a request for embeddings, as strict about its fields as vLLM. */
async function embed(
  embeddings: ScriptedEmbeddings,
  request: IncomingMessage,
  response: ServerResponse,
  entry: ScriptedRequest,
): Promise<void> {
  const body: unknown = JSON.parse(await readBody(request))
  entry.body = body
  const input = isRecord(body) ? body['input'] : undefined
  if (!isRecord(body) || typeof body['model'] !== 'string' || !Array.isArray(input))
    return sendJson(response, 400, errorBody('"model" or "input" is missing'))
  const reply = embeddings.respond(input.map(String))
  if ('status' in reply) {
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers }).end(reply.body)
    return
  }
  const data = reply.map((embedding, index) => ({ object: 'embedding', index, embedding }))
  sendJson(response, 200, { object: 'list', model: body['model'], data })
}

/** Answers a request for a completion; 404 for other paths. */
async function complete(
  state: EndpointState,
  request: IncomingMessage,
  response: ServerResponse,
  entry: ScriptedRequest,
  signal: AbortSignal,
): Promise<void> {
  const body: unknown = JSON.parse(await readBody(request))
  entry.body = body
  const context = { gate: (name: string) => gateOf(state, name).promise, signal }
  const { completion } = state.scenario
  if (completion && isRecord(body) && (await answerCompletion(completion, entry.path, body, response, context))) return
  sendJson(response, 404, errorBody(`no such address: POST ${entry.path}`))
}

async function answerChat(
  state: EndpointState,
  request: IncomingMessage,
  response: ServerResponse,
  entry: ScriptedRequest,
  signal: AbortSignal,
): Promise<void> {
  const { scenario, mismatches, attempts } = state
  const text = await readBody(request)
  const body: unknown = JSON.parse(text)
  entry.body = body
  const messages = isRecord(body) ? readMessages(body['messages']) : undefined
  if (!isRecord(body) || !messages) return sendJson(response, 400, errorBody('"messages" is missing or malformed'))
  const invalid = checkMessages(messages)
  if (invalid) return sendJson(response, 500, errorBody(invalid))
  const tools = Array.isArray(body['tools']) ? body['tools'].filter(isRecord) : []
  const names = tools.map((tool) => (isRecord(tool['function']) ? String(tool['function']['name']) : ''))
  let reply: Reply
  try {
    reply = scenario.respond
      ? scenario.respond({ messages, tools: names, body })
      : play(scenario, messages, names, attempts)
  } catch (error) {
    if (!(error instanceof ScenarioMismatch)) throw error
    mismatches.push(error.message)
    return sendJson(response, 422, errorBody(error.message, 'scenario_mismatch'))
  }
  if ('status' in reply) {
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers }).end(reply.body)
    return
  }
  const model = typeof body['model'] === 'string' ? body['model'] : (scenario.model ?? 'scripted')
  await streamReply(response, reply, {
    model,
    pace: scenario.pace ?? 0,
    promptCharacters: text.length,
    gate: (name) => gateOf(state, name).promise,
    signal,
  })
}

/** Selects the reply: the last user message selects the turn, the number of assistant messages after it the step. */
function play(
  scenario: Scenario,
  messages: readonly ChatMessage[],
  tools: readonly string[],
  attempts: Map<string, number>,
): Reply {
  const at = messages.findLastIndex((message) => message.role === 'user')
  const prompt = messages[at]?.content ?? ''
  const turn = scenario.turns.findIndex((candidate) => candidate.prompt.test(prompt))
  const chosen = scenario.turns[turn]
  if (!chosen) return scenario.unexpected?.(prompt) ?? unexpected(scenario.turns, prompt)

  const since = messages.slice(at + 1)
  const position = since.filter((message) => message.role === 'assistant').length
  const current = chosen.steps[position]
  const target = `${scenario.name} step ${position + 1}`
  if (!current)
    throw new ScenarioMismatch(`${target}: the scenario has only ${chosen.steps.length} steps for this message`)
  const key = `${turn}/${position}`
  const attempt = attempts.get(key) ?? 0
  attempts.set(key, attempt + 1)
  try {
    return current.play(new StepInput(prompt, since, tools, attempt))
  } catch (error) {
    if (error instanceof ScenarioMismatch) throw new ScenarioMismatch(`${target} (${current.title}) ${error.message}`)
    throw error
  }
}

function unexpected(turns: readonly ScenarioTurn[], prompt: string): Reply {
  const expected = turns.map((turn) => `\`${turn.prompt.source}\``).join(', ')
  return answer(
    say(`I am scripted and have no answer to "${prompt.slice(0, 200)}". I answer to messages that match: ${expected}.`),
  )
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  // An IncomingMessage without an encoding yields Buffers.
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length
    if (size > maxBodyBytes) throw new Error('the request is longer than 64 MiB')
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

function errorBody(message: string, type = 'invalid_request_error'): object {
  return { error: { message, type } }
}
