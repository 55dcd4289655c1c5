import { createAnswerReader } from './answerReader.ts'
import { memoizeObjects } from '../../base/memoize.ts'
import { log } from '../../base/log/log.ts'
import { createChatClient, finishEvent, likelihoodsOf, parseChunk, toolFields, type OpenAnswer } from './chatClient.ts'
import type { ClientOptions } from './clientOptions.ts'
import { createCompatStore } from './compatStore.ts'
import type { LocalServer } from '../transport/localServers.ts'
import { createProgressReader } from '../tokens/promptProgress.ts'
import type { ChatMessage, ChatRequest, ModelClient, ModelEvent, PromptRequest } from '../modelClient.ts'
import { ModelError } from '../modelClient.ts'
import { connectionCutOff, isRecord, notModelServer } from '../transport/modelErrors.ts'
import { abortError, readText } from '../transport/http.ts'
import { listOpenAi } from './openAiListing.ts'
import { learnEfforts, openAiFields, serversWithTemplateOptions } from './modelOptions.ts'
import type { LearnedEfforts } from './reasoningEffort.ts'
import { reasoningReplay } from './reasoningReplay.ts'
import { createProgressWatch, maxPauseMs, maxQuietMs, type ProgressWatch } from '../transport/progressWatch.ts'
import { sseData } from '../transport/sse.ts'
import { UsageMeter } from '../tokens/usage.ts'

/** Creates a client for `/v1/chat/completions`: LM Studio, llama-server, vLLM, Jan and many others. */
export function createOpenAiClient(options: ClientOptions): ModelClient {
  const { baseUrl, compatStore = createCompatStore() } = options
  const rejected = compatStore.rejectedFields(baseUrl)
  const learned = ({ model }: PromptRequest): Learned => ({ rejected, efforts: compatStore.efforts(baseUrl, model) })
  return createChatClient(
    { ...options, compatStore },
    {
      kind: 'openai',
      path: '/v1/chat/completions',
      body: (request) => chatBody(request, options, learned(request)),
      promptFields: (request) => promptFields(request, options, learned(request)),
      learnFromRefusal(refusal, request, sent) {
        if (learnEfforts(refusal, sent, { compatStore, baseUrl, model: request.model })) return true
        const { text, causes } = refusal
        const field = optionalFields.find(
          ({ name, pattern, hasGrammar, isIn }) =>
            !rejected.has(rejectedName(name, request.model)) &&
            isIn(sent) &&
            (pattern.test(text) || (hasGrammar && causes.includes('grammar'))),
        )
        if (!field) return false
        rejected.add(rejectedName(field.name, request.model))
        log.info(`${options.name} rejected an optional field (${field.name}), which is left out from now on`)
        return true
      },
      readAnswer,
      list: listOpenAi,
    },
  )
}

/** What a server taught by its refusals. */
interface Learned {
  /** Optional fields that are left out. */
  rejected: ReadonlySet<string>
  /** The reasoning efforts that the model has; undefined if they are unknown. */
  efforts: LearnedEfforts | undefined
}

interface OptionalField {
  name: 'usage' | 'preserveThinking' | 'thinkingOff' | 'templateOptions' | 'progress' | 'strict' | 'answerSchema'
  /** How strict servers name the field when they reject it. */
  pattern: RegExp
  /** Whether the server compiles the field to a grammar. */
  hasGrammar?: true
  isIn(body: Record<string, unknown>): boolean
}

/** Fields without which a request is still useful. */
const optionalFields: readonly OptionalField[] = [
  { name: 'usage', pattern: /stream_options|include_usage/, isIn: (body) => 'stream_options' in body },
  {
    name: 'preserveThinking',
    pattern: /preserve_thinking/,
    isIn: (body) => isRecord(body['chat_template_kwargs']) && 'preserve_thinking' in body['chat_template_kwargs'],
  },
  {
    name: 'thinkingOff',
    pattern: /enable_thinking/,
    isIn: (body) => isRecord(body['chat_template_kwargs']) && body['chat_template_kwargs']['enable_thinking'] === false,
  },
  {
    name: 'templateOptions',
    pattern: /chat_template_kwargs|chat_template is not supported/,
    isIn: (body) => 'chat_template_kwargs' in body,
  },
  { name: 'progress', pattern: /return_progress/, isIn: (body) => 'return_progress' in body },
  {
    name: 'strict',
    pattern: /\btools\b.{0,60}\bstrict\b|(unknown|unrecognized|unexpected|unsupported|extra).{0,40}\bstrict\b/i,
    hasGrammar: true,
    isIn: (body) => JSON.stringify(body['tools'] ?? '').includes('"strict":true'),
  },
  {
    name: 'answerSchema',
    pattern: /response_format|\bjson_schema\b/i,
    hasGrammar: true,
    isIn: (body) => 'response_format' in body,
  },
]

/** Returns the name of a rejected field in what is learned: a server may have models with and without a template. */
function rejectedName(name: OptionalField['name'], model: string): string {
  return name === 'templateOptions' ? `${name} ${model}` : name
}

/** Servers that enforce the schema of an answer. */
const serversWithSchemas: readonly (LocalServer | undefined)[] = ['llamacpp', 'vllm', 'sglang', 'lmstudio']

/**
 * Returns the fields that determine the prompt. Also used for counting, because a count without the template's options
 * would be for a different prompt.
 */
function promptFields(
  { model, messages, tools, thinking }: PromptRequest & Pick<ChatRequest, 'thinking'>,
  { optionsOf, infoOf, server }: ClientOptions,
  { rejected, efforts }: Learned,
): Record<string, unknown> {
  const info = infoOf?.(model)
  const replay = reasoningReplay(model, info)
  const hasTemplateOptions = serversWithTemplateOptions.includes(server) && !rejected.has('thinkingOff')
  const preserveThinking = !rejected.has('preserveThinking') && replay === 'conversation'
  return {
    model,
    messages: messages.map(wireMessage),
    ...toolFields(tools, server === 'vllm' && !rejected.has('strict')),
    ...openAiFields(
      { ...optionsOf?.(model), ...(thinking && hasTemplateOptions && { think: thinking }) },
      {
        model: info?.originalName ?? model,
        server,
        learned: efforts,
        preserveThinking,
        templateOptionsRefused: rejected.has(rejectedName('templateOptions', model)),
      },
    ),
  }
}

function chatBody(request: ChatRequest, options: ClientOptions, learned: Learned): Record<string, unknown> {
  const { answerSchema, maxTokens, topTokens } = request
  const { server } = options
  const can = (field: OptionalField['name']) => !learned.rejected.has(field)
  // A gateway passes the schema on. Users who choose guided turns for its model know that.
  const isGuided = options.optionsOf?.(request.model).calls === 'guided'
  const enforces = serversWithSchemas.includes(server) || isGuided
  const hasSchema = answerSchema !== undefined && can('answerSchema') && enforces
  return {
    temperature: request.temperature,
    ...(server === 'llamacpp' && can('progress') && { return_progress: true }),
    // Before the user's own fields, which may set a lower limit.
    ...boundFields(request, options),
    ...promptFields(request, options, learned),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(request.ownTemperature && { temperature: request.temperature }),
    ...(request.againstRepetition && againstRepetition(server, request.temperature)),
    // For templates that always begin with thinking.
    ...(request.thinking === 'off' && server === 'llamacpp' && { reasoning_budget_tokens: 0 }),
    ...(hasSchema && {
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: answerSchema, strict: true } },
    }),
    ...(topTokens !== undefined && likelihoodFields(server, topTokens)),
    stream: true,
    ...(can('usage') && { stream_options: { include_usage: true } }),
  }
}

/** OpenAI's maximum for reported tokens, which most servers share. */
const maxTopTokens = 20

/** Requests the likelihoods of the first token of an answer that begins in the last message. */
function likelihoodFields(server: LocalServer | undefined, topTokens: number): Record<string, unknown> {
  const continues = server === 'vllm' || server === 'sglang'
  return {
    logprobs: true,
    top_logprobs: server === 'llamacpp' ? topTokens : Math.min(topTokens, maxTopTokens),
    ...(continues && { continue_final_message: true, add_generation_prompt: false }),
  }
}

/**
 * Limits an answer to the context window where the server does not: LM Studio drops old messages to continue, and so
 * does llama-server with `--context-shift`. Other servers reject a limit above the free space.
 */
function boundFields(
  { model, contextWindow, maxTokens }: ChatRequest,
  { server, optionsOf }: ClientOptions,
): Record<string, unknown> {
  const isBounded = maxTokens !== undefined || optionsOf?.(model).maxTokens !== undefined
  if (isBounded || contextWindow === undefined || (server !== 'llamacpp' && server !== 'lmstudio')) return {}
  return { max_tokens: contextWindow }
}

/**
 * Returns a server's options against repetition. A window of -1 meant the whole context in older llama-servers; current
 * ones reject it.
 */
function againstRepetition(server: LocalServer | undefined, temperature: number): Record<string, unknown> {
  return {
    temperature: Math.max(0.7, temperature),
    ...(server === 'llamacpp' && { dry_multiplier: 0.8, dry_penalty_last_n: 1024, repeat_penalty: 1.1 }),
  }
}

/** Converts a message to the format of the API. */
const wireMessage = memoizeObjects((message: ChatMessage): Record<string, unknown> => {
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
})

async function* readAnswer(answer: OpenAnswer): AsyncGenerator<ModelEvent, void, void> {
  const { request, target, timeouts, features } = answer
  const meter = new UsageMeter(request)
  const reader = createAnswerReader(request, target, features)
  const readProgress = createProgressReader()
  let finishReason = ''
  let usage: unknown
  let timings: unknown
  let done = false
  let begun = false
  const watch = createProgressWatch(target, timeouts, () => (finishReason ? timeouts.trailingMs : maxQuietMs(timeouts)))

  try {
    const pauseMs = maxPauseMs(answer)
    const silenceMs = () => (finishReason ? timeouts.trailingMs : begun ? pauseMs : timeouts.headersMs)
    for await (const data of answerData(answer, silenceMs, watch)) {
      answer.onData?.()
      if (data === '[DONE]') {
        done = true
        answer.response.complete()
        break
      }
      const chunk = parseChunk(data, target)
      usage = chunk['usage'] ?? usage
      timings = chunk['timings'] ?? timings
      const choice: unknown = Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined
      const delta = isRecord(choice) ? (choice['delta'] ?? choice['message']) : undefined
      const thought = isRecord(delta) ? reasoningOf(delta) : ''
      const text = isRecord(delta) ? textOf(delta['content']) : ''
      const calls = isRecord(delta) ? delta['tool_calls'] : undefined
      const isAnswer = thought !== '' || text !== '' || Boolean(calls)
      if (isRecord(chunk['prompt_progress']) && !begun && !isAnswer) {
        // The answer has not begun, so the longer time limit still applies.
        const note = readProgress(chunk['prompt_progress'])
        if (note !== undefined) {
          watch.progressed()
          yield { kind: 'status', note }
        }
      } else begun = true
      if (!isRecord(choice)) continue
      if (isAnswer) {
        watch.progressed()
        meter.record(`${thought}${text}${calls ? JSON.stringify(calls) : ''}`)
      }
      const tokens =
        request.topTokens === undefined
          ? []
          : likelihoodsOf(isRecord(choice['logprobs']) ? choice['logprobs']['content'] : undefined)
      if (tokens.length > 0) yield { kind: 'likelihoods', tokens }
      if (isRecord(delta)) yield* reader.push({ reasoning: thought, text, calls })
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
  { response, target }: OpenAnswer,
  chunkTimeoutMs: () => number,
  watch: ProgressWatch,
): AsyncGenerator<string, void, void> {
  const type = response.headers['content-type'] ?? ''
  if (type.includes('text/html'))
    throw notModelServer(target, (server) => `${server} sent an HTML page (HTTP ${response.status}).`)
  if (type.includes('application/json')) {
    yield await readText(response, target)
    yield '[DONE]'
  } else {
    yield* sseData(response.chunks(chunkTimeoutMs), target, watch)
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
