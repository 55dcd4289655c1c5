import { getEncoding } from 'js-tiktoken'
import type { ScriptedChatRequest } from '../model/scripted/scenario.ts'

const tokenizer = getEncoding('cl100k_base')

/** Counts the tokens of a prompt like a server: texts, calls, tools, and the template's tokens around each message. */
export function promptTokens({ messages, body }: ScriptedChatRequest): number {
  const texts = messages.map(
    (message) =>
      message.content + (message.role === 'assistant' && message.toolCalls ? JSON.stringify(message.toolCalls) : ''),
  )
  const tools = body['tools'] === undefined ? '' : JSON.stringify(body['tools'])
  return tokenizer.encode(texts.join('\n') + tools).length + messages.length * 6
}
