import type { Gate } from '../approval/gate.ts'
import type { Handlers } from './handlers.ts'

/** Answers to what a window decides about pending calls. */
export function createApprovalHandlers(gate: Gate): Pick<Handlers, 'approvals.decide'> {
  return {
    'approvals.decide': ({ requestId, decision }) => gate.decide(requestId, decision),
  }
}
