import type { Attachment } from '../../shared/agent/attachments.ts'
import type { Agent } from '../agent/agent.ts'
import { earlierItems, latestItems } from './conversationPages.ts'
import type { Handlers } from './handlers.ts'
import type { MessageCollector, OutgoingMessage } from './messageCollector.ts'
import type { RestoreRequests } from './restoreHandlers.ts'

type ConversationRequests = Exclude<Extract<keyof Handlers, `conversations.${string}`>, RestoreRequests>

/**
 * Handles the requests of the chat panel about conversations.
 * @param collect reads the attachments of a message; a message whose attachments cannot be read is not sent
 * @param settingsApplied resolves when earlier changes of settings apply; a new conversation starts with them
 */
export function createConversationHandlers(
  agent: Agent,
  collect: MessageCollector,
  settingsApplied: () => Promise<void>,
): Pick<Handlers, ConversationRequests> {
  /** Sends a plain message at once, and one with attachments when they have been read. */
  function outgoing<T>(
    id: string,
    message: OutgoingMessage,
    signal: AbortSignal,
    send: (attachments: Attachment[]) => T,
  ): T | Promise<T> {
    const plain = !message.text.includes('@') && !message.images?.length
    return plain ? send([]) : collect(id, message, signal).then(send)
  }

  return {
    'conversations.list': ({ query }) => agent.list(query),
    async 'conversations.create'() {
      await settingsApplied()
      return agent.create()
    },
    'conversations.open': ({ id, latest }) => latestItems(agent.open(id), latest),
    'conversations.earlier': ({ id, before, count }) => earlierItems(agent.items(id), before, count),
    'conversations.update': ({ id, ...change }) => agent.update(id, change),
    'conversations.delete': ({ id }) => agent.delete(id),
    'conversations.send': ({ id, steer, ...message }, signal) =>
      outgoing(id, message, signal, (attachments) =>
        agent.send(id, message.text, { steer, attachments, serverPrompt: message.serverPrompt }),
      ),
    'conversations.changeQueued': ({ id, messageId, text, steer }) =>
      agent.changeQueued(id, messageId, { ...(text !== undefined && { text }), ...(steer !== undefined && { steer }) }),
    'conversations.unqueue': ({ id, messageId }) => agent.unqueue(id, messageId),
    'conversations.prepareCheckpoint': () => agent.prepareCheckpoint(),
    'conversations.stop': ({ id }) => agent.stop(id),
    'conversations.stopCall': ({ id, itemId }) => agent.stopCall(id, itemId),
    'conversations.retry': ({ id }) => agent.retry(id),
    'conversations.resend': ({ id, itemId, ...message }, signal) =>
      outgoing(id, message, signal, (attachments) =>
        agent.resend(id, itemId, message.text, { attachments, serverPrompt: message.serverPrompt }),
      ),
    'conversations.compact': ({ id }) => agent.compact(id),
    'conversations.continue': ({ id }) => agent.continue(id),
    'conversations.export': ({ id, format }) => agent.export(id, format),
    'conversations.import': ({ text }) => agent.import(text),
  }
}
