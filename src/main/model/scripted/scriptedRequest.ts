import type { ChatMessage, ModelCall } from '../modelClient.ts'
import { isRecord } from '../transport/modelErrors.ts'
import { parseObject } from '../clients/validHistory.ts'

/** Parses the `messages` of a chat request; undefined if they violate the protocol. */
export function readMessages(value: unknown): ChatMessage[] | undefined {
  if (!Array.isArray(value)) return undefined
  const names = new Map<string, string>()
  const messages: ChatMessage[] = []
  for (const message of value) {
    if (!isRecord(message)) return undefined
    const content = textOf(message['content'])
    switch (message['role']) {
      case 'system':
      case 'user':
        messages.push({ role: message['role'], content })
        break
      case 'assistant': {
        const toolCalls = Array.isArray(message['tool_calls']) ? message['tool_calls'].map(readCall) : []
        for (const call of toolCalls) names.set(call.id, call.name)
        messages.push({ role: 'assistant', content, ...(toolCalls.length > 0 && { toolCalls }) })
        break
      }
      case 'tool': {
        const callId = String(message['tool_call_id'])
        messages.push({ role: 'tool', callId, name: names.get(callId) ?? '', content })
        break
      }
      default:
        return undefined
    }
  }
  return messages
}

/** Returns the text of a message, without images. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((part: unknown) => (isRecord(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('')
}

function readCall(value: unknown): ModelCall {
  const called = isRecord(value) && isRecord(value['function']) ? value['function'] : {}
  return {
    id: isRecord(value) ? String(value['id']) : '',
    name: String(called['name']),
    arguments: String(called['arguments']),
  }
}

/**
 * Returns why a strict server (llama-server, vLLM, Mistral's templates) would reject a history; undefined if it is
 * valid.
 */
export function checkMessages(messages: readonly ChatMessage[]): string | undefined {
  const seen = new Set<string>()
  for (const [position, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (!seen.has(message.callId))
        return `message ${position}: a result for ${message.callId}, which no call before it has`
      continue
    }
    if (message.role !== 'assistant') continue
    for (const [offset, call] of (message.toolCalls ?? []).entries()) {
      if (seen.has(call.id)) return `message ${position}: the call id ${call.id} is not unique`
      seen.add(call.id)
      if (!parseObject(call.arguments))
        return `message ${position}: failed to parse tool call arguments as JSON: ${call.arguments}`
      const result = messages[position + 1 + offset]
      if (result?.role !== 'tool' || result.callId !== call.id)
        return `message ${position}: the call ${call.id} is not followed by its result`
    }
  }
  return undefined
}
