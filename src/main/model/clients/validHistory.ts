import type { ChatMessage, ModelCall } from './modelClient.ts'
import { isRecord } from '../transport/modelErrors.ts'

type Assistant = Extract<ChatMessage, { role: 'assistant' }>
type User = Extract<ChatMessage, { role: 'user' }>
type ToolAnswer = Extract<ChatMessage, { role: 'tool' }>

/** What the model reads where a call never got its result. */
export const cancelledResult = 'cancelled'

/**
 * A conversation that every server accepts, with the same content. Servers and chat templates fail on what a stopped
 * turn or a small model leaves behind (llama-server answers 500 to replayed arguments that are no JSON):
 * - every call is answered directly after its message, in its order; a missing result reads "cancelled"
 * - results without a call are dropped, call ids are unique
 * - arguments are the JSON text of an object, `{}` where the model wrote something else
 * - messages without any content are dropped, user messages in a row become one
 */
export function validHistory(messages: readonly ChatMessage[]): ChatMessage[] {
  const valid: ChatMessage[] = []
  const usedIds = new Set<string>()
  messages.forEach((message, position) => {
    if (message.role === 'tool') return
    if (message.role === 'assistant') {
      valid.push(...answered(message, answersAfter(messages, position), usedIds))
      return
    }
    const last = valid.at(-1)
    if (message.role === 'user' && last?.role === 'user') valid[valid.length - 1] = joined(last, message)
    else valid.push(message)
  })
  return valid
}

/** Two messages of the user's in a row as one. */
export function joined(first: User, second: User): User {
  const images = [...(first.images ?? []), ...(second.images ?? [])]
  return { role: 'user', content: `${first.content}\n\n${second.content}`, ...(images.length > 0 && { images }) }
}

function answered(message: Assistant, answers: ToolAnswer[], usedIds: Set<string>): ChatMessage[] {
  const calls = message.toolCalls ?? []
  if (calls.length === 0) return message.content === '' ? [] : [{ role: 'assistant', content: message.content }]
  const open = [...answers]
  const toolCalls: ModelCall[] = []
  const results: ToolAnswer[] = []
  for (const call of calls) {
    const found = open.findIndex((answer) => answer.callId === call.id)
    const answer = found === -1 ? undefined : open.splice(found, 1)[0]
    const id = uniqueId(call.id, usedIds)
    const name = call.name || 'unknown'
    toolCalls.push({ id, name, arguments: objectText(call.arguments) })
    results.push({ role: 'tool', callId: id, name, content: answer?.content ?? cancelledResult })
  }
  const { content, reasoning } = message
  return [{ role: 'assistant', content, ...(reasoning && { reasoning }), toolCalls }, ...results]
}

/** The tool messages up to the next assistant message. */
function answersAfter(messages: readonly ChatMessage[], position: number): ToolAnswer[] {
  const answers: ToolAnswer[] = []
  for (const message of messages.slice(position + 1)) {
    if (message.role === 'assistant') break
    if (message.role === 'tool') answers.push(message)
  }
  return answers
}

/** The text itself where it is a JSON object, else `{}`. */
export function objectText(text: string): string {
  return parseObject(text) ? text : '{}'
}

/** A JSON object, or undefined for anything else. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    // Not JSON is an answer here, not a failure.
    return undefined
  }
}

/** `id`, or a variation of it that is not in `used`; adds it to `used`. An empty id gets a new one. */
export function uniqueId(id: string, used: Set<string>): string {
  let unique = id || newCallId()
  for (let n = 2; used.has(unique); n++) unique = `${id}_${n}`
  used.add(unique)
  return unique
}

/** Nine letters and digits: the form that Mistral's templates insist on, and everybody else accepts. */
export function newCallId(): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'
  return Array.from(crypto.getRandomValues(new Uint8Array(9)), (byte) => alphabet[byte % alphabet.length]).join('')
}
