import { outerCallId, type ApprovalRequest } from '../../shared/approval.ts'
import type { ToolItem } from '../../shared/conversation.ts'
import { show, type LiveConversation, type LiveConversations } from './liveConversations.ts'

/** Shows the gate's questions in the cards of the calls they belong to. */
export interface ApprovalCards {
  /** A call waits for the user: its card shows the question. */
  approvalRequested(request: ApprovalRequest): void
  /** It was answered or withdrawn. */
  approvalResolved(requestId: string): void
}

export function createApprovalCards({ find }: Pick<LiveConversations, 'find'>): ApprovalCards {
  const waiting = new Map<string, ApprovalRequest>()

  /** The card of the call a request belongs to: of the outer call where the request is a nested one's. */
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
      if (call) show(call.entry, { ...call.item, state: 'approval', approval: request })
    },
    approvalResolved(requestId) {
      const resolved = waiting.get(requestId)
      waiting.delete(requestId)
      const call = resolved && callOf(resolved)
      // A call's own answer is told by the executor; that of a nested one leaves the outer call running, or waiting for the next.
      if (!call || call.item.id === resolved.callId || call.item.state !== 'approval') return
      const next = [...waiting.values()].find((request) => outerCallId(request.callId) === call.item.id)
      show(call.entry, { ...call.item, state: next ? 'approval' : 'running', approval: next })
    },
  }
}
