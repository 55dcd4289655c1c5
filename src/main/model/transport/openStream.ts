import { setTimeout as delay } from 'node:timers/promises'
import { ModelError, type ModelEvent } from '../clients/modelClient.ts'
import { serverBusy, errorText, isLoading, isTransient, serverFailed, type RequestTarget } from './modelErrors.ts'
import {
  defaultHttpTimeouts,
  readText,
  sendRequest,
  type ConnectionOptions,
  type HttpResponse,
  type HttpTimeouts,
} from './http.ts'

/** How long to bear with a server, in milliseconds. */
export interface Timeouts extends HttpTimeouts {
  /** Silence before the user is told that the model is being waited for (waiting.ts). */
  noticeMs: number
  /** How long a server may answer "loading" before that is an error. */
  loadingMs: number
  /** Before the next attempt at a server that is loading, and before the first at one that is busy, unless it says `Retry-After`. */
  retryMs: number
  /** After an answer is complete: for usage figures that come last, and for servers that never close. */
  trailingMs: number
}
export const defaultTimeouts: Timeouts = {
  ...defaultHttpTimeouts,
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
  /** Another body to try at once when the server refused this one, or undefined to give up. */
  amend?(status: number, text: string): Record<string, unknown> | undefined
}

type Status = Extract<ModelEvent, { kind: 'status' }>

/** How often a server that is busy, or that cannot be reached, is tried again. */
const maxRetries = 3
/** A server that asks for more patience is not waited for: the user decides. Milliseconds. */
const maxRetryAfterMs = 300_000

/**
 * Posts a chat request and returns once the server accepted it. Only what no answer has begun to is tried again: a connection that
 * failed, a server that is busy (429, 503) or still loads its model. Yields what to tell the user meanwhile.
 * @throws ModelError, AbortError
 */
export async function* openStream(request: StreamRequest): AsyncGenerator<Status, HttpResponse, void> {
  const { target, signal, timeouts } = request
  const started = performance.now()
  let body = request.body
  for (let failed = 0; ;) {
    const answer = await attempt({ ...request, body })
    if (answer instanceof ModelError) {
      if (++failed > maxRetries) throw answer
      // A connection that is refused costs nothing to try; a server that was just started listens soon.
      const wait = backOff(timeouts.retryMs / 4, failed)
      yield { kind: 'status', note: `The server cannot be reached. Retrying in ${seconds(wait)}` }
      await delay(wait, undefined, { signal })
      continue
    }
    if (answer.status >= 200 && answer.status < 300) return answer
    const text = await readText(answer, target)
    const amended = request.amend?.(answer.status, errorText(text))
    if (amended) {
      body = amended
      continue
    }
    const told = retryAfter(answer.headers['retry-after'])
    if (isLoading(answer.status, text)) {
      const wait = told ?? timeouts.retryMs
      if (performance.now() - started + wait > timeouts.loadingMs) throw serverFailed(answer.status, text, target)
      yield { kind: 'status', note: 'Loading model…' }
      await delay(wait, undefined, { signal })
      continue
    }
    if ((answer.status !== 503 && answer.status !== 429) || ++failed > maxRetries)
      throw serverFailed(answer.status, text, target)
    const wait = told ?? backOff(timeouts.retryMs, failed)
    if (wait > maxRetryAfterMs) throw serverBusy(wait, target)
    yield { kind: 'status', note: `The server is busy. Retrying in ${seconds(wait)}` }
    await delay(wait, undefined, { signal })
  }
}

/** @returns a failure that another attempt may mend; others are thrown */
async function attempt(request: StreamRequest): Promise<HttpResponse | ModelError> {
  const { url, connection, body, signal, timeouts: silence, target } = request
  try {
    return await sendRequest({ method: 'POST', url, connection, body, signal, timeouts: silence, target })
  } catch (error) {
    if (error instanceof ModelError && isTransient(error)) return error
    throw error
  }
}

/** Doubled with each failure, and spread by a quarter, so that clients of one server do not come back at the same moment. */
function backOff(ms: number, failures: number): number {
  return ms * 2 ** (failures - 1) * (0.75 + Math.random() / 2)
}

function seconds(ms: number): string {
  return `${Math.max(1, Math.round(ms / 1000))} s`
}

/** Seconds or a date, as HTTP allows; in milliseconds. */
function retryAfter(header: string | undefined): number | undefined {
  if (!header) return undefined
  const ms = /^\d+(\.\d+)?$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? Math.max(ms, 0) : undefined
}
