import type { Explanation } from '../../shared/agent/explanation.ts'
import type { Mode } from '../../shared/tools/risk.ts'
import type { Gate } from '../approval/gate.ts'
import { readOnlyCommands } from '../approval/readOnly/readOnlyForm.ts'
import type { Handlers } from './handlers.ts'

/** Explains a command line of the open folder. @throws ToolError no_workspace */
export type ExplainLine = (line: string, mode: Mode) => Promise<Explanation>

/** Handles the user's decisions about pending approvals, and explains the rules. */
export function createApprovalHandlers(
  gate: Gate,
  explain: ExplainLine,
): Pick<Handlers, 'approvals.decide' | 'approvals.explain' | 'approvals.builtIn'> {
  return {
    'approvals.decide': ({ requestId, decision }) => gate.decide(requestId, decision),
    'approvals.explain': ({ command, mode }) => explain(command, mode),
    'approvals.builtIn': () => readOnlyCommands(),
  }
}
