import type { Agent } from '../agent/agent.ts'
import type { Handlers } from './handlers.ts'
import type { RestoreRequests } from './restore.ts'

type ConversationRequests = Exclude<Extract<keyof Handlers, `conversations.${string}`>, RestoreRequests>

/** Everything the chat panel asks about conversations. */
export function createConversationHandlers(agent: Agent): Pick<Handlers, ConversationRequests> {
  return {
    'conversations.list': ({ query }) => agent.list(query),
    'conversations.create': () => agent.create(),
    'conversations.open': ({ id }) => agent.open(id),
    'conversations.update': ({ id, ...change }) => agent.update(id, change),
    'conversations.delete': ({ id }) => agent.delete(id),
    'conversations.send': ({ id, text, steer }) => agent.send(id, text, steer),
    'conversations.changeQueued': ({ id, messageId, text, steer }) =>
      agent.changeQueued(id, messageId, { ...(text !== undefined && { text }), ...(steer !== undefined && { steer }) }),
    'conversations.unqueue': ({ id, messageId }) => agent.unqueue(id, messageId),
    'conversations.stop': ({ id }) => agent.stop(id),
    'conversations.retry': ({ id }) => agent.retry(id),
    'conversations.resend': ({ id, itemId, text }) => agent.resend(id, itemId, text),
    'conversations.continue': ({ id }) => agent.continue(id),
    'conversations.export': ({ id, format }) => agent.export(id, format),
    'conversations.import': ({ text }) => agent.import(text),
  }
}
