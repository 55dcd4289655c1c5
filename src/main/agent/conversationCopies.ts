import { randomUUID } from 'node:crypto'
import type { ConversationInfo, ConversationItem } from '../../shared/agent/conversation.ts'
import type { ConversationStore } from '../history/conversations.ts'
import { cancelledCalls } from './conversation/items.ts'

const maxTitle = 180

/**
 * Stores a new conversation with some items of another one. An external agent starts a new session for it, because two
 * conversations in one session would mix.
 */
export function forkConversation(
  store: ConversationStore,
  source: ConversationInfo,
  items: readonly ConversationItem[],
): ConversationInfo {
  return addCopy(store, source, items, { suffix: 'fork', at: Date.now() })
}

/**
 * Stores a copy of a conversation before part of it is removed. The copy is listed below the original, so that the
 * original still opens after a restart.
 * @param suffix added to the title, for example "before editing"
 */
export function backUpConversation(
  store: ConversationStore,
  source: ConversationInfo,
  items: readonly ConversationItem[],
  suffix: string,
): ConversationInfo {
  return addCopy(store, source, items, { suffix, at: source.updatedAt - 1 })
}

function addCopy(
  store: ConversationStore,
  { agentSession: _session, pinned: _pinned, ...source }: ConversationInfo,
  items: readonly ConversationItem[],
  { suffix, at }: { suffix: string; at: number },
): ConversationInfo {
  const info: ConversationInfo = {
    ...source,
    id: randomUUID(),
    title: `${source.title.slice(0, maxTitle)} (${suffix})`,
    createdAt: at,
    updatedAt: at,
    forkedFrom: source.id,
  }
  store.add(info, closedItems(items))
  return info
}

/**
 * Returns items for a copy, with running calls and answers ended. Omits notices about restores, which belong to the
 * original.
 */
function closedItems(items: readonly ConversationItem[]): ConversationItem[] {
  const closed = new Map(cancelledCalls(items).map((item) => [item.id, item]))
  return items.flatMap((item) => {
    if (item.kind === 'notice' && item.restore) return []
    if (item.kind === 'assistant' && item.state === 'streaming') return [{ ...item, state: 'stopped' as const }]
    return [closed.get(item.id) ?? item]
  })
}
