import type { ApprovalDecision, ApprovalRequest } from '../../shared/approval.ts'
import type { Mode, Risk } from '../../shared/risk.ts'
import type { ToolView } from '../../shared/tool.ts'

/** A parsed call on its way to running. */
export interface GateCall {
  callId: string
  conversationId?: string
  tool: string
  title: string
  risk: Risk
  mode: Mode
  arguments: Record<string, unknown>
  /** Workspace paths the call writes, moves or deletes. */
  writes: string[]
  command?: string
  cwd?: string
  /** Computed only when the user is asked. */
  preview?: () => Promise<ToolView | undefined>
  /** Whether somebody can answer (a window is attached and the caller waits for it). */
  attended: boolean
}

export type GateAnswer =
  | { kind: 'allow' }
  /** The user changed the command and allowed that one: parse and weigh it again. */
  | { kind: 'edited'; command: string }
  | { kind: 'refuse'; code: 'refused' | 'approval_required' | 'not_in_plan_mode'; reason: string }

/** Decides whether a call may run, and holds those that wait for the user. */
export interface Gate {
  /** Waits for the user where the mode asks. Aborting withdraws the request. */
  check(call: GateCall, signal: AbortSignal): Promise<GateAnswer>
  pending(): ApprovalRequest[]
  /** Answers a pending request once; a second answer, or an unknown id, throws `conflict`. */
  decide(requestId: string, decision: ApprovalDecision): void
  /** Forgets the session's grants (another workspace was opened). */
  reset(): void
}
