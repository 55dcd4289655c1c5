import type { ChatMessage, ModelCall } from '../modelClient.ts'
import { memoizeObjects } from '../../base/memoize.ts'
import { isRecord } from '../transport/modelErrors.ts'

type Assistant = Extract<ChatMessage, { role: 'assistant' }>
type User = Extract<ChatMessage, { role: 'user' }>
type ToolAnswer = Extract<ChatMessage, { role: 'tool' }>

/** The result sent for a call that never got one. */
export const cancelledResult = 'cancelled'

/**
 * Returns a conversation with the same content that every server accepts. Servers and chat templates fail on the
 * remains of an aborted turn or on a small model's mistakes (llama-server answers 500 to arguments that are not JSON):
 * - Each call is followed by its result, in order. A missing result becomes "cancelled".
 * - Results without a call are dropped. Call ids are unique.
 * - Arguments are a JSON object, or `{}` if the model wrote something else.
 * - Empty messages are dropped. Consecutive user messages are merged.
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
    if (message.role === 'user' && last?.role === 'user') valid[valid.length - 1] = mergeUserMessages(last, message)
    else valid.push(message)
  })
  return valid
}

/** Merges two consecutive user messages. */
export function mergeUserMessages(first: User, second: User): User {
  const images = [...(first.images ?? []), ...(second.images ?? [])]
  return { role: 'user', content: `${first.content}\n\n${second.content}`, ...(images.length > 0 && { images }) }
}

function answered(message: Assistant, answers: ToolAnswer[], usedIds: Set<string>): ChatMessage[] {
  const calls = message.toolCalls ?? []
  const { content, reasoning } = message
  if (calls.length === 0) return content === '' ? [] : [withoutCalls(message)]
  const open = [...answers]
  const toolCalls: ModelCall[] = []
  const results: ToolAnswer[] = []
  for (const call of calls) {
    const found = open.findIndex((answer) => answer.callId === call.id)
    const answer = found === -1 ? undefined : open.splice(found, 1)[0]
    const id = uniqueId(call.id, usedIds)
    const name = call.name || 'unknown'
    const isKept = id === call.id && name === call.name && hasObject(call)
    toolCalls.push(isKept ? call : { id, name, arguments: hasObject(call) ? call.arguments : '{}' })
    results.push(
      answer?.callId === id && answer.name === name
        ? answer
        : { role: 'tool', callId: id, name, content: answer?.content ?? cancelledResult },
    )
  }
  const isValid = toolCalls.every((call, at) => call === calls[at])
  return [isValid ? message : { role: 'assistant', content, ...(reasoning && { reasoning }), toolCalls }, ...results]
}

/** Returns a message without calls unchanged, so that its cached JSON is reused. */
function withoutCalls(message: Assistant): Assistant {
  if (message.toolCalls === undefined) return message
  const { toolCalls: _, ...rest } = message
  return rest
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

/** Whether the arguments of a call are a JSON object. */
const hasObject = memoizeObjects((call: ModelCall) => parseObject(call.arguments) !== undefined)

/** Parses a JSON object. @returns undefined for anything else */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    // Invalid JSON is expected.
    return undefined
  }
}

/** Returns `id`, with a suffix if it is in `used`, and adds it to `used`. Replaces an empty id. */
export function uniqueId(id: string, used: Set<string>): string {
  let unique = id || newCallId()
  for (let n = 2; used.has(unique); n++) unique = `${id}_${n}`
  used.add(unique)
  return unique
}

/** Returns nine letters and digits, the format that Mistral's templates require and every server accepts. */
export function newCallId(): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'
  return Array.from(crypto.getRandomValues(new Uint8Array(9)), (byte) => alphabet[byte % alphabet.length]).join('')
}
