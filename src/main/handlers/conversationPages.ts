import type { ConversationItem, ConversationSnapshot, EarlierItems } from '../../shared/agent/conversation.ts'

/**
 * Returns a conversation with only its latest items. Includes at least the whole latest turn, because a window needs
 * the message that started it.
 * @param count number of items; all by default
 */
export function latestItems(snapshot: ConversationSnapshot, count = snapshot.items.length): ConversationSnapshot {
  const { items } = snapshot
  const first = items.length - count
  const turn = items.findLastIndex((item) => item.kind === 'user' && !item.steered && !item.nudge)
  const earlier = turn === -1 ? first : Math.min(first, turn)
  return earlier > 0 ? { ...snapshot, items: items.slice(earlier), earlier } : snapshot
}

/** Returns up to `count` items before the item `before`; none if it no longer exists. */
export function earlierItems(items: readonly ConversationItem[], before: string, count: number): EarlierItems {
  const end = Math.max(
    0,
    items.findIndex(({ id }) => id === before),
  )
  const earlier = Math.max(0, end - count)
  return { items: items.slice(earlier, end), earlier }
}
