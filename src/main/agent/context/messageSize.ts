import type { ChatMessage } from '../../model/clients/modelClient.ts'

/** Models make about as many tokens of a picture as of this; nobody can say it beforehand. */
const pictureTokens = 1000
/** What a chat template puts around each message, about. */
const templateTokens = 8

/** All that a model reads of a message. */
export function spoken(message: ChatMessage): string {
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : []
  const reasoning = message.role === 'assistant' && message.reasoning ? [message.reasoning] : []
  return [message.content, ...reasoning, ...calls.map(({ name, arguments: args }) => `${name} ${args}`)].join('\n')
}

/** Tokens of what is no text: the template's marks around each message, and pictures. */
export function otherTokens(messages: readonly ChatMessage[]): number {
  const pictures = messages.reduce(
    (sum, message) => sum + (message.role === 'user' ? (message.images?.length ?? 0) : 0),
    0,
  )
  return messages.length * templateTokens + pictures * pictureTokens
}
