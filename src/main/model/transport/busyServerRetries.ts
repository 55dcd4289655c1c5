import { defaultHttpTimeouts, type HttpTimeouts } from './progressWatch.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { ModelError, type ModelEvent } from '../modelClient.ts'
import {
  serverBusy,
  isLoading,
  isTemporaryFailure,
  isRefusedConnection,
  isTransient,
  serverFailed,
  type RequestTarget,
} from './modelErrors.ts'
import { readText, sendRequest, type ConnectionOptions, type HttpResponse } from './http.ts'

/** Timeouts of a chat request, in milliseconds. */
export interface Timeouts extends HttpTimeouts {
  /** Silence before the user sees "Waiting for the model…" (waitingNotes.ts). */
  noticeMs: number
  /** Maximum time for which a server may report that it is loading. */
  loadingMs: number
  /**
   * Delay before retrying a server that is loading, and first delay for one that is busy. `Retry-After` overrides it.
   */
  retryMs: number
  /** Wait after a complete answer, for trailing usage figures and for servers that never close the connection. */
  trailingMs: number
}
export const defaultTimeouts: Timeouts = {
  ...defaultHttpTimeouts,
  configurable: true,
  noticeMs: 3000,
  loadingMs: 600_000,
  retryMs: 2000,
  trailingMs: 3000,
}

export interface StreamRequest {
  url: string
  connection: ConnectionOptions
  body: Record<string, unknown>
  signal: AbortSignal
  timeouts: Timeouts
  target: RequestTarget
  /** Called when the server refused the connection, so it does not run. */
  onGone?(): void
  /** How often to connect to a server that cannot be reached, within `loadingMs`. Default 3. */
  reconnects?: number | undefined
  /**
   * Returns another body to try at once after a rejection, or undefined to give up. @param rejection the response body
   */
  amend?(status: number, rejection: string): Record<string, unknown> | undefined
}

type Status = Extract<ModelEvent, { kind: 'status' }>

/** Maximum number of retries if a server is busy, and of connections to one that never answered. */
const maxRetries = 3
/** A longer `Retry-After` is an error, so that the user decides. Milliseconds. */
const maxRetryAfterMs = 300_000

/**
 * Posts a chat request and returns the response once the server accepts it. Retries only before an answer begins: after
 * a failed connection, or while the server is busy (429, 503), is loading its model or has briefly lost it. Yields
 * notes for the user in the meantime.
 * @throws ModelError, AbortError
 */
export async function* openStream(request: StreamRequest): AsyncGenerator<Status, HttpResponse, void> {
  const { target, signal, timeouts, reconnects = maxRetries } = request
  const started = performance.now()
  let body = request.body
  let away = 0
  for (let failed = 0; ;) {
    const answer = await attempt({ ...request, body })
    const isPatient = () => performance.now() - started + timeouts.retryMs <= timeouts.loadingMs
    if (answer instanceof ModelError) {
      if (isRefusedConnection(answer)) request.onGone?.()
      if (++failed > reconnects || !isPatient()) throw answer
      yield { kind: 'status', note: 'Cannot reach the server. Waiting for it…', isAway: true }
      // Reconnecting is cheap, and a server that is starting will listen soon.
      await delay(Math.min(timeouts.retryMs, backOff(timeouts.retryMs / 4, failed)), undefined, { signal })
      continue
    }
    if (answer.status >= 200 && answer.status < 300) return answer
    const text = await readText(answer, target)
    const amended = request.amend?.(answer.status, text)
    if (amended) {
      body = amended
      continue
    }
    const retryAfterMs = retryAfter(answer.headers['retry-after'])
    if (isLoading(answer.status, text)) {
      const wait = retryAfterMs ?? timeouts.retryMs
      if (performance.now() - started + wait > timeouts.loadingMs) throw serverFailed(answer.status, text, target)
      yield { kind: 'status', note: 'Loading model…' }
      await delay(wait, undefined, { signal })
      continue
    }
    if (isTemporaryFailure(answer.status, text)) {
      if (!isPatient()) throw serverFailed(answer.status, text, target)
      yield {
        kind: 'status',
        note: `The server cannot reach the model (HTTP ${answer.status}). Waiting for it…`,
        isAway: true,
      }
      await delay(Math.min(timeouts.retryMs, retryAfterMs ?? backOff(timeouts.retryMs / 4, ++away)), undefined, {
        signal,
      })
      continue
    }
    if ((answer.status !== 503 && answer.status !== 429) || ++failed > maxRetries)
      throw serverFailed(answer.status, text, target)
    const wait = retryAfterMs ?? backOff(timeouts.retryMs, failed)
    if (wait > maxRetryAfterMs) throw serverBusy(wait, target)
    yield { kind: 'status', note: `The server is busy. Retrying in ${seconds(wait)}`, isAway: true }
    await delay(wait, undefined, { signal })
  }
}

/** @returns an error that a retry may resolve; throws any other */
async function attempt(request: StreamRequest): Promise<HttpResponse | ModelError> {
  const { url, connection, body, signal, timeouts, target } = request
  try {
    const reuseConnection = true
    return await sendRequest({ method: 'POST', url, connection, body, signal, timeouts, reuseConnection, target })
  } catch (error) {
    if (error instanceof ModelError && isTransient(error)) return error
    throw error
  }
}

/** Exponential backoff with 25 % jitter, so that clients of one server do not retry at the same moment. */
function backOff(ms: number, failures: number): number {
  return ms * 2 ** (failures - 1) * (0.75 + Math.random() / 2)
}

function seconds(ms: number): string {
  return `${Math.max(1, Math.round(ms / 1000))} s`
}

/** Parses `Retry-After`, which is in seconds or an HTTP date. @returns milliseconds */
function retryAfter(header: string | undefined): number | undefined {
  if (!header) return undefined
  const ms = /^\d+(\.\d+)?$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? Math.max(ms, 0) : undefined
}
