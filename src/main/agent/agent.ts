import type { ConversationItem, ConversationSnapshot, ToolItem } from '../../shared/agent/conversation.ts'
import { ToolError } from '../../shared/errors.ts'
import { outerCallId, type ApprovalRequest } from '../../shared/tools/approval.ts'
import type { AgentDeps } from './agentDeps.ts'
import { createConversationManagement, type ConversationManagement } from './conversationManagement.ts'
import { createLiveConversations, tryPut, type LiveConversations, type LiveConversation } from './liveConversations.ts'
import { createRewind, type Rewind } from './rewind.ts'
import { createRunningTurns } from './runningTurns.ts'
import { createTurnActions, hasUserMessage, type TurnActions } from './turnActions.ts'
import { createWarmUp } from './warmUp.ts'

/** Handles every request about conversations, from windows and the command line. */
export interface Agent extends ApprovalCards, ConversationManagement, TurnActions {
  /** Restores earlier messages and forks conversations. */
  readonly rewind: Rewind
  /** Ids of the conversations in memory: shown, running, with queued messages, or recently used. */
  inUse(): string[]
  /**
   * Starts reading files for the open folder's first checkpoint, so that the first command does not have to wait.
   * @throws ToolError `no_workspace`
   */
  prepareCheckpoint(): void
  /** Returns a conversation in memory as it is now; undefined if it is not there. */
  peek(
    id: string,
  ): { items: readonly ConversationItem[]; running: boolean; note: string | undefined; updatedAt: number } | undefined
  /** Returns all items of a conversation without showing it. */
  items(id: string): readonly ConversationItem[]
  /**
   * Returns a conversation's user messages, in order, and whether each of them begins a turn. Does not show the
   * conversation.
   */
  userMessages(id: string): { id: string; beginsTurn: boolean }[]
  /** Marks the card of an undone edit. */
  editUndone(editId: string): void
  /** Stops every turn. Resolves when all have ended. */
  stopAll(): Promise<void>
}

export function createAgent(deps: AgentDeps): Agent {
  const { store } = deps
  const live = createLiveConversations(deps)
  const warmUp = createWarmUp(deps, () => live.all().some(({ turn }) => turn))
  const turns = createRunningTurns(deps, live, warmUp)
  const rewind = createRewind({
    store,
    checkpoints: deps.checkpoints,
    open: live.use,
    openIdle(id) {
      const entry = live.use(id)
      const busy = live.all().find(({ turn }) => turn)
      if (busy) throw new ToolError('conflict', `A turn is running in "${busy.info.title}".`, 'Stop it first.')
      return entry
    },
    forget(id) {
      live.forget(id)
      store.delete(id)
    },
  })
  const turnActions = createTurnActions(store, live, turns, rewind.running)
  const management = createConversationManagement(deps, live, async (id) => {
    await turnActions.stop(id)
    await turns.stopTitle(id)
  })
  /** Prepares the model for a conversation without messages. */
  function prepare(id: string): void {
    const entry = live.find(id)
    if (entry && !hasUserMessage(entry)) warmUp.start(entry)
  }
  const shown = <T extends ConversationSnapshot | null>(snapshot: T): T => {
    if (snapshot) prepare(snapshot.info.id)
    return snapshot
  }
  return {
    ...management,
    create: (options) => shown(management.create(options)),
    open: (id) => shown(management.open(id)),
    latest: () => shown(management.latest()),
    update(id, change) {
      const info = management.update(id, change)
      if (change.model ?? change.toolset ?? change.profile ?? change.mode) prepare(id)
      return info
    },
    ...turnActions,
    ...createApprovalCards(live),
    rewind,
    prepareCheckpoint() {
      // Never rejects.
      void deps.checkpoints().pending.prepare()
    },
    inUse: () => live.all().map(({ info }) => info.id),
    peek(id) {
      const entry = live.find(id)
      if (!entry) return undefined
      const { info, transcript, turn, note } = entry
      return { items: transcript.items(), running: turn !== undefined, note, updatedAt: info.updatedAt }
    },
    items: live.items,
    userMessages(id) {
      return live
        .items(id)
        .filter((item) => item.kind === 'user')
        .map(({ id: message, steered, nudge }) => ({ id: message, beginsTurn: !steered && !nudge }))
    },
    editUndone: (editId) => markUndone(live, editId),
    async stopAll() {
      live.close()
      await turns.stopAll()
      live.close()
    },
  }
}

function markUndone({ all }: LiveConversations, editId: string): void {
  for (const entry of all()) {
    const card = entry.transcript
      .items()
      .filter((item) => item.kind === 'tool')
      .find(({ result }) => result?.view.kind === 'diff' && result.view.editId === editId)
    if (card) tryPut(entry, { ...card, undone: true })
  }
}

/** Shows approval requests on the cards of their calls. */
interface ApprovalCards {
  /** Called when a call waits for the user's approval. */
  approvalRequested(request: ApprovalRequest): void
  /** Called when a request was answered or withdrawn. */
  approvalResolved(requestId: string): void
}

function createApprovalCards({ find }: Pick<LiveConversations, 'find'>): ApprovalCards {
  const waiting = new Map<string, ApprovalRequest>()

  /** Returns the call whose card shows the request. For a nested call, that is the outer one. */
  function callOf({
    conversationId,
    callId,
  }: ApprovalRequest): { entry: LiveConversation; item: ToolItem } | undefined {
    const entry = conversationId === undefined ? undefined : find(conversationId)
    const item = entry?.transcript.items().findLast((candidate) => candidate.id === outerCallId(callId))
    return entry && item?.kind === 'tool' ? { entry, item } : undefined
  }

  return {
    approvalRequested(request) {
      waiting.set(request.id, request)
      const call = callOf(request)
      if (call) tryPut(call.entry, { ...call.item, state: 'approval', approval: request })
    },
    approvalResolved(requestId) {
      const resolved = waiting.get(requestId)
      waiting.delete(requestId)
      const call = resolved && callOf(resolved)
      // The executor reports the state after a call's own request. After a nested call's request, the outer call
      // continues or waits for the next request.
      if (!call || call.item.id === resolved.callId || call.item.state !== 'approval') return
      const next = [...waiting.values()].find((request) => outerCallId(request.callId) === call.item.id)
      tryPut(call.entry, { ...call.item, state: next ? 'approval' : 'running', approval: next })
    },
  }
}
