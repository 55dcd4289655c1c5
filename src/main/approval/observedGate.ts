import type { AuditDecider, AuditEntry } from '../../shared/tools/audit.ts'
import type { Explanation } from '../../shared/tools/explanation.ts'
import { isAbort } from '../../shared/errors.ts'
import type { Gate, GateDecision, GateCall } from './gate.ts'
import type { OutsideContent } from './outsideContent.ts'

interface ObservedGateDeps {
  gate: Gate
  outside: OutsideContent
  record(entry: AuditEntry): void
  /** The open folder. */
  workspace(): string | undefined
}

/**
 * Wraps a gate: records each decision, and requires another approval for some calls in turns that have read outside
 * content (outsideContent.ts).
 */
export function observeGate({ gate, outside, record, workspace }: ObservedGateDeps): Gate {
  return {
    ...gate,
    async check(call, signal) {
      // The user wrote the edited command.
      const again = call.approvedByEdit === undefined ? outside.reason(call) : undefined
      let answer: GateDecision
      try {
        answer = await gate.check({ ...call, again }, signal)
      } catch (error) {
        if (isAbort(error)) record({ ...describe(call, workspace()), verdict: 'withdrawn', by: 'user' })
        throw error
      }
      if (answer.kind === 'allow') outside.approved(call)
      record({ ...describe(call, workspace()), ...outcome(answer) })
      return answer
    },
  }
}

function describe(call: GateCall, workspace: string | undefined): Omit<AuditEntry, 'verdict' | 'by'> {
  const { callId, conversationId, tool, risk, mode, command, cwd, sandbox, reads, writes, scope } = call
  return {
    at: Date.now(),
    tool,
    risk,
    mode,
    conversationId,
    callId,
    client: call.client ?? (call.attended ? 'window' : 'commandLine'),
    workspace,
    command,
    cwd,
    sandbox,
    reads,
    writes,
    scope,
  }
}

function outcome(answer: GateDecision): Pick<AuditEntry, 'verdict' | 'by' | 'rule' | 'reason'> {
  switch (answer.kind) {
    case 'allow':
      return {
        verdict: 'allowed',
        by: decider(answer.by, answer.explanation),
        rule: answer.explanation?.rule,
        reason: answer.explanation?.reason,
      }
    case 'edited':
      return { verdict: 'edited', by: 'user' }
    case 'refuse':
      return {
        verdict: 'refused',
        by: answer.by ?? (answer.code === 'refused' ? 'user' : 'mode'),
        reason: answer.reason,
      }
  }
}

function decider(by: 'mode' | 'session' | undefined, explanation: Explanation | undefined): AuditDecider {
  if (by === undefined) return 'user'
  return explanation?.source === 'rule' || explanation?.source === 'readOnly' ? 'rule' : by
}
