import { ToolError } from '../../shared/errors.ts'
import type { QueuedMessage } from '../../shared/conversation.ts'
import type { ConversationStore } from '../history/conversations.ts'

/**
 * The stored messages that the user sent while a turn was running. Steering messages join the turn between its calls;
 * the others follow it.
 */
export interface MessageQueue {
  list(): QueuedMessage[]
  add(message: QueuedMessage): void
  /**
   * Changes the text, or whether the message steers the turn.
   * @throws ToolError `not_found` if the message is no longer queued
   */
  change(id: string, change: Partial<Omit<QueuedMessage, 'id'>>): void
  /** Removes a message. Does nothing if it is no longer queued. */
  remove(id: string): void
}

/**
 * @param sent ids of the conversation's messages, so that a message which a killed process sent but did not remove is
 *   not sent twice
 */
export function createMessageQueue(
  conversationId: string,
  store: Pick<ConversationStore, 'queue' | 'setQueue'>,
  sent: ReadonlySet<string>,
): MessageQueue {
  let queued = store.queue(conversationId).filter(({ id }) => !sent.has(id))

  /** Stores the queue first, so that nothing changes if the store fails. */
  function save(next: QueuedMessage[]): void {
    store.setQueue(conversationId, next)
    queued = next
  }

  return {
    list: () => [...queued],
    add: (message) => save([...queued, message]),
    change(id, change) {
      if (!queued.some((message) => message.id === id))
        throw new ToolError('not_found', 'This message is no longer queued.', 'It was sent or removed. Send a new one.')
      save(queued.map((message) => (message.id === id ? { ...message, ...change } : message)))
    },
    remove(id) {
      if (queued.some((message) => message.id === id)) save(queued.filter((message) => message.id !== id))
    },
  }
}
