import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { streamReply } from '../scripted/scriptedReply.ts'
import { checkMessages, readMessages } from '../scripted/scriptedRequest.ts'
import { raw, type Reply, type ScriptedChatRequest, type StreamReply } from '../scripted/scenario.ts'
import { isRecord } from '../transport/modelErrors.ts'
import { answerTurn, renderPrompt, type ChatTemplate } from './chatTemplates.ts'

/** What a server reports instead of the truth. */
export interface FalseReports {
  /** Replaces the fields of `timings`. */
  timings?: Record<string, unknown>
  /** Replaces the `prompt_progress` events. */
  progress?: readonly unknown[]
  /** Replaces the answer of `/v1/chat/completions/input_tokens`. */
  inputTokens?: unknown
  /** HTTP status of saving and restoring slots. */
  slotStatus?: number
  /** Reports a restored slot without restoring it. */
  restoresNothing?: boolean
  /** Never answers when a slot is to be restored. */
  hangsAtRestore?: boolean
}

export interface OneSlotServerOptions {
  /** Context size in tokens. Longer prompts are refused, as by llama-server. */
  window: number
  /** Default: `chatml`. A function renders with a real server. */
  template?: ChatTemplate | RealTemplate
  /** Whether the model has recurrent layers, whose state cannot go back: a prompt that diverges loses everything. */
  hybrid?: boolean
  /** Number of slots. Default: 1. */
  slots?: number
  /** Names of its models. Default: `one-slot`. */
  models?: readonly string[]
  /** Whether prompts that leave a slot stay in a cache in memory, as by default in llama-server. Default: false. */
  cachesPrompts?: boolean
  /** Whether the server was started with `--slot-save-path`. */
  savesSlots?: boolean
  /** Whether the server counts tokens and renders templates. Default: true. */
  counts?: boolean
  lies?: FalseReports
  respond(request: ScriptedChatRequest): Reply
}

/** Renders a chat request. @returns the prompt, or the server's refusal */
export type RealTemplate = (body: Record<string, unknown>) => Promise<string | { status: number; body: string }>

/** How much of a prompt was in the cache. All sizes are in characters of the rendered prompt. */
export interface PromptRecord {
  body: Record<string, unknown>
  prompt: string
  /** Beginning of the prompt that the slot had computed. */
  cached: number
  slot: number
  /** Whether the prompt begins with the whole previous prompt of the server. */
  extends: boolean
}

export interface OneSlotServer {
  /** Without `/v1`. */
  url: string
  /** Accepted chat requests, oldest first. */
  prompts: readonly PromptRecord[]
  /** Paths of all requests, oldest first. */
  paths: readonly string[]
  /** Number of prompts that were refused because they exceed the context size. */
  refused(): number
  close(): Promise<void>
}

/** A token has this many characters. */
const tokenLength = 3.5
const tokens = (characters: number) => Math.ceil(characters / tokenLength)

/**
 * Starts a server on 127.0.0.1 that keeps the state of its prompts like llama-server: it renders each request with a
 * chat template, computes only what follows the common beginning of the slot's state and the prompt, and reports that
 * in `timings` and `prompt_progress`. The model itself is a function.
 */
export async function startOneSlotServer(options: OneSlotServerOptions): Promise<OneSlotServer> {
  const { window, template = 'chatml', hybrid = false, slots = 1, lies = {} } = options
  const simpleTemplate = typeof template === 'function' ? 'chatml' : template
  const prompts: PromptRecord[] = []
  const paths: string[] = []
  const states = Array.from({ length: slots }, () => '')
  const files = new Map<string, string>()
  /** States that have left their slot. */
  const memory: string[] = []
  let refused = 0

  /**
   * Returns the slot whose state has the longest common beginning with the prompt, if that is more than a tenth of it,
   * otherwise the least recently used one.
   */
  function slotFor(prompt: string): number {
    const shared = states.map((state) => commonStart(state, prompt))
    const longest = Math.max(...shared)
    if (longest > prompt.length / 10) return shared.indexOf(longest)
    const lastUse = states.map((_, slot) => prompts.findLastIndex((record) => record.slot === slot))
    return lastUse.indexOf(Math.min(...lastUse))
  }

  async function chat(body: Record<string, unknown>, response: ServerResponse): Promise<void> {
    const messages = readMessages(body['messages'])
    const invalid = messages ? checkMessages(messages) : '"messages" is missing or malformed'
    if (!messages || invalid !== undefined) return sendJson(response, 400, { error: { message: invalid } })
    const prompt = typeof template === 'function' ? await template(body) : renderPrompt(body, template)
    if (typeof prompt !== 'string') {
      response.writeHead(prompt.status, { 'content-type': 'application/json' }).end(prompt.body)
      return
    }
    const total = tokens(prompt.length)
    if (total > window) {
      refused += 1
      return sendJson(response, 400, contextError(total, window))
    }
    const offered = Array.isArray(body['tools']) ? body['tools'].filter(isRecord) : []
    const names = offered.map((tool) => (isRecord(tool['function']) ? String(tool['function']['name']) : ''))
    const reply = options.respond({ messages, tools: names, body })
    if ('status' in reply) {
      response.writeHead(reply.status, { 'content-type': 'application/json' }).end(reply.body)
      return
    }
    const slot = slotFor(prompt)
    const state = states[slot] ?? ''
    if (options.cachesPrompts) memory.push(state)
    const shared = Math.max(...[state, ...memory].map((each) => commonStart(each, prompt)))
    const cached = hybrid && shared < state.length ? 0 : shared
    prompts.push({ body, prompt, cached, slot, extends: prompt.startsWith(prompts.at(-1)?.prompt ?? '') })
    states[slot] = prompt + answerTurn(reply.parts, simpleTemplate)
    const hangUp = new AbortController()
    response.once('close', () => hangUp.abort())
    await streamReply(response, withReports(reply, total, tokens(cached), body['return_progress'] === true), {
      model: 'one-slot',
      pace: 0,
      promptCharacters: prompt.length,
      gate: () => Promise.resolve(),
      signal: hangUp.signal,
    })
  }

  function withReports(reply: StreamReply, total: number, cached: number, progress: boolean): StreamReply {
    const steps =
      lies.progress ??
      [cached, Math.round((cached + total) / 2), total].map((processed) => ({
        total,
        cache: cached,
        processed,
        time_ms: processed - cached,
      }))
    const timings = {
      cache_n: cached,
      prompt_n: total - cached,
      prompt_ms: total - cached,
      prompt_per_second: 1000,
      predicted_n: 40,
      predicted_per_second: 50,
      ...lies.timings,
    }
    return {
      usage: { promptTokens: total, completionTokens: 40 },
      ...reply,
      parts: [
        ...(progress ? steps.map((step) => raw(event({ choices: [], prompt_progress: step }))) : []),
        ...reply.parts,
        raw(event({ choices: [], timings })),
      ],
    }
  }

  function slotAction(id: number, action: string, body: Record<string, unknown>, response: ServerResponse): void {
    const name = String(body['filename'])
    const status = options.savesSlots ? (lies.slotStatus ?? 200) : 501
    if (status !== 200)
      return sendJson(response, status, { error: { message: 'This server does not support slots action.' } })
    if (action === 'save') files.set(name, states[id] ?? '')
    const saved = files.get(name)
    if (saved === undefined) return sendJson(response, 400, { error: { message: 'Unable to restore slot' } })
    if (action === 'restore' && lies.hangsAtRestore) return
    if (action === 'restore' && !lies.restoresNothing) states[id] = saved
    const count = tokens(saved.length)
    sendJson(response, 200, { id_slot: id, filename: name, [action === 'save' ? 'n_saved' : 'n_restored']: count })
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/'
    paths.push(path)
    if (path === '/v1/models')
      return sendJson(response, 200, {
        data: (options.models ?? ['one-slot']).map((id) => ({
          id,
          owned_by: 'llamacpp',
          meta: { n_ctx_train: window },
        })),
      })
    if (path === '/props')
      return sendJson(response, 200, { total_slots: slots, default_generation_settings: { n_ctx: window } })
    if (request.method !== 'POST') return sendJson(response, 404, { error: { message: 'not found' } })
    const parsed: unknown = JSON.parse((await readBody(request)) || '{}')
    const body = isRecord(parsed) ? parsed : {}
    const [, slot, action] = /^\/slots\/(\d+)\?action=(save|restore)$/.exec(path) ?? []
    if (slot !== undefined && action !== undefined) return slotAction(Number(slot), action, body, response)
    if (path !== '/v1/chat/completions' && options.counts === false)
      return sendJson(response, 404, { error: { message: 'not found' } })
    switch (path) {
      case '/v1/chat/completions':
        return chat(body, response)
      case '/v1/chat/completions/input_tokens':
        return sendJson(
          response,
          200,
          lies.inputTokens ?? {
            object: 'response.input_tokens',
            input_tokens: tokens(renderPrompt(body, simpleTemplate).length),
          },
        )
      case '/apply-template':
        return sendJson(response, 200, { prompt: renderPrompt(body, simpleTemplate) })
      case '/tokenize':
        return sendJson(response, 200, {
          tokens: Array.from({ length: tokens(String(body['content']).length) }, () => 1),
        })
      default:
        return sendJson(response, 404, { error: { message: 'not found' } })
    }
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy()
      else sendJson(response, 500, { error: { message: String(error) } })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an address object.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    prompts,
    paths,
    refused: () => refused,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function commonStart(one: string, other: string): number {
  const end = Math.min(one.length, other.length)
  let at = 0
  while (at < end && one.charCodeAt(at) === other.charCodeAt(at)) at += 1
  return at
}

const event = (fields: object): string => `data: ${JSON.stringify(fields)}\n\n`

/** llama-server's refusal of a prompt that is too long. */
function contextError(prompt: number, window: number): object {
  return {
    error: {
      code: 400,
      message: 'the request exceeds the available context size, try increasing it',
      type: 'exceed_context_size_error',
      n_prompt_tokens: prompt,
      n_ctx: window,
    },
  }
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  // An IncomingMessage without an encoding yields Buffers.
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}
