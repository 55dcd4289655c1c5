import { isDeepStrictEqual } from 'node:util'
import type { Usage } from '../../../shared/agent/conversation.ts'
import { asSentence } from '../../base/asSentence.ts'
import type { Features } from '../../base/features.ts'
import { memoizeObjects } from '../../base/memoize.ts'
import type { Listing, ListRequest } from './modelListing.ts'
import { readText, sendRequest, type HttpResponse } from '../transport/http.ts'
import {
  isTemporaryFailure,
  isRecord,
  looksLikeHtml,
  notModelServer,
  serverFailed,
  type RequestTarget,
} from '../transport/modelErrors.ts'
import { defaultTimeouts, openStream, type StreamRequest, type Timeouts } from '../transport/busyServerRetries.ts'
import { parseServerJson } from '../transport/serverJson.ts'
import { withWaitingNotes } from '../transport/waitingNotes.ts'
import { endpointRoot, type ClientOptions } from './clientOptions.ts'
import { dropsTools } from './droppedTools.ts'
import {
  ModelError,
  type ChatRequest,
  type ChatTool,
  type ModelClient,
  type ModelEvent,
  type PromptRequest,
  type TokenLikelihood,
} from '../modelClient.ts'
import { readRefusal, type Refusal, type RefusalCause } from './refusal.ts'
import { createRequestAdapter, type RequestAdapter } from './refusalAdapter.ts'

/** An answer that the server has begun to send. */
export interface OpenAnswer {
  response: HttpResponse
  request: ChatRequest
  target: RequestTarget
  timeouts: Timeouts
  features: Partial<Features> | undefined
  /** Measured speed of the model; undefined before its first answer. */
  tokensPerSecond: number | undefined
  /** Called with each event from the server, except pings. */
  onData?: () => void
}

/** The parts of a client that depend on the server's API. */
export interface ChatApi {
  kind: RequestTarget['kind']
  /** Path of chat requests, below the server's root. */
  path: string
  body(request: ChatRequest): Record<string, unknown>
  /** The fields of `body` that determine the prompt. Absent: servers with this API cannot count requests. */
  promptFields?(request: PromptRequest): Record<string, unknown>
  /**
   * Changes all later bodies after a rejected request.
   * @param sent its body
   * @returns whether to send the request again
   */
  learnFromRefusal?(refusal: Refusal, request: ChatRequest, sent: Record<string, unknown>): boolean
  /** Converts the response to events. @throws ModelError, AbortError */
  readAnswer(answer: OpenAnswer): AsyncGenerator<ModelEvent, void, void>
  list(request: ListRequest): Promise<Listing>
}

/** An error that the server reports in the response instead of by its HTTP status. */
class StreamedError extends ModelError {
  readonly status: number
  readonly body: string

  /** @param code the status in the error; 0 if it has none */
  constructor(code: number, body: string, target: RequestTarget) {
    const { code: kind, message, hint, excess } = serverFailed(code, body, target)
    super(kind, message, hint, { ...(excess && { excess }) })
    this.status = code || 500
    this.body = body
  }
}

/** Causes where the model wrote something that its server cannot use. */
const causesWhileWriting: readonly RefusalCause[] = ['grammarWhileWriting', 'unreadableAnswer']
/** Maximum resends of a request after the server closed the connection or unloaded the model. */
const maxCuts = 3
/**
 * Maximum connection attempts, about 15 s, to a server that has answered before but not yet this client, and may have
 * been stopped. A server that has answered this client is assumed to be restarting.
 */
const maxReconnects = 10

/**
 * Returns the tokens per second of an answer; undefined if they cannot be determined.
 * @param since when the answer began. Servers that do not stream calls begin it when it is complete
 */
function answerSpeed({ completionTokens, tokensPerSecond }: Usage, since: number | undefined): number | undefined {
  const seconds = since === undefined ? 0 : (performance.now() - since) / 1000
  return tokensPerSecond ?? (seconds >= 1 && completionTokens > 1 ? completionTokens / seconds : undefined)
}

function learnSpeed({ compatStore, baseUrl }: ClientOptions, model: string, speed: number | undefined): void {
  if (speed !== undefined) compatStore?.setSpeed(baseUrl, model, speed)
}

/** What error messages name, for requests to the server and for requests to one of its models. */
function requestTargets(
  { name, baseUrl, server, slots, infoOf, optionsOf, contextWindow }: ClientOptions,
  { kind }: ChatApi,
): { serverTarget: RequestTarget; targetFor(model: string): RequestTarget } {
  const serverTarget: RequestTarget = { name, kind, baseUrl, server, slots }
  return {
    serverTarget,
    targetFor: (model) => ({
      ...serverTarget,
      model,
      info: infoOf?.(model),
      configuredWindow: optionsOf?.(model).contextWindow ?? contextWindow,
    }),
  }
}

/**
 * Sends a request again without a stream, for one token: llama-cpp-python ends a stream without an event where it would
 * otherwise report an error, for example that the prompt is too long.
 * @param error the error of the stream
 * @returns undefined if the server reports no error this time. @throws AbortError
 */
async function refusalOf(
  error: unknown,
  { body, ...sent }: StreamRequest,
): Promise<{ status: number; text: string } | undefined> {
  if (!(error instanceof ModelError) || error.code !== 'cut_off') return undefined
  const { stream_options: _options, ...fields } = body
  try {
    const answer = await sendRequest({ ...sent, method: 'POST', body: { ...fields, stream: false, max_tokens: 1 } })
    const text = await readText(answer, sent.target)
    return answer.status >= 400 ? { status: answer.status, text } : undefined
  } catch (failure) {
    if (failure instanceof ModelError) return undefined
    throw failure
  }
}

type Connected = Omit<StreamRequest, 'body'>

/** Creates the client of an endpoint with this API. */
export function createChatClient(options: ClientOptions, api: ChatApi): ModelClient {
  const { baseUrl, contextWindow: window, features } = options
  const timeouts = { ...defaultTimeouts, ...options.timeouts }
  const { targetFor, serverTarget } = requestTargets(options, api)
  const connection = async () => (await options.connection?.()) ?? {}
  const adapter = createRequestAdapter(options)
  /** The normalized base URL. Computed with the first request, which reports an invalid URL. */
  let root: string | undefined
  let hasAnswered = false
  /** A turn waits for its server. Side requests, such as titles and checks, do not. */
  const reconnectsFor = ({ isAside }: ChatRequest): number | undefined => {
    if (isAside) return undefined
    return hasAnswered ? Infinity : options.compatStore?.hasAnswered(baseUrl) ? maxReconnects : undefined
  }

  async function toolsAreDropped(request: ChatRequest, usage: Usage, sent: Connected): Promise<boolean> {
    if (api.kind !== 'openai' || !adapter.mayDropTools(request, usage)) return false
    const dropped = await dropsTools({ ...sent, root: endpointRoot(baseUrl, sent.target), model: request.model })
    adapter.learnToolsDropped(request, dropped)
    return dropped === true
  }

  async function* send(request: ChatRequest): AsyncGenerator<ModelEvent, void, void> {
    const target = targetFor(request.model)
    const { nextBody, learnFromRefusal, mayRepeat } = repetitions(request, api, adapter)
    for (;;) {
      const connected = {
        url: `${(root ??= endpointRoot(baseUrl, target))}${api.path}`,
        connection: await connection(),
        signal: request.signal,
        timeouts,
        target,
      }
      // A stopped answer reports no usage, which would have shown dropped tools. This checks for them once.
      if (request.againstRepetition) await toolsAreDropped(request, { promptTokens: 0, completionTokens: 0 }, connected)
      const sent = { ...connected, body: nextBody() }
      const response = yield* openStream({
        ...sent,
        ...(options.onGone && { onGone: options.onGone }),
        reconnects: reconnectsFor(request),
        amend: (status, rejection) => (learnFromRefusal(status, rejection) ? nextBody() : undefined),
      })
      hasAnswered = true
      options.compatStore?.setAnswered(baseUrl)
      let begun = false
      let hasCalls = false
      let dropped = false
      let firstData: number | undefined
      try {
        for await (const event of api.readAnswer({
          response,
          request,
          target,
          timeouts,
          features,
          tokensPerSecond: options.compatStore?.speed(baseUrl, request.model),
          onData() {
            firstData ??= performance.now()
          },
        })) {
          if (event.kind === 'usage') learnSpeed(options, request.model, answerSpeed(event.usage, firstData))
          begun ||= event.kind !== 'status'
          hasCalls ||= event.kind === 'callStarted' || event.kind === 'call'
          dropped = event.kind === 'usage' && !hasCalls && (await toolsAreDropped(request, event.usage, sent))
          if (dropped) break
          yield event
        }
        if (dropped) {
          yield { kind: 'discarded' }
          continue
        }
        yield* adapter.notices(request, target)
        return
      } catch (error) {
        const refusal = firstData === undefined && api.kind === 'openai' ? await refusalOf(error, sent) : undefined
        if (refusal && !learnFromRefusal(refusal.status, refusal.text))
          throw serverFailed(refusal.status, refusal.text, target)
        // Some servers begin the response before they read the request, so they reject it there (llama-server of 2025).
        if (!refusal && !mayRepeat(error, begun)) throw error
        if (begun) yield { kind: 'discarded' }
        yield { kind: 'status', note: 'Sending the request again…' }
      } finally {
        response.close()
      }
    }
  }

  return {
    stream: (request) => withWaitingNotes((signal) => send({ ...request, signal }), request.signal, timeouts.noticeMs),
    ...(api.promptFields && { promptFields: (request) => api.promptFields?.(adapter.adapt(request)) ?? {} }),
    reasoningReplay: (model) => adapter.reasoningReplay(model),
    async models(signal) {
      const target = serverTarget
      const root = endpointRoot(baseUrl, target)
      const request = { root, connection: await connection(), target, signal, ...(window && { window }) }
      return (await api.list(request)).models
    },
  }
}

/** Decides whether one request is sent again after a failure, and learns from it. */
function repetitions(
  request: ChatRequest,
  api: Pick<ChatApi, 'body' | 'learnFromRefusal'>,
  adapter: RequestAdapter,
): {
  /** Returns the body to send, in the format that is known to be accepted. */
  nextBody(): Record<string, unknown>
  /** @param begun whether the model has written something */
  learnFromRefusal(status: number, body: string, begun?: boolean): boolean
  mayRepeat(error: unknown, begun: boolean): boolean
} {
  const broken = new Set<RefusalCause>()
  let cuts = 0
  const bodyNow = () => api.body(adapter.adapt(request))
  let sent: Record<string, unknown> = {}
  const nextBody = () => (sent = bodyNow())
  const learnFromRefusal = (status: number, body: string, begun = false): boolean => {
    const refusal = readRefusal(status, body, request)
    if (!refusal) return false
    const whileWriting = refusal.causes.find((cause) => causesWhileWriting.includes(cause))
    if (whileWriting && !broken.has(whileWriting)) {
      // The model may write something else next time, so the request format stays.
      broken.add(whileWriting)
      return true
    }
    if (begun && !whileWriting) return false
    if (api.learnFromRefusal?.(refusal, request, sent) === true) return true
    // Another request may have learned the same since this one was sent.
    return adapter.learnFromRefusal(request, refusal) || !isDeepStrictEqual(sent, bodyNow())
  }
  /** Whether sending the request again may succeed. */
  const mayRepeat = (error: unknown, begun: boolean): boolean => {
    if (!(error instanceof ModelError) || request.signal.aborted) return false
    if (error instanceof StreamedError && learnFromRefusal(error.status, error.body, begun)) return true
    const isPassing =
      error instanceof StreamedError ? isTemporaryFailure(error.status, error.body) : error.code === 'cut_off'
    return isPassing && ++cuts <= maxCuts
  }
  return { nextBody, learnFromRefusal, mayRepeat }
}

/**
 * Returns the tools in the format of both APIs. Omits the field if there are none.
 * @param strict requires calls to match the schemas; vLLM enforces schemas only then
 */
export function toolFields(tools: readonly ChatTool[], strict = false): { tools?: object[] } {
  if (tools.length === 0) return {}
  return { tools: strict ? strictTools(tools) : plainTools(tools) }
}

const toFunctions = (tools: readonly ChatTool[], options: { strict?: true }): object[] =>
  tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters, ...options },
  }))
// All requests of a turn have the same list.
const plainTools = memoizeObjects((tools: readonly ChatTool[]) => toFunctions(tools, {}))
const strictTools = memoizeObjects((tools: readonly ChatTool[]) => toFunctions(tools, { strict: true }))

/**
 * Parses one JSON object of an answer.
 * @throws ModelError `bad_response`, or the error in the object
 */
export function parseChunk(data: string, target: RequestTarget): Record<string, unknown> {
  let chunk: unknown
  try {
    chunk = parseServerJson(data)
  } catch (cause) {
    if (looksLikeHtml(data)) throw notModelServer(target, (server) => `${server} sent an HTML page.`)
    throw new ModelError(
      'bad_response',
      `${target.name} sent invalid JSON: ${asSentence(data.slice(0, 200))}`,
      "Send the message again. If the error persists, check the server's log.",
      { cause },
    )
  }
  if (!isRecord(chunk)) throw notModelServer(target, (server) => `${server} sent JSON that is not a chat completion.`)
  if (chunk['error'] || chunk['object'] === 'error') {
    const error = chunk['error'] ?? chunk
    const code = isRecord(error) ? Number(error['code']) : 0
    throw new StreamedError(code >= 100 && code < 600 ? code : 0, JSON.stringify({ error }), target)
  }
  return chunk
}

/**
 * Creates the last event of an answer.
 * @param reason as reported by the server; undefined or '' if it reports none
 */
export function finishEvent(reason: unknown, hasCalls: boolean): ModelEvent {
  if (reason === 'length') return { kind: 'finish', reason }
  if (hasCalls) return { kind: 'finish', reason: 'tool_calls' }
  return { kind: 'finish', reason: !reason || reason === 'stop' ? 'stop' : 'unknown' }
}

/**
 * Returns the alternatives for the first of these tokens. @param tokens with `top_logprobs`, as both APIs report them
 */
export function likelihoodsOf(tokens: unknown): TokenLikelihood[] {
  const first: unknown = Array.isArray(tokens) ? tokens[0] : undefined
  const top = isRecord(first) && Array.isArray(first['top_logprobs']) ? first['top_logprobs'] : []
  return top.flatMap((each: unknown) =>
    isRecord(each) && typeof each['token'] === 'string' && typeof each['logprob'] === 'number'
      ? [{ token: each['token'], logprob: each['logprob'] }]
      : [],
  )
}
