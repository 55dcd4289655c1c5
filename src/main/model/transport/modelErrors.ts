import { ModelError, type ModelErrorCode } from '../clients/modelClient.ts'
import { contextExcess } from './contextExcess.ts'
import { errorText } from './errorBody.ts'
import { missingModelHint, startServerHint, toolSupportHint, contextWindowHint } from './errorHints.ts'

export { errorText, isRecord } from './errorBody.ts'

/** What an error names: the endpoint and, where one was asked for, the model. */
export interface RequestTarget {
  /** As the user calls it. */
  name: string
  kind: 'openai' | 'ollama'
  baseUrl: string
  model?: string
}

/** The endpoint by name and address; by its address alone where the name is nothing but a part of it. */
function place({ name, baseUrl }: RequestTarget): string {
  return baseUrl.replace(/^https?:\/\//, '').split('/')[0] === name ? baseUrl : `${name} at ${baseUrl}`
}

/** A connection that never stood: refused, unknown host, no route, TLS. */
export function connectionFailed(error: unknown, target: RequestTarget): ModelError {
  const code = errorCode(error)
  const at = place(target)
  const fail = (message: string, remedy: string) => new ModelError('unreachable', message, remedy, { cause: error })
  switch (code) {
    case 'ECONNREFUSED':
      return fail(`${at} refused the connection: nothing listens there.`, startServerHint(target))
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return fail(
        `The host of ${at} is not known.`,
        'Check the spelling of the address in the settings, and the network.',
      )
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return fail(
        `${at} does not answer.`,
        'Check that the machine is on and reachable, and that no firewall blocks the port.',
      )
    case 'EPROTO':
      return fail(`${at} does not speak TLS.`, 'Use http:// instead of https:// in the address.')
    case 'ECONNRESET':
    case 'EPIPE':
      return fail(
        `${at} closed the connection before it answered.`,
        `Look at the server's log; it may have crashed or run out of memory. ${startServerHint(target)}`,
      )
  }
  if (/CERT|SIGNATURE|ALTNAME/.test(code)) {
    return fail(
      `The certificate of ${at} is not trusted (${code}).`,
      "Name its authority's PEM file under Advanced in the endpoint's settings (or in NODE_EXTRA_CA_CERTS), or use http:// on a network you trust.",
    )
  }
  if (code.startsWith('HPE_')) return notModelServer(target, 'something that is not HTTP')
  const text = error instanceof Error ? error.message : String(error)
  return fail(`The connection to ${at} failed: ${text}`, startServerHint(target))
}

/** Whether a connection that failed may well stand the next time: the server restarts, the network comes back. */
export function isTransient({ code, cause }: ModelError): boolean {
  return (
    code === 'unreachable' &&
    /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/.test(errorCode(cause))
  )
}

/** The server named a time before which it will not answer. */
export function serverBusy(ms: number, target: RequestTarget): ModelError {
  return new ModelError(
    'server_error',
    `${target.name} is busy and asks to wait ${duration(ms)}.`,
    'Send the message again then, or pick a model of another server.',
  )
}

/** An answer that does not end. */
export function answerTooLong(target: RequestTarget): ModelError {
  return new ModelError(
    'bad_response',
    `${target.name} did not stop: its answer is longer than 64 MiB.`,
    'The model repeats itself. Send the message again, or set a longest answer for it in the settings of its endpoint.',
  )
}

export function headersTimeout(ms: number, target: RequestTarget): ModelError {
  return new ModelError(
    'timeout',
    `${target.name} did not begin to answer within ${duration(ms)}.`,
    'The model may be too large for this machine, or the prompt too long. Look at the server, try a smaller model, or send again.',
  )
}

export function chunkTimeout(ms: number, target: RequestTarget): ModelError {
  return new ModelError(
    'timeout',
    `${target.name} fell silent for ${duration(ms)} in the middle of its answer.`,
    'Look at the server, then send the message again.',
  )
}

export function connectionCutOff(target: RequestTarget, cause?: unknown): ModelError {
  return new ModelError(
    'cut_off',
    `${target.name} closed the connection in the middle of its answer.`,
    "Send the message again. If it happens again, look at the server's log: it may have run out of memory.",
    { cause },
  )
}

/** The answer is not what the protocol promises. `got`: what came instead, e.g. "an HTML page". */
export function notModelServer(target: RequestTarget, got: string): ModelError {
  return new ModelError(
    'bad_response',
    `${place(target)} answered with ${got}.`,
    'Check the address and port: another program may be listening there.',
  )
}

/**
 * A failure the server put into words: an HTTP error, or an error object inside a stream (then `status` may be 0).
 * Sentences are recognised as Ollama, llama-server, LM Studio, vLLM and OpenAI write them.
 */
export function serverFailed(status: number, body: string, target: RequestTarget): ModelError {
  const text = errorText(body)
  const said = text ? `: ${clip(text)}` : '.'
  const fail = (code: ModelErrorCode, message: string, remedy: string) => new ModelError(code, message, remedy)

  if (looksLikeHtml(body)) return notModelServer(target, `an HTML page (HTTP ${status})`)
  if (status >= 300 && status < 400) return notModelServer(target, `a redirect (HTTP ${status})`)
  if (status === 401 || status === 403) {
    return fail(
      'unauthorised',
      `${target.name} refused the key (HTTP ${status})${said}`,
      'Enter the API key of this endpoint in the settings.',
    )
  }
  const excess = contextExcess(text, body)
  if (excess) {
    const message = `The request is longer than the context of ${target.model ?? 'the model'}${said}`
    return new ModelError('context_exceeded', message, `${contextWindowHint(target)} Or start a new conversation.`, {
      excess,
    })
  }
  if (cannotCallTools(text)) {
    return fail(
      'no_tools',
      `${target.model ?? 'The model'} cannot call tools on ${target.name}${said}`,
      toolSupportHint(target),
    )
  }
  if (cannotSee(text)) {
    return fail(
      'bad_request',
      `${target.model ?? 'The model'} cannot see pictures on ${target.name}${said}`,
      'Choose a model that sees (and give it its projector, mmproj, where the server wants one), or edit the message and remove the picture.',
    )
  }
  if (isModelMissing(status, text)) {
    return fail(
      'no_model',
      `${target.name} has no model ${target.model ? `"${target.model}"` : 'of that name'}${said}`,
      missingModelHint(target),
    )
  }
  if (status === 404) {
    return fail(
      'bad_response',
      `${target.name} does not know this address (HTTP 404)${said}`,
      'Check the base URL: it should be the part before /chat/completions (or before /api/chat for Ollama).',
    )
  }
  if (isLoading(status, text)) {
    return fail(
      'loading',
      `${target.name} is still loading the model${said}`,
      'Wait until the server has loaded it, then send the message again.',
    )
  }
  if (/more system memory|out of memory|CUDA error|failed to allocate/i.test(text)) {
    return fail(
      'server_error',
      `${target.name} ran out of memory${said}`,
      'Use a smaller model or a smaller context window, or end other programs.',
    )
  }
  if (status === 429 || status === 503) {
    return fail(
      'server_error',
      `${target.name} is busy (HTTP ${status})${said}`,
      'Wait a moment, then send the message again.',
    )
  }
  if (status >= 400 && status < 500) {
    return fail(
      'bad_request',
      `${target.name} refused the request (HTTP ${status})${said}`,
      'Check the model and the endpoint in the settings; the text above is what the server said.',
    )
  }
  return fail(
    'server_error',
    `${target.name} failed${status ? ` (HTTP ${status})` : ''}${said}`,
    "Send the message again. If it happens again, look at the server's log.",
  )
}

/** Whether the server asks for patience because the model is being loaded. */
export function isLoading(status: number, text: string): boolean {
  return (
    (status === 503 || status === 0 || status === 500) &&
    /loading model|model is (still )?loading|loading the model/i.test(text)
  )
}

export function looksLikeHtml(text: string): boolean {
  return /^\s*<(!doctype|html|head|body)/i.test(text)
}

const noTools = [
  /does not support tools/i,
  /tool[- ]?(call(ing)?|choice|use).{0,200}(not supported|requires|unsupported|--enable)/i,
  /requires? --jinja|tools param requires/i,
]
/** Whether a server says that its model takes no tools. */
export function cannotCallTools(text: string): boolean {
  return noTools.some((pattern) => pattern.test(text))
}

const noVision = [
  /image input is not supported|mmproj/i,
  /(does not|doesn't|do not|cannot) support (image|vision|multimodal)/i,
  /not a (multimodal|vision) model|at most 0 image|missing data required for image input/i,
  /image_url.{0,200}(not supported|unsupported|only supported)/i,
]
function cannotSee(text: string): boolean {
  return noVision.some((pattern) => pattern.test(text))
}

function isModelMissing(status: number, text: string): boolean {
  if (
    /model_not_found|try pulling it first|no models? (is |are )?(currently )?loaded|model .{0,200}(not found|does not exist)/i.test(
      text,
    )
  )
    return status === 404 || status === 400 || status === 0
  return false
}

/** The code of a socket error; of the last one where several addresses were tried. */
function errorCode(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return errorCode(error.errors.at(-1))
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    // OpenSSL reports plain HTTP on a TLS port as ERR_SSL_…
    return /^ERR_SSL_(WRONG_VERSION|PACKET_LENGTH)/.test(error.code) ? 'EPROTO' : error.code
  }
  return ''
}

function clip(text: string): string {
  return text.length > 600 ? `${text.slice(0, 600)}…` : text
}

function duration(ms: number): string {
  return ms >= 120_000 ? `${Math.round(ms / 60_000)} minutes` : `${Math.round(ms) / 1000} s`
}
