import type { ChatRequest, ModelEvent } from '../modelClient.ts'

/** Sends a request. `onData` is called when the server begins to read the prompt or to answer. */
type Send = (request: ChatRequest, onData: () => void) => AsyncGenerator<ModelEvent, void, void>

interface SlotFallback {
  /** Maximum time until the server begins, in milliseconds. Restarts while the server reports that it is not ready. */
  slotMs: number
  /** Called when the server begins the request without the slot. */
  onUseless(): void
}

/**
 * Sends a request with a slot, and again without it if the server does not begin in time. A llama-server without that
 * slot, for example behind a proxy that reports the slots of a different server, lets the request wait without an
 * error.
 * @throws ModelError, AbortError
 */
export async function* withSlotFallback(
  request: ChatRequest,
  send: Send,
  { slotMs, onUseless }: SlotFallback,
): AsyncGenerator<ModelEvent, void, void> {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), slotMs)
  let begun = false
  const onData = (): void => {
    begun = true
    clearTimeout(timer)
  }
  try {
    for await (const event of send({ ...request, signal: AbortSignal.any([request.signal, limit.signal]) }, onData)) {
      if (!begun) timer.refresh()
      yield event
    }
    return
  } catch (error) {
    if (!limit.signal.aborted || request.signal.aborted) throw error
  } finally {
    clearTimeout(timer)
  }
  yield { kind: 'status', note: 'Sending the request again without a slot…' }
  const { slot: _, ...withoutSlot } = request
  let reported = false
  yield* send(withoutSlot, () => {
    if (!reported) onUseless()
    reported = true
  })
}
