import { createAnswerReader } from './answerReader.ts'
import { createChatClient, finishEvent, parseChunk, toolFields, type OpenAnswer } from './chatClient.ts'
import type { ClientOptions } from './clientOptions.ts'
import type { ChatMessage, ChatRequest, ModelClient, ModelEvent } from './modelClient.ts'
import { ModelError } from './modelClient.ts'
import { connectionCutOff, isRecord, notModelServer } from '../transport/modelErrors.ts'
import { abortError, readText } from '../transport/http.ts'
import { listOpenAi } from '../endpoints/openAiListing.ts'
import { openAiFields } from './modelOptions.ts'
import { sseData } from '../transport/sse.ts'
import { UsageMeter } from '../tokens/usage.ts'

/** Creates a client for `/v1/chat/completions`: LM Studio, llama-server, vLLM, Jan and many others. */
export function createOpenAiClient(options: ClientOptions): ModelClient {
  /** False once the server has rejected `stream_options`. */
  let requestUsage = true
  return createChatClient(options, {
    kind: 'openai',
    path: '/v1/chat/completions',
    body: (request) => chatBody(request, options, requestUsage),
    learnFromRefusal(status, text) {
      const rejectsUsage =
        requestUsage && (status === 400 || status === 422) && /stream_options|include_usage/.test(text)
      if (rejectsUsage) requestUsage = false
      return rejectsUsage
    },
    readAnswer,
    list: listOpenAi,
  })
}

function chatBody(request: ChatRequest, { optionsOf }: ClientOptions, requestUsage: boolean): Record<string, unknown> {
  return {
    model: request.model,
    messages: request.messages.map(wireMessage),
    ...toolFields(request.tools),
    temperature: request.temperature,
    ...openAiFields(optionsOf?.(request.model) ?? {}),
    stream: true,
    ...(requestUsage && { stream_options: { include_usage: true } }),
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
