import type { ConversationItem, ToolItem, UserItem } from '../../shared/conversation.ts'
import type { Mode } from '../../shared/risk.ts'
import type { ChatMessage, ModelCall } from '../model/client.ts'
import { modeNote } from './prompt.ts'

/**
 * A conversation's items as the messages a server reads. Notices are for the user only; reasoning is not replayed. A
 * turn that failed before it said anything leaves no message behind.
 */
export function toMessages(system: string, items: readonly ConversationItem[]): ChatMessage[] {
  const messages: ChatMessage[] = [{ role: 'system', content: system }]
  const callsOf = groupCalls(items)
  let mode: Mode | undefined
  for (const item of items) {
    if (item.kind === 'user') {
      messages.push({ role: 'user', content: withMode(item, mode) })
      mode = item.mode ?? mode
    }
    if (item.kind !== 'assistant') continue
    const calls = callsOf.get(item.id) ?? []
    if (item.text === '' && calls.length === 0) continue
    messages.push({
      role: 'assistant',
      content: item.text,
      ...(calls.length > 0 ? { toolCalls: calls.map(toModelCall) } : {}),
    })
    for (const call of calls) messages.push({ role: 'tool', callId: call.callId, name: call.name, content: resultText(call) })
  }
  return messages
}

/** A message of the user's; the mode is told below it where it changed since the last one. */
function withMode({ text, mode }: UserItem, before: Mode | undefined): string {
  return mode === undefined || before === undefined || mode === before ? text : `${text}\n\n${modeNote(mode)}`
}

function groupCalls(items: readonly ConversationItem[]): Map<string, ToolItem[]> {
  const groups = new Map<string, ToolItem[]>()
  for (const item of items) {
    if (item.kind !== 'tool') continue
    const group = groups.get(item.assistantId)
    if (group) group.push(item)
    else groups.set(item.assistantId, [item])
  }
  return groups
}

const toModelCall = (item: ToolItem): ModelCall => ({ id: item.callId, name: item.name, arguments: item.arguments })

/** The result as the model reads it; a command the user edited is said first, so that the model knows what really ran. */
function resultText(item: ToolItem): string {
  return item.result ? item.result.text : 'Error (cancelled): The call was cancelled before it ran.'
}
