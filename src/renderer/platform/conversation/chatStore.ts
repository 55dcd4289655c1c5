import { create } from 'zustand'
import type { ApprovalRequest } from '../../../shared/tools/approval.ts'
import type {
  ConversationInfo,
  ConversationItem,
  ConversationSnapshot,
  EarlierItems,
  QueuedMessage,
  TurnOutcome,
} from '../../../shared/agent/conversation.ts'
import type { Events } from '../../../shared/bridge/protocol.ts'
import type { AppState } from '../../../shared/bridge/appState.ts'
import type { ToolProgress } from '../../../shared/tools/tool.ts'
import { createDeltaBatcher, type Delta } from './deltas.ts'

/** Progress of undoing an edit. */
export type UndoState = { kind: 'working' } | { kind: 'undone' } | { kind: 'failed'; message: string }

/**
 * State of the open conversation. Items are stored by id, so that a changed item does not render the others again.
 * `order` lists the ids and changes only when items are added or removed.
 */
export interface ChatState {
  info: ConversationInfo | null
  order: readonly string[]
  /** Number of items before the first one in `order`. They load on demand. */
  earlier: number
  items: Readonly<Record<string, ConversationItem>>
  running: boolean
  /** Whether another process runs the turn, so that it cannot be stopped here. */
  elsewhere: boolean
  queue: readonly QueuedMessage[]
  /** Current activity of the turn, e.g. "Loading model…". */
  note: string
  lastOutcome: TurnOutcome | null
  /** Pending approvals of all conversations, oldest first. */
  approvals: readonly ApprovalRequest[]
  /** Progress of running calls, by call id. */
  progress: Readonly<Record<string, ToolProgress>>
  /** Progress of undoing edits, by edit id. */
  undo: Readonly<Record<string, UndoState>>
}

export const emptyChat: ChatState = {
  info: null,
  order: [],
  earlier: 0,
  items: {},
  running: false,
  elsewhere: false,
  queue: [],
  note: '',
  lastOutcome: null,
  approvals: [],
  progress: {},
  undo: {},
}

export const useChat = create<ChatState>()(() => emptyChat)

const deltas = createDeltaBatcher((waiting) => useChat.setState((state) => appendDeltas(state, waiting)))

/** Replaces the state with main's: at start, after a reconnection and when another folder is opened. */
export function restoreChat({
  conversation,
  approvals,
  workspace,
}: Pick<AppState, 'conversation' | 'approvals' | 'workspace'>): void {
  const sorted = approvals.toSorted(byAge)
  const current = useChat.getState().info
  // Keep a new conversation, such as the tour's, that main does not report yet.
  if (conversation === null && current !== null && current.workspace === workspace?.root) {
    useChat.setState({ approvals: sorted })
    return
  }
  deltas.clear()
  useChat.setState({ ...emptyChat, ...fromSnapshot(conversation), approvals: sorted })
}

/** Shows another conversation, or none. Keeps pending approvals, because they can belong to any conversation. */
export function showConversation(snapshot: ConversationSnapshot | null): void {
  deltas.clear()
  useChat.setState((state) => ({ ...emptyChat, ...fromSnapshot(snapshot), approvals: state.approvals }))
}

/** Handlers of events from main. Text deltas are applied in the next frame. */
export const chatEvents = {
  'conversation.info'(info: Events['conversation.info']) {
    if (isShown(info.id)) useChat.setState({ info })
  },
  'conversation.item'({ conversationId, item, isNew }: Events['conversation.item']) {
    if (!isShown(conversationId)) {
      // Progress events do not name their conversation, so progress of hidden ones is stored as well.
      if (item.kind === 'tool' && item.result) useChat.setState((state) => withoutProgress(state, item.id))
      return
    }
    deltas.flush()
    useChat.setState((state) => putItem(state, item, isNew))
  },
  'conversation.delta'({ conversationId, itemId, text, reasoning }: Events['conversation.delta']) {
    if (isShown(conversationId)) deltas.add(itemId, text ?? '', reasoning ?? '')
  },
  'conversation.truncated'({ conversationId, fromItemId }: Events['conversation.truncated']) {
    if (!isShown(conversationId)) return
    deltas.flush()
    useChat.setState((state) => truncateAt(state, fromItemId))
  },
  'conversation.status'({ conversationId, running, elsewhere, queue, note = '' }: Events['conversation.status']) {
    if (!isShown(conversationId)) return
    useChat.setState({ running, elsewhere: elsewhere === true, queue, note, ...(running && { lastOutcome: null }) })
  },
  'conversation.turnEnded'({ conversationId, outcome }: Events['conversation.turnEnded']) {
    if (!isShown(conversationId)) return
    deltas.flush()
    useChat.setState({ lastOutcome: outcome, note: '', progress: {} })
  },
  'approval.requested'(request: Events['approval.requested']) {
    useChat.setState((state) => ({
      approvals: [...state.approvals.filter(({ id }) => id !== request.id), request].toSorted(byAge),
    }))
  },
  'approval.resolved'({ requestId }: Events['approval.resolved']) {
    useChat.setState((state) => ({ approvals: state.approvals.filter(({ id }) => id !== requestId) }))
  },
  'tool.progress'({ callId, progress }: Events['tool.progress']) {
    useChat.setState((state) => ({
      progress: { ...state.progress, [callId]: mergeProgress(state.progress[callId], progress) },
    }))
  },
}

/** Prepends earlier items to the shown conversation. @param before the first item when they were requested */
export function addEarlier(conversationId: string, before: string, { items, earlier }: EarlierItems): void {
  useChat.setState((state) =>
    state.info?.id === conversationId && state.order[0] === before
      ? {
          order: [...items.map(({ id }) => id), ...state.order],
          items: { ...Object.fromEntries(items.map((item) => [item.id, item])), ...state.items },
          earlier,
        }
      : {},
  )
}

/**
 * Unloads the earliest items of the shown conversation, which load again on demand. Keeps the latest `count` and the
 * message that started the latest turn.
 */
export function keepLatest(count: number): void {
  useChat.setState((state) => {
    const turn = state.order.findLastIndex((id) => startsTurn(state.items[id]))
    const cut = Math.min(state.order.length - count, turn === -1 ? Number.POSITIVE_INFINITY : turn)
    if (cut <= 0) return {}
    const order = state.order.slice(cut)
    return { order, items: itemsOf(state, order), earlier: state.earlier + cut }
  })
}

function startsTurn(item: ConversationItem | undefined): boolean {
  return item?.kind === 'user' && !item.steered && !item.nudge
}

function itemsOf({ items }: ChatState, order: readonly string[]): ChatState['items'] {
  return Object.fromEntries(
    order.flatMap((id) => {
      const item = items[id]
      return item ? [[id, item]] : []
    }),
  )
}

export function setUndo(editId: string, undo: UndoState): void {
  useChat.setState((state) => ({ undo: { ...state.undo, [editId]: undo } }))
}

function isShown(conversationId: string): boolean {
  return useChat.getState().info?.id === conversationId
}

function byAge(a: ApprovalRequest, b: ApprovalRequest): number {
  return a.requestedAt - b.requestedAt
}

function fromSnapshot(snapshot: ConversationSnapshot | null): Partial<ChatState> {
  if (!snapshot) return {}
  return {
    info: snapshot.info,
    order: snapshot.items.map(({ id }) => id),
    earlier: snapshot.earlier ?? 0,
    items: Object.fromEntries(snapshot.items.map((item) => [item.id, item])),
    running: snapshot.running,
    elsewhere: snapshot.elsewhere === true,
    queue: snapshot.queue,
  }
}

function putItem(state: ChatState, item: ConversationItem, isNew: boolean): Partial<ChatState> {
  // An earlier item that is not loaded, for example a call whose edit was undone in the review.
  if (!isNew && !state.items[item.id]) return {}
  const items = { ...state.items, [item.id]: item }
  return state.items[item.id] ? { items } : { items, order: [...state.order, item.id] }
}

function withoutProgress(state: ChatState, callId: string): Partial<ChatState> {
  if (!(callId in state.progress)) return {}
  return { progress: Object.fromEntries(Object.entries(state.progress).filter(([id]) => id !== callId)) }
}

function truncateAt(state: ChatState, fromItemId: string): Partial<ChatState> {
  const at = state.order.indexOf(fromItemId)
  if (at === -1) return {}
  const order = state.order.slice(0, at)
  return { order, items: itemsOf(state, order) }
}

/** Appends streamed text to assistant items. Ignores items that no longer exist or are of another kind. */
function appendDeltas(state: ChatState, waiting: ReadonlyMap<string, Delta>): Partial<ChatState> {
  const items = { ...state.items }
  for (const [id, { text, reasoning }] of waiting) {
    const item = items[id]
    if (item?.kind === 'assistant')
      items[id] = { ...item, text: item.text + text, reasoning: item.reasoning + reasoning }
  }
  return { items }
}

function mergeProgress(known: ToolProgress | undefined, next: ToolProgress): ToolProgress {
  if (known?.kind === 'text' && next.kind === 'text') return { kind: 'text', text: known.text + next.text }
  if (known?.kind === 'matches' && next.kind === 'matches')
    return { kind: 'matches', matches: [...known.matches, ...next.matches] }
  return next
}
