import type { ModelEvent } from '../modelClient.ts'
import { raceTimeout } from '../../../shared/async/raceTimeout.ts'

/** Start of the note while nothing else is known. */
export const waitingLabel = 'Waiting for the model…'
/** Note in a long pause of an answer: some servers send nothing while the model writes a call. */
const pauseLabel = 'Waiting for the rest of the answer…'
/** Minimum length of such a pause, in multiples of `noticeMs`. */
const longPause = 3
/** Interval between updates of the seconds, in milliseconds. */
const tickMs = 1000

/**
 * Adds notes about the time that the model takes to respond, such as "Waiting for the model… 12 s" after `noticeMs` of
 * silence. A note from the request that ends in "…", such as "Loading model…", replaces that text. Once the answer has
 * begun, only long pauses have notes. Starts over if another answer replaces it.
 * @param begin starts the request. Its signal aborts with `signal`, and when the consumer leaves early
 */
export async function* withWaitingNotes(
  begin: (signal: AbortSignal) => AsyncGenerator<ModelEvent, void, void>,
  signal: AbortSignal,
  noticeMs: number,
): AsyncGenerator<ModelEvent, void, void> {
  const abandoned = new AbortController()
  const events = begin(AbortSignal.any([signal, abandoned.signal]))
  let started = performance.now()
  let label = waitingLabel
  let isAway = false
  const note = (): ModelEvent => {
    const seconds = Math.round((performance.now() - started) / 1000)
    return { kind: 'status', note: seconds < 1 ? label : `${label} ${seconds} s`, ...(isAway && { isAway }) }
  }
  let next: Promise<IteratorResult<ModelEvent, void>> | undefined
  let ended = false
  try {
    for (let quietMs = noticeMs; ;) {
      next ??= events.next()
      const result = quietMs === Infinity ? await next : await raceTimeout(next, quietMs)
      if (result === undefined) {
        quietMs = tickMs
        yield note()
        continue
      }
      next = undefined
      if (result.done) {
        ended = true
        return
      }
      const { value } = result
      if (value.kind !== 'status') {
        // The answer has begun, or another one will.
        const isBegun = value.kind !== 'discarded'
        quietMs = isBegun ? noticeMs * longPause : noticeMs
        label = isBegun ? pauseLabel : waitingLabel
        isAway = false
        started = performance.now()
        yield value
        continue
      }
      isAway = value.isAway === true
      if (!value.note.endsWith('…')) {
        // The note states its own waiting time.
        quietMs = Infinity
        yield value
        continue
      }
      label = value.note
      quietMs = tickMs
      yield note()
    }
  } finally {
    if (!ended) {
      // The consumer left early. The request must have ended, whatever its result.
      abandoned.abort()
      await next?.catch(() => undefined)
      await events.return()
    }
  }
}
