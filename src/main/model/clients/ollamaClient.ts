import { ollamaWindow } from '../../../shared/contextAllocation.ts'
import type { Features } from '../../../shared/features.ts'
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
import { parseObject } from './validHistory.ts'
import { abortError, type HttpResponse } from '../transport/http.ts'
import { listOllama } from '../endpoints/modelListing.ts'
import { ollamaFields } from './modelOptions.ts'
import { endpointRoot, type ClientOptions } from './clientOptions.ts'
import { defaultTimeouts, openStream, type Timeouts } from '../transport/openStream.ts'
import { ndjsonLines } from '../transport/sse.ts'
import { UsageMeter } from '../tokens/usage.ts'
import { withWaitingNotes } from '../transport/waitingNotes.ts'
import { createRequestAdapter } from './requestCompat.ts'

/**
 * Creates a client for Ollama's `/api/chat`. Its `/v1` ignores `num_ctx`. Sends `think` only if the user set it: models
 * that support it think by default, and Ollama rejects it for others.
 */
export function createOllamaClient(options: ClientOptions): ModelClient {
  const timeouts = { ...defaultTimeouts, ...options.timeouts }
  const describe = (model?: string): RequestTarget => ({
    name: options.name,
    kind: 'ollama',
    baseUrl: options.baseUrl,
    model,
  })
  const connection = async () => (await options.connection?.()) ?? {}

  const adapter = createRequestAdapter(options)

  const ask = async function* (request: ChatRequest): AsyncGenerator<ModelEvent, void, void> {
    const target = describe(request.model)
    const answer = yield* openStream({
      url: `${endpointRoot(options.baseUrl, target)}/api/chat`,
      connection: await connection(),
      body: chatBody(adapter.adapt(request), options),
      signal: request.signal,
      timeouts,
      target,
      amend: (status, text) =>
        adapter.learnFromRefusal(request, status, text) ? chatBody(adapter.adapt(request), options) : undefined,
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
      const window = options.contextWindow
      return (
        await listOllama({
          root: endpointRoot(options.baseUrl, target),
          connection: await connection(),
          target,
          signal,
          ...(window && { window }),
        })
      ).models
    },
  }
}

function chatBody(request: ChatRequest, { contextWindow, optionsOf }: ClientOptions): Record<string, unknown> {
  const window = request.contextWindow ?? contextWindow ?? ollamaWindow
  return {
    model: request.model,
    messages: request.messages.map(wireMessage),
    ...(request.tools.length > 0 && {
      tools: request.tools.map(({ name, description, parameters }) => ({
        type: 'function',
        function: { name, description, parameters },
      })),
    }),
    stream: true,
    // Makes Ollama reject a prompt that is too long, since October 2025 (`ChatRequest.Truncate` in its api/types.go).
    // Older versions ignore the field and drop the oldest messages silently, which promptCutWatch.ts detects.
    truncate: false,
    ...ollamaFields(optionsOf?.(request.model) ?? {}, { num_ctx: window, temperature: request.temperature }),
  }
}

function wireMessage(message: ChatMessage): Record<string, unknown> {
  // Older versions identify results by `tool_name` only, newer ones also by id.
  if (message.role === 'tool')
    return { role: 'tool', tool_name: message.name, tool_call_id: message.callId, content: message.content }
  if (message.role === 'user' && message.images)
    return { role: 'user', content: message.content, images: message.images.map(({ data }) => data ?? '') }
  if (message.role !== 'assistant' || !message.toolCalls) return { role: message.role, content: message.content }
  const calls = message.toolCalls.map((call) => ({
    id: call.id,
    function: { name: call.name, arguments: parseObject(call.arguments) ?? {} },
  }))
  return {
    role: 'assistant',
    content: message.content,
    ...(message.reasoning && { thinking: message.reasoning }),
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
  if ((answer.headers['content-type'] ?? '').includes('text/html'))
    throw notModelServer(target, `an HTML page (HTTP ${answer.status})`)
  const meter = new UsageMeter(request)
  const reader = createAnswerReader(request, target, features)
  let last: Record<string, unknown> | undefined
  let begun = false

  try {
    for await (const line of ndjsonLines(
      answer.chunks(() => (begun ? timeouts.chunkMs : timeouts.headersMs)),
      target,
    )) {
      begun = true
      const piece = parseLine(line, target)
      const message = isRecord(piece['message']) ? piece['message'] : {}
      const { thinking, content } = message
      const thought = typeof thinking === 'string' ? thinking : ''
      const text = typeof content === 'string' ? content : ''
      const called = message['tool_calls']
      if (thought || text || called) meter.record(`${thought}${text}${called ? JSON.stringify(called) : ''}`)
      yield* reader.push({ reasoning: thought, text, calls: called })
      if (piece['done'] === true) {
        last = piece
        break
      }
    }
  } catch (error) {
    yield* reader.interrupt()
    throw error
  }
  if (request.signal.aborted) throw abortError()
  if (!last) {
    yield* reader.interrupt()
    throw connectionCutOff(target)
  }

  const reason = last['done_reason']
  const rest = reader.finish(reason === 'length')
  yield* rest
  yield { kind: 'usage', usage: meter.ollama(last) }
  yield {
    kind: 'finish',
    reason:
      reason === 'length'
        ? 'length'
        : rest.some(({ kind }) => kind === 'call')
          ? 'tool_calls'
          : reason === 'stop' || reason === undefined
            ? 'stop'
            : 'unknown',
  }
}

function parseLine(line: string, target: RequestTarget): Record<string, unknown> {
  let piece: unknown
  try {
    piece = JSON.parse(line)
  } catch (cause) {
    if (looksLikeHtml(line)) throw notModelServer(target, 'an HTML page')
    throw new ModelError(
      'bad_response',
      `${target.name} sent invalid JSON: ${line.slice(0, 200)}`,
      "Send the message again. If the error persists, check Ollama's log.",
      { cause },
    )
  }
  if (!isRecord(piece)) throw notModelServer(target, 'JSON that is not a chat response')
  if (piece['error']) throw serverFailed(0, line, target)
  return piece
}
