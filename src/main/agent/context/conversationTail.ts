import type { AssistantItem, ConversationItem, ToolItem, UserItem } from '../../../shared/agent/conversation.ts'
import type { SourcedMessage } from '../conversation/items.ts'

/** Returns the calls that have a result. */
export function finishedCalls(items: readonly ConversationItem[]): ToolItem[] {
  return items.filter((item) => item.kind === 'tool').filter(({ result }) => result !== undefined)
}

/** Returns the items after the model's last answer, which no request has included yet. */
export function unsentItems(items: readonly ConversationItem[]): (UserItem | ToolItem)[] {
  const answered = items.findLast(
    (item): item is AssistantItem => item.kind === 'assistant' && item.state !== 'streaming',
  )
  const from = answered ? items.indexOf(answered) + 1 : 0
  return items.slice(from).filter((item) => item.kind === 'user' || item.kind === 'tool')
}

/**
 * Returns the last item that a summary replaces: the one before the tail. The tail consists of the latest exchanges
 * that fit into `maxTokens`. It always includes the items that no request has included yet, and the answer that made
 * their calls.
 */
export function lastBeforeTail(
  rest: readonly ConversationItem[],
  messages: readonly SourcedMessage[],
  costOf: (message: SourcedMessage) => number,
  maxTokens: number,
): ConversationItem | undefined {
  const sizes = new Map<string, number>()
  for (const message of messages) {
    const owner = message.item?.kind === 'tool' ? message.item.assistantId : message.item?.id
    if (owner !== undefined) sizes.set(owner, (sizes.get(owner) ?? 0) + costOf(message))
  }
  const firstUnsent = unsentItems(rest)[0]
  const required = firstUnsent?.kind === 'tool' ? firstUnsent.assistantId : firstUnsent?.id
  let start = rest.length
  let taken = 0
  let mustInclude = required !== undefined
  for (let at = rest.length - 1; at >= 0; at -= 1) {
    const item = rest[at]
    if (item?.kind !== 'user' && item?.kind !== 'assistant') continue
    taken += sizes.get(item.id) ?? 0
    if (!mustInclude && taken > maxTokens) break
    start = at
    if (item.id === required) mustInclude = false
  }
  return start > 0 ? rest[start - 1] : undefined
}
