import type { Features } from '../../../shared/features.ts'
import { endpointRoot, type ClientOptions } from './clientOptions.ts'
import { createAnswerReader } from './answerReader.ts'
import type { ChatMessage, ChatRequest, ModelClient, ModelEvent } from './modelClient.ts'
import { ModelError } from './modelClient.ts'
import {
  connectionCutOff,
  isRecord,
  looksLikeHtml,
  notModelServer,
  serverFailed,
  type RequestTarget,
} from '../transport/modelErrors.ts'
import { abortError, readText, type HttpResponse } from '../transport/http.ts'
import { listOpenAi } from '../endpoints/openAiListing.ts'
import { openAiFields } from './modelOptions.ts'
import { defaultTimeouts, openStream, type Timeouts } from '../transport/openStream.ts'
import { createRequestAdapter } from './requestCompat.ts'
import { sseData } from '../transport/sse.ts'
import { UsageMeter } from '../tokens/usage.ts'
import { withWaitingNotes } from '../transport/waitingNotes.ts'

/** Creates a client for `/v1/chat/completions`: LM Studio, llama-server, vLLM, Jan and many others. */
export function createOpenAiClient(options: ClientOptions): ModelClient {
  const timeouts = { ...defaultTimeouts, ...options.timeouts }
  const describe = (model?: string): RequestTarget => ({
    name: options.name,
    kind: 'openai',
    baseUrl: options.baseUrl,
    model,
  })
  const connection = async () => (await options.connection?.()) ?? {}
  const adapter = createRequestAdapter(options)
  /** Set to false once the server rejects `stream_options`. */
  let askUsage = true

  const ask = async function* (request: ChatRequest): AsyncGenerator<ModelEvent, void, void> {
    const target = describe(request.model)
    const answer = yield* openStream({
      url: `${endpointRoot(options.baseUrl, target)}/v1/chat/completions`,
      connection: await connection(),
      body: chatBody(adapter.adapt(request), options, askUsage),
      signal: request.signal,
      timeouts,
      target,
      amend: (status, text) => {
        const refusesUsage = askUsage && (status === 400 || status === 422) && /stream_options|include_usage/.test(text)
        if (refusesUsage) askUsage = false
        return refusesUsage || adapter.learnFromRefusal(request, status, text)
          ? chatBody(adapter.adapt(request), options, askUsage)
          : undefined
      },
    })
    try {
      yield* readAnswer(answer, request, target, timeouts, options.features)
      yield* adapter.notices(target)
    } finally {
      answer.close()
    }
  }

  return {
    stream: (request) => withWaitingNotes((signal) => ask({ ...request, signal }), request.signal, timeouts.noticeMs),
    async models(signal) {
      const target = describe()
      return (
        await listOpenAi({
          root: endpointRoot(options.baseUrl, target),
          connection: await connection(),
          target,
          signal,
        })
      ).models
    },
  }
}

function chatBody(request: ChatRequest, { optionsOf }: ClientOptions, askUsage: boolean): Record<string, unknown> {
  return {
    model: request.model,
    messages: request.messages.map(wireMessage),
    ...(request.tools.length > 0 && {
      tools: request.tools.map(({ name, description, parameters }) => ({
        type: 'function',
        function: { name, description, parameters },
      })),
    }),
    temperature: request.temperature,
    ...openAiFields(optionsOf?.(request.model) ?? {}),
    stream: true,
    ...(askUsage && { stream_options: { include_usage: true } }),
  }
}

function wireMessage(message: ChatMessage): Record<string, unknown> {
  if (message.role === 'tool')
    return { role: 'tool', tool_call_id: message.callId, name: message.name, content: message.content }
  if (message.role === 'user' && message.images) {
    const images = message.images.map(({ mimeType, data }) => ({
      type: 'image_url',
      image_url: { url: `data:${mimeType};base64,${data ?? ''}` },
    }))
    return { role: 'user', content: [{ type: 'text', text: message.content }, ...images] }
  }
  if (message.role !== 'assistant' || !message.toolCalls) return { role: message.role, content: message.content }
  const calls = message.toolCalls.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }))
  return {
    role: 'assistant',
    content: message.content,
    ...(message.reasoning && { reasoning_content: message.reasoning }),
    tool_calls: calls,
  }
}

async function* readAnswer(
  answer: HttpResponse,
  request: ChatRequest,
  target: RequestTarget,
  timeouts: Timeouts,
  features: Partial<Features> | undefined,
): AsyncGenerator<ModelEvent, void, void> {
  const meter = new UsageMeter(request)
  const reader = createAnswerReader(request, target, features)
  let finishReason = ''
  let usage: unknown
  let timings: unknown
  let done = false
  let begun = false

  try {
    for await (const data of answerData(answer, target, timeouts, () =>
      finishReason ? timeouts.trailingMs : begun ? timeouts.chunkMs : timeouts.headersMs,
    )) {
      begun = true
      if (data === '[DONE]') {
        done = true
        break
      }
      const chunk = parseChunk(data, target)
      usage = chunk['usage'] ?? usage
      timings = chunk['timings'] ?? timings
      const choice: unknown = Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined
      if (!isRecord(choice)) continue
      const delta = choice['delta'] ?? choice['message']
      if (isRecord(delta)) {
        const thought = reasoningOf(delta)
        const text = textOf(delta['content'])
        if (thought || text || delta['tool_calls'])
          meter.record(`${thought}${text}${delta['tool_calls'] ? JSON.stringify(delta['tool_calls']) : ''}`)
        yield* reader.push({ reasoning: thought, text, calls: delta['tool_calls'] })
      }
      if (typeof choice['finish_reason'] === 'string') finishReason = choice['finish_reason']
    }
  } catch (error) {
    // The answer is complete, so the end of the connection does not matter.
    const harmless =
      finishReason && error instanceof ModelError && (error.code === 'cut_off' || error.code === 'timeout')
    if (!harmless) {
      yield* reader.interrupt()
      throw error
    }
  }
  if (request.signal.aborted) throw abortError()
  if (!finishReason && !done) {
    yield* reader.interrupt()
    throw connectionCutOff(target)
  }

  const last = reader.finish(finishReason === 'length')
  yield* last
  yield { kind: 'usage', usage: meter.openai(usage, timings) }
  yield {
    kind: 'finish',
    reason: finish(
      finishReason,
      last.some(({ kind }) => kind === 'call'),
    ),
  }
}

/** Yields the JSON of an answer: from server-sent events, or as a whole if the server ignores `stream`. */
async function* answerData(
  answer: HttpResponse,
  target: RequestTarget,
  timeouts: Timeouts,
  chunkTimeoutMs: () => number,
): AsyncGenerator<string, void, void> {
  const type = answer.headers['content-type'] ?? ''
  if (type.includes('text/html')) throw notModelServer(target, `an HTML page (HTTP ${answer.status})`)
  if (type.includes('application/json')) {
    yield await readText(answer, target)
    yield '[DONE]'
  } else {
    yield* sseData(answer.chunks(chunkTimeoutMs), target, timeouts.headersMs)
  }
}

function parseChunk(data: string, target: RequestTarget): Record<string, unknown> {
  let chunk: unknown
  try {
    chunk = JSON.parse(data)
  } catch (cause) {
    if (looksLikeHtml(data)) throw notModelServer(target, 'an HTML page')
    throw new ModelError(
      'bad_response',
      `${target.name} sent invalid JSON: ${data.slice(0, 200)}`,
      "Send the message again. If the error persists, check the server's log.",
      { cause },
    )
  }
  if (!isRecord(chunk)) throw notModelServer(target, 'JSON that is not a chat completion')
  if (chunk['error'] || chunk['object'] === 'error') {
    const error = chunk['error'] ?? chunk
    const code = isRecord(error) && typeof error['code'] === 'number' ? error['code'] : 0
    throw serverFailed(code, JSON.stringify({ error }), target)
  }
  return chunk
}

/** The text of a delta: a string, or as some servers send it, parts `{type: 'text', text}`. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((part: unknown) =>
      isRecord(part) && part['type'] === 'text' && typeof part['text'] === 'string' ? part['text'] : '',
    )
    .join('')
}

/** The reasoning in a delta. Servers use different field names, and some fill two of them with the same text. */
function reasoningOf(delta: Record<string, unknown>): string {
  for (const field of ['reasoning_content', 'reasoning', 'thinking']) {
    const text = delta[field]
    if (typeof text === 'string' && text) return text
  }
  return ''
}

function finish(reason: string, hasCalls: boolean): Extract<ModelEvent, { kind: 'finish' }>['reason'] {
  if (reason === 'length') return 'length'
  if (hasCalls) return 'tool_calls'
  return reason === 'stop' || reason === '' ? 'stop' : 'unknown'
}
