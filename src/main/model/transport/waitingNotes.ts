import { setTimeout as delay } from 'node:timers/promises'
import type { ModelEvent } from '../clients/modelClient.ts'

/** How often the seconds are counted on. Milliseconds. */
const tickMs = 1000

/**
 * Tells while a model is waited for how long it has been: "Waiting for the model… 12 s" once nothing came for `noticeMs`, or with what
 * the request itself last told in a sentence that ends in "…", e.g. "Loading model… 12 s". Until the answer begins; a pause within it
 * is a model that thinks.
 * @param begin starts the request. Its signal is aborted with the given one, and when the consumer leaves early.
 */
export async function* withWaitingNotes(
  begin: (signal: AbortSignal) => AsyncGenerator<ModelEvent, void, void>,
  signal: AbortSignal,
  noticeMs: number,
): AsyncGenerator<ModelEvent, void, void> {
  const left = new AbortController()
  const events = begin(AbortSignal.any([signal, left.signal]))
  const started = performance.now()
  let label = 'Waiting for the model…'
  const note = (): ModelEvent => {
    const seconds = Math.round((performance.now() - started) / 1000)
    return { kind: 'status', note: seconds < 1 ? label : `${label} ${seconds} s` }
  }
  let next: Promise<IteratorResult<ModelEvent, void>> | undefined
  try {
    for (let quietMs = noticeMs; ;) {
      next ??= events.next()
      const result = await within(next, quietMs)
      if (result === 'quiet') {
        quietMs = tickMs
        yield note()
        continue
      }
      next = undefined
      if (result.done) return
      const { value } = result
      if (value.kind !== 'status') {
        yield value
        yield* events
        return
      }
      if (!value.note.endsWith('…')) {
        // It says itself how long it takes.
        quietMs = Infinity
        yield value
        continue
      }
      label = value.note
      quietMs = tickMs
      yield note()
    }
  } finally {
    left.abort()
    // Left while it was waiting: how the request ends then is nobody's concern, but it has to have ended.
    await next?.catch(() => undefined)
    await events.return()
  }
}

async function within<T>(pending: Promise<T>, ms: number): Promise<T | 'quiet'> {
  if (ms === Infinity) return pending
  const timer = new AbortController()
  const quiet = delay(ms, 'quiet' as const, { signal: timer.signal }).catch(() => 'quiet' as const)
  return Promise.race([pending, quiet]).finally(() => timer.abort())
}
