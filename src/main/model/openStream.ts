import { setTimeout as delay } from 'node:timers/promises'
import type { ModelEvent } from './client.ts'
import { errorText, isLoading, serverFailed, type Where } from './errors.ts'
import { defaultSilence, readText, send, type Access, type HttpAnswer, type Silence } from './http.ts'

/** How long to bear with a server, in milliseconds. */
export interface Patience extends Silence {
  /** Silence before the user is told that the model is being waited for. */
  noticeMs: number
  /** How long a server may answer "loading" before that is an error. */
  loadingMs: number
  /** Between two attempts at a server that is loading or busy, unless it says `Retry-After`. */
  retryMs: number
  /** After an answer is complete: for usage figures that come last, and for servers that never close. */
  trailingMs: number
}
export const defaultPatience: Patience = { ...defaultSilence, noticeMs: 3000, loadingMs: 600_000, retryMs: 2000, trailingMs: 3000 }

export interface StreamRequest {
  url: string
  access: Access
  body: Record<string, unknown>
  signal: AbortSignal
  patience: Patience
  where: Where
  /** Another body to try at once when the server refused this one, or undefined to give up. */
  amend?(status: number, text: string): Record<string, unknown> | undefined
}

type Status = Extract<ModelEvent, { kind: 'status' }>

const busyAttempts = 3

/**
 * Posts a chat request and returns once the server accepted it. While the model loads, the server is busy or silent, it
 * yields what to tell the user.
 * @throws ModelError, AbortError
 */
export async function* openStream(request: StreamRequest): AsyncGenerator<Status, HttpAnswer, void> {
  const { where, signal, patience } = request
  const started = performance.now()
  let body = request.body
  for (let busy = 0; ;) {
    const answer = yield* sendWithNotice({ ...request, body })
    if (answer.status >= 200 && answer.status < 300) return answer
    const text = await readText(answer, where)
    const amended = request.amend?.(answer.status, errorText(text))
    if (amended) {
      body = amended
      continue
    }
    const loading = isLoading(answer.status, text)
    const wait = retryAfter(answer.headers['retry-after']) ?? patience.retryMs
    if (loading) {
      if (performance.now() - started + wait > patience.loadingMs) throw serverFailed(answer.status, text, where)
      yield { kind: 'status', note: 'Loading model…' }
    } else {
      if ((answer.status !== 503 && answer.status !== 429) || ++busy > busyAttempts) throw serverFailed(answer.status, text, where)
      yield { kind: 'status', note: `The server is busy. Retrying in ${Math.max(1, Math.round(wait / 1000))} s` }
    }
    await delay(wait, undefined, { signal })
  }
}

async function* sendWithNotice(request: StreamRequest): AsyncGenerator<Status, HttpAnswer, void> {
  // If the consumer stops at the notice, nobody would take the answer: then this ends the request.
  const abandoned = new AbortController()
  const pending = send({
    method: 'POST',
    url: request.url,
    access: request.access,
    body: request.body,
    signal: AbortSignal.any([request.signal, abandoned.signal]),
    silence: request.patience,
    where: request.where,
  })
  // It is awaited below; this only keeps Node from calling it unhandled while the notice is out.
  pending.catch(() => undefined)
  let taken = false
  try {
    const timer = new AbortController()
    const quiet = delay(request.patience.noticeMs, 'quiet' as const, { signal: timer.signal }).catch(() => 'answered' as const)
    const first = await Promise.race([pending, quiet]).finally(() => timer.abort())
    if (first === 'quiet') yield { kind: 'status', note: 'Waiting for the model…' }
    const answer = await pending
    taken = true
    return answer
  } finally {
    if (!taken) abandoned.abort()
  }
}

/** Seconds or a date, as HTTP allows; in milliseconds, at most 30 s. */
function retryAfter(header: string | undefined): number | undefined {
  if (!header) return undefined
  const ms = /^\d+(\.\d+)?$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), 30_000) : undefined
}
