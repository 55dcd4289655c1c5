import { asSentence } from '../../base/asSentence.ts'
import { ModelError, type ModelErrorCode } from '../modelClient.ts'
import { contextOverflow } from './contextOverflow.ts'
import { errorText, ownWords } from './errorBody.ts'
import { missingModelHint, startServerHint, toolSupportHint, contextWindowHint, type HintTarget } from './errorHints.ts'
import { truncate } from '../../../shared/text/truncate.ts'

export { errorText, isRecord } from './errorBody.ts'

/** The endpoint and model that an error message names. */
export interface RequestTarget extends HintTarget {
  /** The endpoint's name, as set by the user. */
  name: string
}

/** Returns name and address, or only the address if its host is the name. */
function describeServer({ name, baseUrl }: RequestTarget): string {
  return baseUrl.replace(/^https?:\/\//, '').split('/')[0] === name ? baseUrl : `${name} at ${baseUrl}`
}

/** Converts a failure to connect: refused, unknown host, no route, TLS. */
export function connectionFailed(error: unknown, target: RequestTarget): ModelError {
  const code = errorCode(error)
  const at = describeServer(target)
  const fail = (message: string, hint: string) => new ModelError('unreachable', message, hint, { cause: error })
  switch (code) {
    case 'ECONNREFUSED':
      return fail(`${at} refused the connection: no server is listening there.`, startServerHint(target))
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return fail(
        `The host name of ${at} could not be resolved.`,
        'Check the address in the settings, and your network connection.',
      )
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return fail(
        `${at} did not respond.`,
        'Check that the machine is running and reachable, and that no firewall blocks the port.',
      )
    case 'EPROTO':
      return fail(`${at} does not support TLS.`, 'Use http:// instead of https:// in the address.')
    case 'ECONNRESET':
    case 'EPIPE':
      return fail(
        `${at} closed the connection before responding.`,
        `Check the server's log: it may have crashed or run out of memory. ${startServerHint(target)}`,
      )
  }
  if (/CERT|SIGNATURE|ALTNAME/.test(code)) {
    return fail(
      `The certificate of ${at} is not trusted (${code}).`,
      "Set the PEM file of its certificate authority under Advanced in the endpoint's settings (or in NODE_EXTRA_CA_CERTS), or use http:// on a network you trust.",
    )
  }
  if (code.startsWith('HPE_')) return notModelServer(target, (server) => `${server} sent data that is not HTTP.`)
  const text = error instanceof Error ? error.message : String(error)
  return fail(`The connection to ${at} failed: ${asSentence(text)}`, startServerHint(target))
}

/** Whether another connection attempt may succeed, for example because the server restarts. */
export function isTransient({ code, cause }: ModelError): boolean {
  return (
    code === 'unreachable' &&
    /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/.test(errorCode(cause))
  )
}

/** Whether no server listens at the address. */
export function isRefusedConnection({ cause }: ModelError): boolean {
  return errorCode(cause) === 'ECONNREFUSED'
}

/** Creates the error for a `Retry-After` that is too long to wait. */
export function serverBusy(ms: number, target: RequestTarget): ModelError {
  return new ModelError(
    'server_error',
    `${target.name} is busy and asks to wait ${duration(ms)}.`,
    'Send the message again after that, or select a model on another server.',
  )
}

/** Creates the error for a response that exceeds the size limit. */
export function answerTooLong(target: RequestTarget): ModelError {
  return new ModelError(
    'bad_response',
    `${target.name} sent more than 64 MiB in one response, so it was stopped.`,
    'The model may be repeating itself. Send the message again, or limit the length of its answers in the settings of its endpoint.',
  )
}

interface Limits {
  headersMs: number
  chunkMs: number
  configurable?: boolean
}

export function headersTimeout(limits: Limits, target: RequestTarget): ModelError {
  return new ModelError(
    'timeout',
    `${target.name} did not start to answer within ${duration(limits.headersMs)}.`,
    `The model may be too large for this machine, or the prompt too long. Check the server, try a smaller model, or send the message again.${raise('Answer timeout', 'answer', limits)}`,
  )
}

export function chunkTimeout(ms: number, limits: Limits, target: RequestTarget): ModelError {
  return new ModelError(
    'timeout',
    `${target.name} sent nothing for ${duration(ms)} in the middle of the answer.`,
    `Check the server, then send the message again.${raise('Stream timeout', 'piece', limits)}`,
  )
}

/** Creates the error for a response that trickles in single bytes. */
export function trickledResponse(limits: Limits, target: RequestTarget): ModelError {
  return new ModelError(
    'timeout',
    `${target.name} sent only a few bytes, and no complete part of an answer, within ${duration(limits.chunkMs)}.`,
    `Check the server and any proxy in front of it, then send the message again.${raise('Stream timeout', 'piece', limits)}`,
  )
}

/** Creates the error for a response that consists of keep-alives or of events without content. */
export function noProgress(ms: number, limits: Limits, target: RequestTarget): ModelError {
  return new ModelError(
    'timeout',
    `${target.name} kept the connection open for ${duration(ms)} without sending any part of an answer.`,
    `Check the server and any proxy in front of it, then send the message again.${raise('Answer timeout', 'answer', limits)}${limits.configurable ? ' The limit that was reached is a multiple of it.' : ''}`,
  )
}

/** Returns the sentence that names the setting for a limit; '' if there is none. */
function raise(title: string, name: 'answer' | 'piece', { configurable }: Limits): string {
  return configurable
    ? ` If it is only slow, raise "${title}" (patience.${name}) under Advanced in the endpoint's settings.`
    : ''
}

/** Creates the error for a compression that is unknown. No compression was requested. */
export function unknownCompression(encoding: string, target: RequestTarget): ModelError {
  return new ModelError(
    'bad_response',
    `${target.name} compressed its response with "${encoding.slice(0, 100)}", which was not requested and cannot be read.`,
    'Turn off compression in the server or in the proxy in front of it.',
  )
}

/** Creates the error for a compressed response that cannot be decompressed. */
export function damagedCompression(encoding: string, error: Error, target: RequestTarget): ModelError {
  if (error instanceof ModelError) return error
  // The data ended too early.
  if (errorCode(error) === 'Z_BUF_ERROR') return connectionCutOff(target, error)
  return new ModelError(
    'bad_response',
    `${target.name} states that its response is compressed with "${encoding}", but it cannot be decompressed.`,
    'Turn off compression in the server or in the proxy in front of it.',
    { cause: error },
  )
}

export function connectionCutOff(target: RequestTarget, cause?: unknown): ModelError {
  return new ModelError(
    'cut_off',
    `${target.name} closed the connection in the middle of the answer.`,
    "Send the message again. If the error persists, check the server's log: it may have run out of memory.",
    { cause },
  )
}

/**
 * Creates the error for a response that does not follow the protocol.
 * @param message returns the message, given the server's name and address
 */
export function notModelServer(target: RequestTarget, message: (server: string) => string): ModelError {
  return new ModelError(
    'bad_response',
    message(describeServer(target)),
    'Check the address and port: another program may be listening there.',
  )
}

/**
 * Converts a failure that the server reports: an HTTP error, or an error object in a stream (`status` may be 0).
 * Recognizes the messages of Ollama, llama-server, LM Studio, vLLM, LiteLLM and OpenAI.
 */
export function serverFailed(status: number, body: string, target: RequestTarget): ModelError {
  const whole = errorText(body)
  const detail = whole ? `: ${asSentence(truncate(whole, 600))}` : '.'
  const text = ownWords(whole)
  const fail = (code: ModelErrorCode, message: string, hint: string) => new ModelError(code, message, hint)

  if (isTemporaryFailure(status, body))
    return fail(
      'server_error',
      `The model behind ${target.name} does not respond${status ? ` (HTTP ${status})` : ''}${looksLikeHtml(body) ? '.' : detail}`,
      'Send the message again when the model runs. If the error persists, check the log of the server and of the proxy in front of it.',
    )
  if (looksLikeHtml(body)) return notModelServer(target, (server) => `${server} sent an HTML page (HTTP ${status}).`)
  if (status >= 300 && status < 400)
    return notModelServer(target, (server) => `${server} sent a redirect (HTTP ${status}).`)
  if (status === 401 || status === 403 || isUnknownKey(text)) {
    return fail(
      'unauthorised',
      `${target.name} rejected the API key (HTTP ${status})${detail}`,
      'Enter the API key of this endpoint in the settings.',
    )
  }
  const excess = contextOverflow(text, body)
  if (excess) {
    const message = `The request exceeds the context size of ${target.model ?? 'the model'}${detail}`
    const info = { ...target.info, ...(excess.window !== undefined && { contextWindow: excess.window }) }
    const hint = `${contextWindowHint({ ...target, info })} Or start a new conversation.`
    return new ModelError('context_exceeded', message, hint, { excess })
  }
  if (effortPattern.test(text)) {
    return fail(
      'bad_request',
      `${target.name} rejected the reasoning effort of this model${detail}`,
      'Select another value for "Thinking" in the options of the model, in the settings of its endpoint.',
    )
  }
  if (cannotCallTools(text)) {
    return fail(
      'no_tools',
      `${target.model ?? 'The model'} does not support tool calls on ${target.name}${detail}`,
      toolSupportHint(target, text),
    )
  }
  if (cannotSee(text)) {
    return fail(
      'bad_request',
      `${target.model ?? 'The model'} does not support images on ${target.name}${detail}`,
      'Select a model that supports images (some servers also need its projector file, mmproj), or edit the message and remove the image.',
    )
  }
  if (isModelMissing(status, text)) {
    return fail(
      'no_model',
      target.model
        ? `${target.name} has no model "${target.model}"${detail}`
        : `${target.name} has no model of that name${detail}`,
      missingModelHint(target),
    )
  }
  if (status === 404) {
    return fail(
      'bad_response',
      `${target.name} reports an unknown path (HTTP 404)${detail}`,
      'Check the base URL: it should end before /chat/completions (for Ollama, before /api/chat).',
    )
  }
  if (isLoading(status, body)) {
    return fail(
      'loading',
      `${target.name} is still loading the model${detail}`,
      'Wait until the model is loaded, then send the message again.',
    )
  }
  if (isOutOfMemory(text)) {
    return fail(
      'server_error',
      `${target.name} ran out of memory${detail}`,
      'Use a smaller model or a smaller context size, or close other programs.',
    )
  }
  if (status === 429 || status === 503) {
    return fail(
      'server_error',
      `${target.name} is busy (HTTP ${status})${detail}`,
      'Wait a moment, then send the message again.',
    )
  }
  if (status >= 400 && status < 500) {
    return fail(
      'bad_request',
      `${target.name} rejected the request (HTTP ${status})${detail}`,
      "Check the model and the endpoint in the settings. The server's own message is above.",
    )
  }
  return fail(
    'server_error',
    `${target.name} failed${status ? ` (HTTP ${status})` : ''}${detail}`,
    "Send the message again. If the error persists, check the server's log.",
  )
}

/**
 * Whether a rejection has a cause other than the request's format: its size, images, the model, memory.
 * @param text the message in `body`
 */
export function hasOtherCause(status: number, text: string, body: string): boolean {
  return (
    contextOverflow(text, body) !== undefined ||
    cannotSee(text) ||
    isModelMissing(status, text) ||
    isLoading(status, body) ||
    isOutOfMemory(text)
  )
}

function isOutOfMemory(text: string): boolean {
  return /more system memory|out of memory|CUDA error|failed to allocate/i.test(text)
}

/**
 * Whether a server or proxy reports that the model is briefly unavailable because it restarts or is being swapped:
 * nginx and other proxies (502, 504), llama-server's router, llama-swap, LM Studio.
 * @param status 0 for an error in a stream
 */
export function isTemporaryFailure(status: number, body: string): boolean {
  const text = ownWords(errorText(body))
  // Some gateways report every error of the server behind them this way.
  if (contextOverflow(text, body) || cannotSee(text) || isOutOfMemory(text)) return false
  if (status === 502 || status === 504 || (status === 503 && looksLikeHtml(body))) return true
  return /could not establish connection|\bmodel (was |has been )?unloaded\b/i.test(text)
}

/** Whether the server reports that it is still loading the model. */
export function isLoading(status: number, body: string): boolean {
  return (
    (status === 503 || status === 0 || status === 500) &&
    /loading model|model is (still )?loading|loading the model/i.test(ownWords(errorText(body)))
  )
}

export function looksLikeHtml(text: string): boolean {
  return /^\s*<(!doctype|html|head|body)/i.test(text)
}

/** Texts of servers and templates about a reasoning effort that they do not know. */
export const effortPattern = /\b(reasoning|thinking)[ _-]effort|\bthink value\b/i

/** Texts of servers about a model without tool calls. */
export const noToolsPatterns: readonly RegExp[] = [
  /does not support tools/i,
  /tool[- ]?(call(ing)?|choice|use).{0,200}(not supported|requires|unsupported|--enable)/i,
  /requires? --jinja|tools param requires/i,
]
/** Whether the server reports that the model does not support tools. */
export function cannotCallTools(text: string): boolean {
  return noToolsPatterns.some((pattern) => pattern.test(text))
}

const noVision = [
  /image input is not supported|mmproj/i,
  /(does not|doesn't|do not|cannot) support (image|vision|multimodal)/i,
  /not a (multimodal|vision) model|at most 0 image|missing data required for image input/i,
  /image_url.{0,200}(not supported|unsupported|only supported)|unsupported content part type: \\?"image/i,
]
function cannotSee(text: string): boolean {
  return noVision.some((pattern) => pattern.test(text))
}

function isModelMissing(status: number, text: string): boolean {
  if (
    /model_not_found|invalid model name|try pulling it first|no models? (is |are )?(currently )?loaded|model .{0,200}(not found|does not exist)/i.test(
      text,
    )
  )
    return status === 404 || status === 400 || status === 0
  return false
}

/** LiteLLM looks up foreign keys in its database, and reports only that it has none. */
function isUnknownKey(text: string): boolean {
  return /^no connected db/i.test(text)
}

/** Returns the code of a socket error, of the last one if several addresses failed; '' for other errors. */
function errorCode(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return errorCode(error.errors.at(-1))
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    // OpenSSL reports plain HTTP on a TLS port as ERR_SSL_…
    return /^ERR_SSL_(WRONG_VERSION|PACKET_LENGTH)/.test(error.code) ? 'EPROTO' : error.code
  }
  return ''
}

function duration(ms: number): string {
  return ms >= 120_000 ? `${Math.round(ms / 60_000)} minutes` : `${Math.round(ms) / 1000} s`
}
