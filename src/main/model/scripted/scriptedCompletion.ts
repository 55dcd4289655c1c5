import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { isRecord } from '../transport/modelErrors.ts'
import type { HttpReply, ReplyPart, ScriptedCompletion } from './scenario.ts'

interface CompletionContext {
  gate(name: string): Promise<void>
  /** Aborts when the client disconnects. */
  signal: AbortSignal
}

const json = (response: ServerResponse, status: number, value: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))

const refusal = (message: string, code = 400) => ({ error: { code, message, type: 'invalid_request_error' } })

/** Answers GET requests about the server. @returns false for other paths */
export function answerProps(
  { server, slots = 1, tools }: ScriptedCompletion,
  path: string,
  response: ServerResponse,
): boolean {
  if (server !== 'llamacpp' || path !== '/props') return false
  json(response, 200, {
    total_slots: slots,
    default_generation_settings: { n_ctx: 8000 },
    model_path: 'scripted.gguf',
    ...(tools !== undefined && { chat_template_caps: { supports_tools: tools, supports_tool_calls: tools } }),
  })
  return true
}

/** Answers POST requests for completions. @returns false for other paths */
export async function answerCompletion(
  script: ScriptedCompletion,
  path: string,
  body: Record<string, unknown>,
  response: ServerResponse,
  context: CompletionContext,
): Promise<boolean> {
  const text = (name: string): string => (typeof body[name] === 'string' ? body[name] : '')
  const respond = (before: string, after: string) =>
    // A request for one token only tests whether the server can complete.
    body['n_predict'] === 1 || body['max_tokens'] === 1 ? ' ' : script.respond({ path, before, after, body })
  const streamed = body['stream'] === true
  switch (`${script.server} ${path}`) {
    case 'llamacpp /infill': {
      const problem = infillProblem(script, body)
      if (problem) json(response, problem.error.code, problem)
      else
        await stream(
          response,
          respond(text('input_prefix') + text('prompt'), text('input_suffix')),
          infill,
          context,
          streamed,
        )
      return true
    }
    case 'ollama /api/show':
      json(response, 200, {
        template: script.suffixTemplate
          ? '{{- if .Suffix }}<|fim_prefix|>{{ .Prompt }}<|fim_suffix|>{{ .Suffix }}<|fim_middle|>{{ else }}{{ .Prompt }}{{ end }}'
          : '{{ .Prompt }}',
        capabilities: script.suffixTemplate ? ['completion', 'insert'] : ['completion'],
      })
      return true
    case 'ollama /api/generate':
      if (text('suffix') !== '' && !script.suffixTemplate)
        json(response, 400, { error: `registry.ollama.ai/library/${text('model')} does not support insert` })
      else await stream(response, respond(text('prompt'), text('suffix')), ollama, context)
      return true
    case 'llamacpp /v1/completions':
    case 'openai /v1/completions': {
      const { suffix = 'refused' } = script
      if (text('suffix') !== '' && suffix === 'refused') {
        json(response, 400, refusal('suffix is not currently supported'))
        return true
      }
      const after = suffix === 'used' ? text('suffix') : ''
      const format = openAi(Math.ceil((text('prompt').length + after.length) / 4))
      await stream(response, respond(text('prompt'), after), format, context, streamed)
      return true
    }
    default:
      return false
  }
}

/** The checks of llama-server. */
function infillProblem({ infill: supported = true, slots = 1 }: ScriptedCompletion, body: Record<string, unknown>) {
  if (!supported)
    return refusal(
      'Infill is not supported by this model: prefix token is missing. suffix token is missing. middle token is missing. ',
      501,
    )
  for (const field of ['input_prefix', 'input_suffix'])
    if (typeof body[field] !== 'string') return refusal(`"${field}" is required`)
  const extra = body['input_extra'] ?? []
  if (!Array.isArray(extra)) return refusal('"input_extra" must be an array of {"filename": string, "text": string}')
  for (const chunk of extra as unknown[])
    if (!isRecord(chunk) || typeof chunk['text'] !== 'string')
      return refusal('extra_context chunk must contain a "text" field with a string value')
  const slot = body['id_slot']
  if (slot !== undefined && (typeof slot !== 'number' || slot >= slots)) return refusal('invalid slot')
  return undefined
}

/** The format of one API: a piece of text, and the end. */
interface Format {
  type: string
  piece(text: string): string
  end: string
  whole(text: string): unknown
}

const sse = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
const line = (value: unknown): string => `${JSON.stringify(value)}\n`

const infill: Format = {
  type: 'text/event-stream',
  piece: (content) => sse({ index: 0, content, tokens: [], stop: false, id_slot: 0 }),
  end: sse({ index: 0, content: '', stop: true, stop_type: 'eos', tokens_cached: 10 }),
  whole: (content) => ({ content, stop: true }),
}

const ollama: Format = {
  type: 'application/x-ndjson',
  piece: (response) => line({ response, done: false }),
  end: line({ response: '', done: true, done_reason: 'stop' }),
  whole: (response) => ({ response, done: true }),
}

const openAi = (promptTokens: number): Format => ({
  type: 'text/event-stream',
  piece: (text) => sse({ object: 'text_completion', choices: [{ index: 0, text, finish_reason: null }] }),
  end: `${sse({ object: 'text_completion', choices: [{ index: 0, text: '', finish_reason: 'stop' }] })}data: [DONE]\n\n`,
  whole: (text) => ({
    object: 'text_completion',
    choices: [{ index: 0, text, finish_reason: 'stop' }],
    usage: { prompt_tokens: promptTokens, completion_tokens: Math.ceil(text.length / 4) },
  }),
})

/** Sends a reply in the format of its API. @throws AbortError if the client disconnects */
async function stream(
  response: ServerResponse,
  reply: string | ReplyPart[] | HttpReply,
  format: Format,
  { gate, signal }: CompletionContext,
  streamed = true,
): Promise<void> {
  if (typeof reply === 'object' && 'status' in reply) {
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers }).end(reply.body)
    return
  }
  const parts: ReplyPart[] = typeof reply === 'string' ? [{ kind: 'text', text: reply }] : reply
  if (!streamed)
    return json(response, 200, format.whole(parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')))
  const start = (): void => {
    if (!response.headersSent) response.writeHead(200, { 'content-type': format.type })
  }
  for (const part of parts) {
    signal.throwIfAborted()
    switch (part.kind) {
      case 'text':
        start()
        for (const piece of part.text.match(/[^]{1,8}/gu) ?? [])
          if (!response.write(format.piece(piece))) await drained(response, signal)
        break
      case 'raw':
        start()
        response.write(part.text)
        break
      case 'pause':
        await delay(part.ms, undefined, { signal })
        break
      case 'hold':
        await Promise.race([gate(part.gate), aborted(signal)])
        break
      case 'disconnect':
        start()
        await new Promise<void>((resolve) => response.write('\n', () => resolve()))
        response.destroy()
        return
      case 'reasoning':
      case 'call':
        throw new Error(`A completion has no ${part.kind}.`)
    }
  }
  start()
  response.end(format.end)
}

const drained = (response: ServerResponse, signal: AbortSignal): Promise<unknown> =>
  Promise.race([new Promise((resolve) => response.once('drain', resolve)), aborted(signal)])

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const onAbort = () => reject(new DOMException('The client hung up.', 'AbortError'))
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
}
