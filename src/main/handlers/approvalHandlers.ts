import type { Gate } from '../approval/gate.ts'
import type { Handlers } from './handlers.ts'

/** Handles the user's decisions about pending approvals. */
export function createApprovalHandlers(gate: Gate): Pick<Handlers, 'approvals.decide'> {
  return {
    'approvals.decide': ({ requestId, decision }) => gate.decide(requestId, decision),
  }
}
