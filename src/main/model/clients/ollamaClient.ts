import type { ReasoningEffort } from '../../../shared/settings/settings.ts'
import type { JsonSchema } from '../../../shared/tools/tool.ts'
import { ollamaWindow } from '../../../shared/agent/contextAllocation.ts'
import { createAnswerReader } from './answerReader.ts'
import { log } from '../../base/log/log.ts'
import { memoizeObjects } from '../../base/memoize.ts'
import {
  createChatClient,
  finishEvent,
  likelihoodsOf,
  parseChunk,
  toolFields,
  type ChatApi,
  type OpenAnswer,
} from './chatClient.ts'
import type { ClientOptions } from './clientOptions.ts'
import { createCompatStore } from './compatStore.ts'
import type { ChatMessage, ChatRequest, ModelClient, ModelEvent } from '../modelClient.ts'
import { connectionCutOff, isRecord, notModelServer } from '../transport/modelErrors.ts'
import { parseObject } from './validHistory.ts'
import { abortError, readText } from '../transport/http.ts'
import { listOllama } from './modelListing.ts'
import { learnEfforts, ollamaFields } from './modelOptions.ts'
import { createProgressWatch, maxPauseMs } from '../transport/progressWatch.ts'
import { ndjsonLines } from '../transport/sse.ts'
import { UsageMeter } from '../tokens/usage.ts'

/**
 * Creates a client for Ollama's `/api/chat`, because its `/v1` ignores `num_ctx`. Sends `think: true`
 * only if the user set it: models that support it think by default, and Ollama rejects it for others.
 */
export function createOllamaClient(options: ClientOptions): ModelClient {
  const { name, baseUrl, compatStore = createCompatStore() } = options
  const rejected = compatStore.rejectedFields(baseUrl)
  const learned = (model: string) => ({ rejected, efforts: compatStore.efforts(baseUrl, model)?.field })
  const body = (request: ChatRequest) => chatBody(request, options, learned(request.model))
  const api: ChatApi = {
    kind: 'ollama',
    path: '/api/chat',
    body,
    learnFromRefusal(refusal, request, sent) {
      if (learnEfforts(refusal, sent, { compatStore, baseUrl, model: request.model })) return true
      const { text, causes } = refusal
      const { answerSchema } = request
      const isAboutFormat = formatProblem.test(text) || causes.includes('grammar')
      if (!answerSchema || rejected.has('format') || !isAboutFormat) return false
      rejected.add('format')
      log.info(`${name} rejected the schema of an answer, which is left out from now on`)
      return true
    },
    readAnswer,
    list: listOllama,
  }
  const create = (change: Partial<ChatApi> = {}) => createChatClient({ ...options, compatStore }, { ...api, ...change })
  const chat = create()
  const renderer = create({
    body: (request) => ({
      ...body({ ...request, maxTokens: 1 }),
      stream: false,
      [renderOnly]: true,
    }),
    readAnswer: readRendered,
  })
  /**
   * Continues the answer that the last message begins. The templates of `/api/chat` would end that message instead. Ends
   * without an answer if the server renders no prompt.
   */
  async function* continueAnswer(request: ChatRequest): AsyncGenerator<ModelEvent, void, void> {
    let prompt = ''
    const { topTokens: _tokens, answerSchema: _schema, ...asked } = request
    if (!rejected.has(renderOnly))
      for await (const event of renderer.stream({ ...asked, messages: request.messages.slice(0, -1) }))
        if (event.kind === 'text') prompt += event.text
        else if (event.kind === 'status') yield event
    if (prompt === '') {
      rejected.add(renderOnly)
      return yield finishEvent('stop', false)
    }
    // The prompt has the control tokens of its template, which a message may not have.
    const generator = create({
      path: '/api/generate',
      body({ messages, ...adapted }) {
        const { messages: _none, ...fields } = body({ ...adapted, messages: [] })
        return { ...fields, prompt: prompt + (messages.at(-1)?.content ?? ''), raw: true }
      },
    })
    yield* generator.stream(request)
  }

  return {
    ...chat,
    stream(request) {
      // Only guided turns ask for likelihoods, and only they begin an answer.
      const isBegun = request.topTokens !== undefined && request.messages.at(-1)?.role === 'assistant'
      return isBegun ? continueAnswer(request) : chat.stream(request)
    },
  }
}

/** Asks for the prompt of a chat instead of an answer, since Ollama 0.11. Older versions ignore it. */
const renderOnly = '_debug_render_only'

/** Ollama's maximum for reported tokens. */
const maxTopTokens = 20

/** With a `maxLength` of 4000, the runner of Ollama 0.17 crashes in llama.cpp's grammar; with 2000 it does not. */
const maxRepetitions = 2000

/** Leaves out larger length limits of texts and lists. */
function withoutLongRepetitions(schema: JsonSchema): unknown {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    repetitionKeys.has(key) && typeof value === 'number' && value > maxRepetitions ? undefined : value,
  )
}
const repetitionKeys = new Set(['minLength', 'maxLength', 'minItems', 'maxItems'])

/** Ollama cannot use a schema (llm/server.go, runner/ollamarunner). */
const formatProblem = /invalid JSON schema in format|invalid format:|required for format/i

function chatBody(
  request: ChatRequest,
  { contextWindow, optionsOf }: ClientOptions,
  { rejected, efforts }: { rejected: ReadonlySet<string>; efforts: readonly ReasoningEffort[] | undefined },
): Record<string, unknown> {
  const modelOptions = optionsOf?.(request.model) ?? {}
  const window = request.contextWindow ?? modelOptions.contextWindow ?? contextWindow ?? ollamaWindow
  return {
    model: request.model,
    messages: request.messages.map(wireMessage),
    ...toolFields(request.tools),
    stream: true,
    // Makes Ollama reject a prompt that is too long, since October 2025 (`ChatRequest.Truncate` in its api/types.go).
    // Older versions ignore the field and drop the oldest messages silently, which promptTruncationWatch.ts detects.
    truncate: false,
    ...(request.answerSchema && !rejected.has('format') && { format: withoutLongRepetitions(request.answerSchema) }),
    // Since Ollama 0.12.11.
    ...(request.topTokens !== undefined && { logprobs: true, top_logprobs: Math.min(request.topTokens, maxTopTokens) }),
    ...ollamaFields(
      {
        ...modelOptions,
        ...(request.maxTokens !== undefined && { maxTokens: request.maxTokens }),
        ...(request.thinking && { think: request.thinking }),
        ...(request.ownTemperature && { temperature: request.temperature }),
      },
      {
        num_ctx: window,
        // Without a limit, Ollama drops old tokens when the window is full and continues.
        num_predict: window,
        temperature: request.temperature,
        // The default of 1.1 penalizes repetition, and code repeats itself: "Hello" became "\
        // Hello", a key lost its name.
        repeat_penalty: 1,
        ...(request.againstRepetition && { repeat_penalty: 1.2, repeat_last_n: -1 }),
      },
      efforts,
    ),
  }
}

const wireMessage = memoizeObjects((message: ChatMessage): Record<string, unknown> => {
  // Older versions identify results by `tool_name` only, newer ones also by id.
  if (message.role === 'tool')
    return { role: 'tool', tool_name: message.name, tool_call_id: message.callId, content: message.content }
  if (message.role === 'user' && message.images)
    return { role: 'user', content: message.content, images: message.images.map(({ data }) => data ?? '') }
  if (message.role !== 'assistant') return { role: message.role, content: message.content }
  const calls = message.toolCalls?.map((call) => ({
    id: call.id,
    function: { name: call.name, arguments: parseObject(call.arguments) ?? {} },
  }))
  return {
    role: 'assistant',
    content: message.content,
    ...(message.reasoning && { thinking: message.reasoning }),
    ...(calls && { tool_calls: calls }),
  }
})

/** Yields the prompt as text; nothing if the server has answered it instead. */
async function* readRendered({ response, target }: OpenAnswer): AsyncGenerator<ModelEvent, void, void> {
  const { _debug_info: info } = parseChunk(await readText(response, target), target)
  if (isRecord(info) && typeof info['rendered_template'] === 'string')
    yield { kind: 'text', text: info['rendered_template'] }
}

async function* readAnswer(answer: OpenAnswer): AsyncGenerator<ModelEvent, void, void> {
  const { response, request, target, timeouts, features } = answer
  if ((response.headers['content-type'] ?? '').includes('text/html'))
    throw notModelServer(target, (server) => `${server} sent an HTML page (HTTP ${response.status}).`)
  const meter = new UsageMeter(request)
  const reader = createAnswerReader(request, target, features)
  let last: Record<string, unknown> | undefined
  const watch = createProgressWatch(target, timeouts)
  let begun = false
  const pauseMs = maxPauseMs(answer)

  try {
    for await (const line of ndjsonLines(
      response.chunks(() => (begun ? pauseMs : timeouts.headersMs)),
      target,
      watch,
    )) {
      begun = true
      answer.onData?.()
      const chunk = parseChunk(line, target)
      const message = isRecord(chunk['message']) ? chunk['message'] : {}
      const { thinking, content = chunk['response'] } = message
      const thought = typeof thinking === 'string' ? thinking : ''
      const text = typeof content === 'string' ? content : ''
      const called = message['tool_calls']
      if (thought || text || called) {
        watch.progressed()
        meter.record(`${thought}${text}${called ? JSON.stringify(called) : ''}`)
      }
      const tokens = request.topTokens === undefined ? [] : likelihoodsOf(chunk['logprobs'])
      if (tokens.length > 0) yield { kind: 'likelihoods', tokens }
      yield* reader.push({ reasoning: thought, text, calls: called })
      if (chunk['done'] === true) {
        last = chunk
        response.complete()
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
  yield finishEvent(
    reason,
    rest.some(({ kind }) => kind === 'call'),
  )
}
