import { methods, type AgentContext } from '@agentclientprotocol/sdk'
import type { ApprovalRequest } from '../../../shared/tools/approval.ts'
import type { Core } from '../../core.ts'
import { permissionRequest, toDecision } from './permissions.ts'

const never = new AbortController().signal

/** Asks the client's user about a call, and passes the answer to the gate. */
export async function askClient(
  { handlers, subscribe }: Core,
  peer: AgentContext,
  request: ApprovalRequest,
  context: { root: string },
): Promise<void> {
  const sessionId = request.conversationId ?? ''
  // Another decision, or the end of the turn, withdraws the request.
  const withdrawn = new AbortController()
  const stop = subscribe((name, payload) => {
    if (name === 'approval.resolved' && payload !== null && 'requestId' in payload && payload.requestId === request.id)
      withdrawn.abort()
  })
  try {
    const answer = await peer.request(
      methods.client.session.requestPermission,
      permissionRequest(sessionId, request, context),
      { cancellationSignal: withdrawn.signal, stopWaitingOnCancel: true },
    )
    if (!withdrawn.signal.aborted)
      await handlers['approvals.decide']({ requestId: request.id, decision: toDecision(answer) }, never)
  } catch (error) {
    if (withdrawn.signal.aborted) return
    const reason = `The client could not ask for approval: ${error instanceof Error ? error.message : String(error)}`
    await handlers['approvals.decide']({ requestId: request.id, decision: { kind: 'refuse', reason } }, never)
  } finally {
    stop()
  }
}
