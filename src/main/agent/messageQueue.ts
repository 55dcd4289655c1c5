import { ToolError } from '../../shared/errors.ts'
import type { QueuedMessage } from '../../shared/agent/conversation.ts'
import type { ConversationStore } from '../history/conversations.ts'

/**
 * The stored messages that the user sent while a turn was running. Steering messages join the turn between its calls;
 * the others follow it. Windows of several processes share the queue, so it is read from the store each time.
 */
export interface MessageQueue {
  list(): QueuedMessage[]
  add(message: QueuedMessage): void
  /** Adds a message before the others, except those with the given ids. */
  addFirst(message: QueuedMessage, after: readonly string[]): void
  /** Adds a message, unless the turn that it waits for has ended. @returns whether it was added */
  addWhile(isRunning: () => boolean, message: QueuedMessage): boolean
  /**
   * Changes the text, or whether the message steers the turn.
   * @throws ToolError `not_found` if the message is no longer queued
   */
  change(id: string, change: Partial<Omit<QueuedMessage, 'id'>>): void
  /** Removes a message. Does nothing if it is no longer queued. */
  remove(id: string): void
}

/**
 * @param sent ids of the conversation's messages. A killed process may have sent a message without removing it from the
 *   queue; it must not be sent twice
 */
export function createMessageQueue(
  conversationId: string,
  store: Pick<ConversationStore, 'queue' | 'changeQueue'>,
  sent: ReadonlySet<string>,
): MessageQueue {
  const unsent = (queue: QueuedMessage[]): QueuedMessage[] => queue.filter(({ id }) => !sent.has(id))

  function addWhile(isRunning: () => boolean, message: QueuedMessage): boolean {
    let added = false
    store.changeQueue(conversationId, (queue) => {
      added = isRunning()
      return added ? [...unsent(queue), message] : null
    })
    return added
  }

  return {
    list: () => unsent(store.queue(conversationId)),
    add: (message) => void addWhile(() => true, message),
    addWhile,
    addFirst(message, after) {
      store.changeQueue(conversationId, (queue) => {
        const isBefore = ({ id }: QueuedMessage) => after.includes(id)
        const waiting = unsent(queue)
        return [...waiting.filter(isBefore), message, ...waiting.filter((each) => !isBefore(each))]
      })
    },
    change(id, change) {
      store.changeQueue(conversationId, (queue) => {
        if (!unsent(queue).some((message) => message.id === id))
          throw new ToolError(
            'not_found',
            'This message is no longer queued.',
            'It was sent or removed. Send a new one.',
          )
        return unsent(queue).map((message) => (message.id === id ? { ...message, ...change } : message))
      })
    },
    remove(id) {
      store.changeQueue(conversationId, (queue) => unsent(queue).filter((message) => message.id !== id))
    },
  }
}
