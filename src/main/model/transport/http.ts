import http from 'node:http'
import https from 'node:https'
import type { SecureContext } from 'node:tls'
import { ModelError } from '../clients/modelClient.ts'
import {
  chunkTimeout,
  connectionFailed,
  connectionCutOff,
  answerTooLong,
  headersTimeout,
  type RequestTarget,
} from './modelErrors.ts'

/**
 * How long a server may stay silent, in milliseconds. Nothing else is timed: a slow model on a small machine may take as
 * long as it likes while it keeps talking. (`fetch` is not used because its own limits cannot be changed without a package.)
 */
export interface HttpTimeouts {
  /** Until the connection stands. */
  connectMs: number
  /** From the request to the answer's headers; a local server loads the model and reads the prompt in this time. */
  headersMs: number
  /** Between two pieces of an answer. */
  chunkMs: number
}
export const defaultHttpTimeouts: HttpTimeouts = { connectMs: 10_000, headersMs: 600_000, chunkMs: 300_000 }

/** What opens a server's door. */
export interface ConnectionOptions {
  headers?: Record<string, string>
  /** Whom to trust over TLS; absent: the authorities that come with Node. */
  secureContext?: SecureContext
}

export interface HttpRequest {
  method: 'GET' | 'POST'
  url: string
  connection?: ConnectionOptions
  /** Sent as JSON. */
  body?: unknown
  signal: AbortSignal
  timeouts?: Partial<HttpTimeouts>
  /** Named in errors. */
  target: RequestTarget
}

export interface HttpResponse {
  status: number
  headers: http.IncomingHttpHeaders
  /** Read once. `patience()` may shorten the wait for the next piece. Leaving the loop closes the socket. */
  chunks(timeouts?: () => number): AsyncGenerator<Buffer, void, void>
  close(): void
}

/** A JSON answer that is longer than this is refused: no endpoint's model list or error is. Bytes. */
const jsonCap = 16 * 1024 * 1024

/** What every abort ends in, whatever reason the signal carries. */
export function abortError(): DOMException {
  return new DOMException('The model request was cancelled.', 'AbortError')
}

/**
 * One request over a connection of its own. Redirects are not followed: a key must not travel to another place.
 * @throws ModelError `unreachable`, `timeout`; AbortError
 */
export async function sendRequest(request: HttpRequest): Promise<HttpResponse> {
  const { signal, target } = request
  if (signal.aborted) throw abortError()
  const silence = { ...defaultHttpTimeouts, ...request.timeouts }
  const url = new URL(request.url)
  const payload = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body))
  const outgoing = (url.protocol === 'https:' ? https : http).request(url, {
    method: request.method,
    agent: false,
    ...(request.connection?.secureContext && { secureContext: request.connection.secureContext }),
    headers: {
      accept: 'text/event-stream, application/x-ndjson, application/json',
      'accept-encoding': 'identity',
      ...(payload && { 'content-type': 'application/json', 'content-length': payload.length }),
      ...request.connection?.headers,
    },
  })
  const onAbort = () => outgoing.destroy(abortError())
  signal.addEventListener('abort', onAbort, { once: true })
  const close = () => {
    signal.removeEventListener('abort', onAbort)
    outgoing.destroy()
  }

  let timer: NodeJS.Timeout | undefined
  const limit = (ms: number, error: () => ModelError) => {
    clearTimeout(timer)
    timer = setTimeout(() => outgoing.destroy(error()), ms)
  }
  try {
    const incoming = await new Promise<http.IncomingMessage>((resolve, reject) => {
      limit(silence.connectMs, () =>
        connectionFailed(Object.assign(new Error('connect timed out'), { code: 'ETIMEDOUT' }), target),
      )
      outgoing.once('socket', (socket) => {
        socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
          limit(silence.headersMs, () => headersTimeout(silence.headersMs, target))
        })
      })
      outgoing.on('error', reject)
      outgoing.once('response', resolve)
      outgoing.end(payload)
    })
    return {
      status: incoming.statusCode ?? 0,
      headers: incoming.headers,
      chunks: (timeouts) => readChunks(incoming, close, signal, target, timeouts ?? (() => silence.chunkMs)),
      close,
    }
  } catch (error) {
    close()
    if (signal.aborted) throw abortError()
    throw error instanceof ModelError ? error : connectionFailed(error, target)
  } finally {
    clearTimeout(timer)
  }
}

/** No answer of a model is longer; one that repeats itself without end has to end somewhere. Bytes. */
const streamCap = 64 * 1024 * 1024
/** Bytes that may wait for a slow consumer before the socket is paused. */
const queueCap = 1024 * 1024

/**
 * Pieces in the order they came. The stream's own iterator is not used: it throws away what arrived before an error, and
 * the last words before a connection died are worth showing.
 */
async function* readChunks(
  incoming: http.IncomingMessage,
  close: () => void,
  signal: AbortSignal,
  target: RequestTarget,
  timeouts: () => number,
): AsyncGenerator<Buffer, void, void> {
  let queue: Buffer[] = []
  let queued = 0
  let received = 0
  let ended = false
  let failure: unknown
  let wake = () => {}
  incoming.on('data', (chunk: Buffer) => {
    queue.push(chunk)
    queued += chunk.length
    received += chunk.length
    if (received > streamCap) incoming.destroy(answerTooLong(target))
    if (queued > queueCap) incoming.pause()
    wake()
  })
  incoming.once('end', () => {
    ended = true
    wake()
  })
  const fail = (error?: unknown) => {
    failure ??= error ?? new Error('The connection closed.')
    wake()
  }
  incoming.once('error', fail)
  incoming.once('close', () => fail())
  try {
    for (;;) {
      if (signal.aborted) throw abortError()
      const ready = queue
      queue = []
      queued = 0
      incoming.resume()
      yield* ready
      if (queue.length > 0) continue
      if (ended) return
      if (failure !== undefined) throw failure instanceof ModelError ? failure : connectionCutOff(target, failure)
      // Only the wait for the network is timed, never the consumer's own work between two pieces.
      const ms = timeouts()
      const timer = setTimeout(() => incoming.destroy(chunkTimeout(ms, target)), ms)
      await new Promise<void>((resolve) => (wake = resolve)).finally(() => clearTimeout(timer))
      wake = () => {}
    }
  } finally {
    close()
  }
}

/**
 * The whole answer as text, at most 16 MiB.
 * @throws ModelError `bad_response` when it is longer, `cut_off`, `timeout`; AbortError
 */
export async function readText(answer: HttpResponse, target: RequestTarget): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const chunk of answer.chunks()) {
    size += chunk.length
    if (size > jsonCap)
      throw new ModelError(
        'bad_response',
        `${target.name} sent more than 16 MiB in one answer.`,
        'Check that the address is that of a model server.',
      )
    parts.push(chunk)
  }
  return Buffer.concat(parts).toString('utf8')
}
