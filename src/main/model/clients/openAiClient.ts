import { createAnswerReader } from './answerReader.ts'
import { createChatClient, finishEvent, parseChunk, toolFields, type OpenAnswer } from './chatClient.ts'
import type { ClientOptions } from './clientOptions.ts'
import type { ChatMessage, ChatRequest, ModelClient, ModelEvent } from './modelClient.ts'
import { ModelError } from './modelClient.ts'
import { connectionCutOff, isRecord, notModelServer } from '../transport/modelErrors.ts'
import { abortError, readText } from '../transport/http.ts'
import { listOpenAi } from '../endpoints/openAiListing.ts'
import { openAiFields } from './modelOptions.ts'
import { reasoningReplay } from './reasoningReplay.ts'
import { sseData } from '../transport/sse.ts'
import { UsageMeter } from '../tokens/usage.ts'

/** Creates a client for `/v1/chat/completions`: LM Studio, llama-server, vLLM, Jan and many others. */
export function createOpenAiClient(options: ClientOptions): ModelClient {
  /** Optional fields that the server has rejected. */
  const rejected = new Set<OptionalField>()
  return createChatClient(options, {
    kind: 'openai',
    path: '/v1/chat/completions',
    body: (request) => chatBody(request, options, rejected),
    learnFromRefusal(status, text) {
      if (status !== 400 && status !== 422) return false
      const field = optionalFields.find(({ name, pattern }) => !rejected.has(name) && pattern.test(text))
      if (field) rejected.add(field.name)
      return field !== undefined
    },
    readAnswer,
    list: listOpenAi,
  })
}

/** Fields without which a request is still useful, and how strict servers name them when they reject one. */
const optionalFields = [
  { name: 'usage', pattern: /stream_options|include_usage/ },
  { name: 'preserveThinking', pattern: /chat_template_kwargs|preserve_thinking/ },
] as const
type OptionalField = (typeof optionalFields)[number]['name']

function chatBody(
  request: ChatRequest,
  { optionsOf }: ClientOptions,
  rejected: ReadonlySet<OptionalField>,
): Record<string, unknown> {
  const preserveThinking = !rejected.has('preserveThinking') && reasoningReplay(request.model) === 'conversation'
  return {
    model: request.model,
    messages: request.messages.map(wireMessage),
    ...toolFields(request.tools),
    temperature: request.temperature,
    ...openAiFields(optionsOf?.(request.model) ?? {}, preserveThinking),
    stream: true,
    ...(!rejected.has('usage') && { stream_options: { include_usage: true } }),
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
  if (message.role !== 'assistant') return { role: message.role, content: message.content }
  const calls = message.toolCalls?.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }))
  return {
    role: 'assistant',
    content: message.content,
    ...(message.reasoning && { reasoning_content: message.reasoning }),
    ...(calls && { tool_calls: calls }),
  }
}

async function* readAnswer(answer: OpenAnswer): AsyncGenerator<ModelEvent, void, void> {
  const { request, target, timeouts, features } = answer
  const meter = new UsageMeter(request)
  const reader = createAnswerReader(request, target, features)
  let finishReason = ''
  let usage: unknown
  let timings: unknown
  let done = false
  let begun = false

  try {
    for await (const data of answerData(answer, () =>
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
  yield finishEvent(
    finishReason,
    last.some(({ kind }) => kind === 'call'),
  )
}

/** Yields the JSON of an answer: from server-sent events, or as a whole if the server ignores `stream`. */
async function* answerData(
  { response, target, timeouts }: OpenAnswer,
  chunkTimeoutMs: () => number,
): AsyncGenerator<string, void, void> {
  const type = response.headers['content-type'] ?? ''
  if (type.includes('text/html')) throw notModelServer(target, `an HTML page (HTTP ${response.status})`)
  if (type.includes('application/json')) {
    yield await readText(response, target)
    yield '[DONE]'
  } else {
    yield* sseData(response.chunks(chunkTimeoutMs), target, timeouts.headersMs)
  }
}

/** Returns the text of a delta: a string, or from some servers a list of `{type: 'text', text}`. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((part: unknown) =>
      isRecord(part) && part['type'] === 'text' && typeof part['text'] === 'string' ? part['text'] : '',
    )
    .join('')
}

/**
 * Returns the reasoning in a delta. Servers use different field names, and some fill two of them with the same text.
 */
function reasoningOf(delta: Record<string, unknown>): string {
  for (const field of ['reasoning_content', 'reasoning', 'thinking']) {
    const text = delta[field]
    if (typeof text === 'string' && text) return text
  }
  return ''
}
