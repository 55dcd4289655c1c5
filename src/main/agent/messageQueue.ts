import { ToolError } from '../../shared/errors.ts'
import type { QueuedMessage } from '../../shared/conversation.ts'
import type { ConversationStore } from '../history/conversations.ts'

/** Messages typed while a turn runs: those to steer with go in between its calls, the others after it. Kept in the store. */
export interface MessageQueue {
  list(): QueuedMessage[]
  add(message: QueuedMessage): void
  /** Another text, or another time to deliver it. Throws `not_found` when it does not wait any more. */
  change(id: string, change: Partial<Omit<QueuedMessage, 'id'>>): void
  /** Takes one out; nothing happens where it does not wait any more. */
  remove(id: string): void
}

/** @param sent ids of messages that are in the conversation: one that a killed process had sent, but not taken out, is not sent twice */
export function createMessageQueue(
  conversationId: string,
  store: Pick<ConversationStore, 'queue' | 'setQueue'>,
  sent: ReadonlySet<string>,
): MessageQueue {
  let waiting = store.queue(conversationId).filter(({ id }) => !sent.has(id))

  /** Stored first, so that what the store refuses is not taken either. */
  function keep(next: QueuedMessage[]): void {
    store.setQueue(conversationId, next)
    waiting = next
  }

  return {
    list: () => [...waiting],
    add: (message) => keep([...waiting, message]),
    change(id, change) {
      if (!waiting.some((message) => message.id === id))
        throw new ToolError('not_found', 'This message does not wait any more.', 'It was sent, or taken back.')
      keep(waiting.map((message) => (message.id === id ? { ...message, ...change } : message)))
    },
    remove(id) {
      if (waiting.some((message) => message.id === id)) keep(waiting.filter((message) => message.id !== id))
    },
  }
}
