import type { Attachment } from '../../shared/attachments.ts'
import type { HandledParams } from '../../shared/protocol.ts'
import type { Agent } from '../agent/agent.ts'
import type { Handlers } from './handlers.ts'
import type { RestoreRequests } from './restoreHandlers.ts'

type ConversationRequests = Exclude<Extract<keyof Handlers, `conversations.${string}`>, RestoreRequests>

type Outgoing = Omit<HandledParams<'conversations.send'>, 'id'>

/**
 * Everything the chat panel asks about conversations.
 * @param collect reads what a message carries; when it throws nothing is sent
 */
export function createConversationHandlers(
  agent: Agent,
  collect: (conversationId: string, message: Outgoing, signal: AbortSignal) => Promise<Attachment[]>,
): Pick<Handlers, ConversationRequests> {
  /** A plain message is there as soon as it is sent; one that carries something, once that was read. */
  function outgoing<T>(
    id: string,
    message: Outgoing,
    signal: AbortSignal,
    send: (attachments: Attachment[]) => T,
  ): T | Promise<T> {
    const plain = !message.text.includes('@') && !message.images?.length
    return plain ? send([]) : collect(id, message, signal).then(send)
  }

  return {
    'conversations.list': ({ query }) => agent.list(query),
    'conversations.create': () => agent.create(),
    'conversations.open': ({ id }) => agent.open(id),
    'conversations.update': ({ id, ...change }) => agent.update(id, change),
    'conversations.delete': ({ id }) => agent.delete(id),
    'conversations.send': ({ id, steer, ...message }, signal) =>
      outgoing(id, message, signal, (attachments) => agent.send(id, message.text, { steer, attachments })),
    'conversations.changeQueued': ({ id, messageId, text, steer }) =>
      agent.changeQueued(id, messageId, { ...(text !== undefined && { text }), ...(steer !== undefined && { steer }) }),
    'conversations.unqueue': ({ id, messageId }) => agent.unqueue(id, messageId),
    'conversations.stop': ({ id }) => agent.stop(id),
    'conversations.retry': ({ id }) => agent.retry(id),
    'conversations.resend': ({ id, itemId, ...message }, signal) =>
      outgoing(id, message, signal, (attachments) => agent.resend(id, itemId, message.text, attachments)),
    'conversations.compact': ({ id }) => agent.compact(id),
    'conversations.continue': ({ id }) => agent.continue(id),
    'conversations.export': ({ id, format }) => agent.export(id, format),
    'conversations.import': ({ text }) => agent.import(text),
  }
}
