import { randomUUID } from 'node:crypto'
import type { ConversationInfo, ConversationItem } from '../../shared/agent/conversation.ts'
import type { ConversationStore } from '../history/conversations.ts'
import { movedPath, type ShownFolders } from '../../shared/files/workspaceFolders.ts'
import { cancelledCalls, noticeItem } from './conversation/items.ts'
import { movedItems } from './conversation/movedItems.ts'

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

/**
 * Returns the copy of a conversation for a workspace that shows its folder among others, or replaces its workspace. Makes
 * it unless there is one. The original stays where it is: its texts and checkpoints are about its own paths.
 */
export function copyIntoWorkspace(
  store: ConversationStore,
  source: ConversationInfo,
  items: () => readonly ConversationItem[],
  { from, to }: { from: ShownFolders; to: ShownFolders },
): ConversationInfo {
  const known = store.copies(source.id, to.root).find(({ createdAt }) => createdAt >= source.updatedAt)
  if (known) return known
  const { agentSession: _session, ...rest } = source
  const info: ConversationInfo = {
    ...rest,
    id: randomUUID(),
    workspace: to.root,
    createdAt: Date.now(),
    forkedFrom: source.id,
  }
  const copied = movedItems(closedItems(items()), (path) => movedPath(from, to, path))
  const folder = from.multiRoot ? undefined : to.multiRoot?.folders.find(({ path }) => path === from.root)?.name
  const notice = folder !== undefined && copied.length > 0 && { ...noticeItem('info', movedText(folder)), folder }
  store.add(info, notice ? [...copied, notice] : copied)
  return info
}

const movedText = (folder: string): string =>
  `This conversation began in the folder "${folder}" alone. Texts above name paths without it.`

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
