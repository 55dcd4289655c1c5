import type { Readable } from 'node:stream'
import { bodyJson } from './bodyJson.ts'
import { connectionFailed, headersTimeout, type RequestTarget } from './modelErrors.ts'
import type { HttpTimeouts } from './progressWatch.ts'

/** A request that another machine sends for this one. */
export interface RelayedRequest {
  method: 'GET' | 'POST'
  /** Address of the server as this machine calls it, with the path. */
  url: string
  /** JSON. */
  body?: string
  /** Ends the request, also while its answer is read. */
  signal: AbortSignal
  /** Called when the other machine has taken the request over. */
  onAccepted(): void
}

export interface RelayedResponse {
  status: number
  headers: Readonly<Record<string, string>>
  /** Decompressed. */
  body: Readable
}

/**
 * Sends requests from another machine, which can reach servers that this one cannot.
 * @throws ModelError if the request fails, or the other machine refuses it
 */
export type RequestRelay = (request: RelayedRequest) => Promise<RelayedResponse>

interface DirectRequest extends Pick<RelayedRequest, 'method' | 'url' | 'signal'> {
  body?: object | string
  target: RequestTarget
}

/** Sends a request through a relay, within the limits of the request. @throws ModelError, AbortError */
export async function sendByRelay(
  relay: RequestRelay,
  { method, url, body, signal, target }: DirectRequest,
  timeouts: HttpTimeouts,
): Promise<RelayedResponse & { end(): void }> {
  const ended = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const limit = (ms: number, error: () => Error): void => {
    clearTimeout(timer)
    timer = setTimeout(() => ended.abort(error()), ms)
  }
  limit(timeouts.connectMs, () =>
    connectionFailed(Object.assign(new Error('relay timed out'), { code: 'ETIMEDOUT' }), target),
  )
  try {
    const response = await relay({
      method,
      url,
      ...(body !== undefined && { body: typeof body === 'string' ? body : bodyJson(body) }),
      signal: AbortSignal.any([signal, ended.signal]),
      onAccepted: () => limit(timeouts.headersMs, () => headersTimeout(timeouts, target)),
    })
    return { ...response, end: () => ended.abort() }
  } finally {
    clearTimeout(timer)
  }
}
