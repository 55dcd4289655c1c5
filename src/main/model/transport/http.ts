import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import type { SecureContext } from 'node:tls'
import { contentEncoding, createContentDecoder } from '../../base/contentEncoding.ts'
import { http, loadHttps } from '../../base/nodeHttp.ts'
import { ModelError } from '../modelClient.ts'
import { bodyJson } from './bodyJson.ts'
import { isStaleConnection, sharedConnections } from './connectionReuse.ts'
import {
  chunkTimeout,
  connectionFailed,
  connectionCutOff,
  answerTooLong,
  damagedCompression,
  headersTimeout,
  unknownCompression,
  type RequestTarget,
} from './modelErrors.ts'
import { createProgressWatch, defaultHttpTimeouts, type HttpTimeouts } from './progressWatch.ts'
import { sendByRelay, type RequestRelay } from './requestRelay.ts'

/** Headers and TLS trust for connections to one server. */
export interface ConnectionOptions {
  headers?: Record<string, string>
  /** Trusted certificate authorities for TLS. Default: those bundled with Node. */
  secureContext?: SecureContext
  /** Sends the requests from another machine, which adds its own headers and trust. */
  relay?: RequestRelay
}

export interface HttpRequest {
  method: 'GET' | 'POST'
  url: string
  connection?: ConnectionOptions
  /** Sent as JSON. A text is JSON already. */
  body?: object | string
  signal: AbortSignal
  timeouts?: Partial<HttpTimeouts>
  /** Whether later requests may use the same connection. Default: the request has its own. */
  reuseConnection?: boolean
  /** The endpoint to name in error messages. */
  target: RequestTarget
}

export interface HttpResponse {
  status: number
  headers: IncomingHttpHeaders
  /** The limits of the request. */
  timeouts: HttpTimeouts
  /**
   * Yields the body; can be called once. `chunkTimeoutMs` overrides the time limit for the next chunk. Leaving the loop
   * closes the socket.
   */
  chunks(chunkTimeoutMs?: () => number): AsyncGenerator<Buffer, void, void>
  /**
   * Call it when the answer is complete, before leaving the loop. The connection then stays open for the next request
   * if the server ends the response soon.
   */
  complete(): void
  close(): void
}

/** Maximum size of a JSON response, in bytes. Model lists and errors are far smaller. */
const maxJsonBytes = 16 * 1024 * 1024

/** Creates the error for an aborted request, independent of the signal's reason. */
export function abortError(): DOMException {
  return new DOMException('The model request was cancelled.', 'AbortError')
}

/**
 * Maximum wait for the end of a response whose answer is complete, in milliseconds. After that, the connection is
 * closed.
 */
const endMs = 200

/**
 * Sends one request. Does not follow redirects, so that a key never reaches another host. Aborting closes the
 * connection, which is how a server learns that it can stop.
 * @throws ModelError `unreachable`, `timeout`; AbortError
 */
export async function sendRequest(request: HttpRequest): Promise<HttpResponse> {
  const { signal, target } = request
  if (signal.aborted) throw abortError()
  const timeouts = { ...defaultHttpTimeouts, ...request.timeouts }
  const { body, connection } = request
  if (connection?.relay) return relayedResponse(connection.relay, request, timeouts)
  const url = new URL(request.url)
  const payload = body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : bodyJson(body))
  const outgoing = (url.protocol === 'https:' ? loadHttps() : http).request(url, {
    method: request.method,
    agent: request.reuseConnection ? sharedConnections(url.protocol, connection?.secureContext) : false,
    ...(connection?.secureContext && { secureContext: connection.secureContext }),
    headers: {
      accept: 'text/event-stream, application/x-ndjson, application/json',
      'accept-encoding': 'identity',
      ...(payload && { 'content-type': 'application/json', 'content-length': payload.length }),
      ...connection?.headers,
    },
  })
  const onAbort = () => outgoing.destroy(abortError())
  signal.addEventListener('abort', onAbort, { once: true })
  let isComplete = false
  const close = () => {
    signal.removeEventListener('abort', onAbort)
    if (!isComplete) outgoing.destroy()
  }

  let timer: NodeJS.Timeout | undefined
  const limit = (ms: number, error: () => ModelError) => {
    clearTimeout(timer)
    timer = setTimeout(() => outgoing.destroy(error()), ms)
  }
  try {
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      limit(timeouts.connectMs, () =>
        connectionFailed(Object.assign(new Error('connect timed out'), { code: 'ETIMEDOUT' }), target),
      )
      outgoing.once('socket', (socket) => {
        const limitHeaders = () => limit(timeouts.headersMs, () => headersTimeout(timeouts, target))
        if (outgoing.reusedSocket) limitHeaders()
        else socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', limitHeaders)
      })
      outgoing.on('error', reject)
      outgoing.once('response', resolve)
      outgoing.end(payload)
    })
    return {
      status: incoming.statusCode ?? 0,
      headers: incoming.headers,
      timeouts,
      chunks: (chunkTimeoutMs = () => timeouts.chunkMs) =>
        readChunks(incoming, { close, signal, target, timeouts, chunkTimeoutMs }),
      complete() {
        if (!request.reuseConnection || isComplete) return
        isComplete = true
        const late = setTimeout(() => outgoing.destroy(), endMs)
        incoming.once('close', () => clearTimeout(late))
        incoming.resume()
      },
      close,
    }
  } catch (error) {
    close()
    if (signal.aborted) throw abortError()
    if (isStaleConnection(outgoing.reusedSocket, error)) return sendRequest({ ...request, reuseConnection: false })
    throw error instanceof ModelError ? error : connectionFailed(error, target)
  } finally {
    clearTimeout(timer)
  }
}

/** @throws ModelError, AbortError */
async function relayedResponse(
  relay: RequestRelay,
  request: HttpRequest,
  timeouts: HttpTimeouts,
): Promise<HttpResponse> {
  const { signal, target } = request
  try {
    const { status, headers, body, end } = await sendByRelay(relay, request, timeouts)
    return {
      status,
      headers,
      timeouts,
      chunks: (chunkTimeoutMs = () => timeouts.chunkMs) =>
        readChunks(Object.assign(body, { headers }), { close: end, signal, target, timeouts, chunkTimeoutMs }),
      complete: () => undefined,
      close: end,
    }
  } catch (error) {
    if (signal.aborted) throw abortError()
    throw error instanceof ModelError ? error : connectionFailed(error, target)
  }
}

/** Maximum size of a streamed response, in bytes. Stops a model that repeats itself forever. */
const maxStreamBytes = 64 * 1024 * 1024
/** Maximum number of bytes to buffer for a slow consumer. Beyond it, the socket is paused. */
const maxQueuedBytes = 1024 * 1024

interface ReadOptions {
  close(): void
  signal: AbortSignal
  target: RequestTarget
  timeouts: HttpTimeouts
  chunkTimeoutMs(): number
}

/**
 * Yields the decompressed chunks in order of arrival. The stream's own iterator discards buffered data on an error, but
 * the last text before a lost connection is worth showing.
 */
async function* readChunks(
  incoming: Readable & Pick<IncomingMessage, 'headers'>,
  { close, signal, target, timeouts, chunkTimeoutMs }: ReadOptions,
): AsyncGenerator<Buffer, void, void> {
  const encoding = contentEncoding(incoming.headers)
  const decoder = createContentDecoder(encoding)
  if (encoding !== '' && !decoder) {
    close()
    throw unknownCompression(encoding, target)
  }
  const body: Readable = decoder ?? incoming
  let queue: Buffer[] = []
  let queued = 0
  let received = 0
  let ended = false
  let failure: unknown
  let wake = () => {}
  body.on('data', (chunk: Buffer) => {
    queue.push(chunk)
    queued += chunk.length
    received += chunk.length
    if (received > maxStreamBytes) body.destroy(answerTooLong(target))
    if (queued > maxQueuedBytes) body.pause()
    wake()
  })
  body.once('end', () => {
    ended = true
    wake()
  })
  const fail = (error?: unknown) => {
    failure ??= error ?? new Error('The connection closed.')
    wake()
  }
  incoming.once('error', fail)
  body.once('close', () => fail())
  if (decoder) {
    decoder.once('error', (error) => fail(damagedCompression(encoding, error, target)))
    // Errors of the source reach both streams.
    pipeline(incoming, decoder, () => undefined)
  }
  try {
    for (;;) {
      if (signal.aborted) throw abortError()
      const ready = queue
      queue = []
      queued = 0
      body.resume()
      yield* ready
      if (queue.length > 0) continue
      if (ended) return
      if (failure !== undefined) throw failure instanceof ModelError ? failure : connectionCutOff(target, failure)
      // The timeout covers only the wait for the network, not the consumer's work between chunks.
      const ms = chunkTimeoutMs()
      const timer = setTimeout(() => body.destroy(chunkTimeout(ms, timeouts, target)), ms)
      await new Promise<void>((resolve) => (wake = resolve)).finally(() => clearTimeout(timer))
      wake = () => {}
    }
  } finally {
    close()
  }
}

/**
 * Reads the whole response as text, up to 16 MiB. Blanks at its start are keep-alives.
 * @throws ModelError `bad_response` if it is longer, `cut_off`, `timeout`; AbortError
 */
export async function readText(answer: HttpResponse, target: RequestTarget): Promise<string> {
  const { timeouts } = answer
  const watch = createProgressWatch(target, timeouts)
  const parts: Buffer[] = []
  let size = 0
  let begun = false
  for await (const chunk of answer.chunks(() => (begun ? timeouts.chunkMs : timeouts.headersMs))) {
    size += chunk.length
    if (size > maxJsonBytes)
      throw new ModelError(
        'bad_response',
        `${target.name} sent a response of more than 16 MiB.`,
        'Check that the address belongs to a model server.',
      )
    parts.push(chunk)
    begun ||= chunk.some((byte) => byte > 0x20)
    watch.received(chunk.length, false, begun)
    watch.check()
  }
  return Buffer.concat(parts).toString('utf8')
}

/** Rejects early if the caller's signal aborts. The work continues for other callers. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(abortError())
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
