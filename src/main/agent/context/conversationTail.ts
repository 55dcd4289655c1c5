import type { AssistantItem, ConversationItem, ToolItem, UserItem } from '../../../shared/conversation.ts'
import type { SourcedMessage } from '../sourcedMessage.ts'

/** Calls that have a result. */
export function results(items: readonly ConversationItem[]): ToolItem[] {
  return items.filter((item) => item.kind === 'tool').filter(({ result }) => result !== undefined)
}

/** What no request has carried yet: what came after the model's last answer. */
export function unsent(items: readonly ConversationItem[]): (UserItem | ToolItem)[] {
  const answered = items.findLast(
    (item): item is AssistantItem => item.kind === 'assistant' && item.state !== 'streaming',
  )
  const from = answered ? items.indexOf(answered) + 1 : 0
  return items.slice(from).filter((item) => item.kind === 'user' || item.kind === 'tool')
}

/**
 * The last item that a summary shall stand for: all before the tail, which is the latest exchanges as far as they fit into `room`. What no
 * request has carried belongs to the tail in any case, with the answer that asked for it.
 */
export function lastBeforeTail(
  rest: readonly ConversationItem[],
  messages: readonly SourcedMessage[],
  costOf: (message: SourcedMessage) => number,
  room: number,
): ConversationItem | undefined {
  const sizes = new Map<string, number>()
  for (const message of messages) {
    const owner = message.item?.kind === 'tool' ? message.item.assistantId : message.item?.id
    if (owner !== undefined) sizes.set(owner, (sizes.get(owner) ?? 0) + costOf(message))
  }
  const fresh = unsent(rest)[0]
  const needed = fresh?.kind === 'tool' ? fresh.assistantId : fresh?.id
  let start = rest.length
  let taken = 0
  let must = needed !== undefined
  for (let at = rest.length - 1; at >= 0; at -= 1) {
    const item = rest[at]
    if (item?.kind !== 'user' && item?.kind !== 'assistant') continue
    taken += sizes.get(item.id) ?? 0
    if (!must && taken > room) break
    start = at
    if (item.id === needed) must = false
  }
  return start > 0 ? rest[start - 1] : undefined
}
