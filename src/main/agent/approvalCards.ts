import { outerCallId, type ApprovalRequest } from '../../shared/tools/approval.ts'
import type { ToolItem } from '../../shared/agent/conversation.ts'
import { tryPut, type LiveConversation, type LiveConversations } from './liveConversations.ts'

/** Shows approval requests on the cards of their calls. */
export interface ApprovalCards {
  /** Called when a call waits for the user's approval. */
  approvalRequested(request: ApprovalRequest): void
  /** Called when a request was answered or withdrawn. */
  approvalResolved(requestId: string): void
}

export function createApprovalCards({ find }: Pick<LiveConversations, 'find'>): ApprovalCards {
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
