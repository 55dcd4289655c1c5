import type { TurnOutcome } from '../../shared/agent/conversation.ts'
import type { EventName, Events } from '../../shared/bridge/protocol.ts'
import type { Core } from './coreContract.ts'

interface TurnRequest {
  id: string
  text: string
  /** Mentions that must exist. */
  chosen?: string[]
  /** Mentions in the text that the user wrote. Default: all. */
  mentions?: string[]
  /** Images stored with `images.add`. */
  images?: { id: string; label: string; fromPage?: boolean | undefined }[]
  /** Aborts the turn, which then ends as cancelled. */
  interrupted: AbortSignal
  /** Called with every event of the core until the turn has ended. */
  onEvent?<N extends EventName>(name: N, payload: Events[N]): void
}

/** Sends a message and waits for its turn and those of queued messages. @returns the outcome of the last turn */
export async function runTurn(
  { handlers, subscribe }: Pick<Core, 'handlers' | 'subscribe'>,
  { id, text, chosen, mentions, images = [], interrupted, onEvent }: TurnRequest,
): Promise<TurnOutcome> {
  if (interrupted.aborted) return 'cancelled'
  const signal = new AbortController().signal
  const { promise, resolve, reject } = Promise.withResolvers<TurnOutcome>()
  const ended = async (outcome: TurnOutcome): Promise<void> => {
    // Waits until the turn of a queued message, if any, has started.
    await Promise.resolve()
    if (!(await handlers['conversations.open']({ id }, signal)).running) resolve(outcome)
  }
  const unsubscribe = subscribe((name, payload) => {
    onEvent?.(name, payload)
    if (isTurnEnd(name, payload) && payload.conversationId === id) ended(payload.outcome).catch(reject)
  })
  const stop = (): void => {
    Promise.resolve(handlers['conversations.stop']({ id }, signal)).catch(reject)
  }
  interrupted.addEventListener('abort', stop, { once: true })
  try {
    try {
      await handlers['conversations.send'](
        { id, text, chosen, mentions, ...(images.length > 0 && { images }) },
        interrupted,
      )
    } catch (error) {
      // Aborted while its attachments were read.
      if (interrupted.aborted) return 'cancelled'
      throw error
    }
    // The turn may have started after the abort.
    if (interrupted.aborted) stop()
    return await promise
  } finally {
    interrupted.removeEventListener('abort', stop)
    unsubscribe()
  }
}

function isTurnEnd<N extends EventName>(
  name: N,
  payload: Events[EventName],
): payload is Events['conversation.turnEnded'] {
  return name === 'conversation.turnEnded' && payload !== null
}
