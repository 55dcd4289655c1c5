import type { ApprovalRequest } from '../../shared/tools/approval.ts'
import type { Explanation } from '../../shared/tools/explanation.ts'
import type { Mode, Risk } from '../../shared/tools/risk.ts'
import type { AgentReport, GateCall } from './gateCall.ts'
import type { Grants } from './grants.ts'
import { decisionFor, isRiskCovered } from './modePolicy.ts'
import type { PlaceRules } from './placeRules.ts'

/** Why a call needs approval, and which grants may replace it. */
export interface RequiredApproval {
  reason: string
  grantable: ApprovalRequest['grantable']
  /** Whether the call needs approval in every mode. */
  everyMode?: true
}

const riskReasons: Readonly<Record<Risk, (mode: Mode) => string>> = {
  read: (mode) => `It reads files, which requires approval in ${mode} mode.`,
  write: (mode) => `It changes files, which requires approval in ${mode} mode.`,
  execute: (mode) => `It runs a command, which requires approval in ${mode} mode.`,
  network: (mode) => `It uses the network, which requires approval in ${mode} mode.`,
  destructive: (mode) => `It cannot be undone, which requires approval in ${mode} mode.`,
}

/** Facts about a call that the gate has determined. */
export interface CallFacts {
  rules: PlaceRules
  grants: Pick<Grants, 'executing'>
  /** The decision about the command line; undefined for tools without a command. */
  explanation: Explanation | undefined
  /** Why the user's rules are not fully known: a sentence. */
  rulesProblem?: string | undefined
}

/** Returns why a call needs approval; undefined if it needs none. */
export function approvalReason(call: GateCall, facts: CallFacts): RequiredApproval | undefined {
  const guarded = guardedReason(call, facts)
  if (guarded !== undefined) return guarded
  if (call.retry !== undefined)
    return { reason: call.retry, grantable: { exact: false, prefix: false }, everyMode: true }
  if (call.approvedByEdit !== undefined && isRiskCovered(call.approvedByEdit.risk, call.risk)) return undefined
  if (facts.rulesProblem !== undefined)
    return {
      reason: `${facts.rulesProblem} Every call requires approval until you correct the file.`,
      grantable: { exact: call.mode !== 'paranoid', prefix: false },
      everyMode: true,
    }
  if (facts.explanation !== undefined) return commandApproval(call.mode, facts.explanation)
  if (decisionFor(call.mode, call.risk) !== 'ask') return undefined
  // The title comes from the agent and names no tool, so no grant can cover every call with it.
  if (call.report !== undefined) return reportedApproval(call, call.report)
  // A web request that changes data is allowed for one origin and method only, never for every call.
  const everyCall = call.scope === undefined || call.risk !== 'destructive'
  return {
    reason: riskReasons[call.risk](call.mode),
    grantable: { exact: true, prefix: everyCall },
  }
}

/** Returns the approval that an external agent's own call without a command requires. */
function reportedApproval({ mode, risk }: GateCall, { unclear }: AgentReport): RequiredApproval {
  const prefix = false
  return unclear === undefined
    ? { reason: riskReasons[risk](mode), grantable: { exact: true, prefix } }
    : {
        reason: `It is not clear what it does. ${unclear} It requires approval in ${mode} mode.`,
        grantable: { exact: mode !== 'paranoid', prefix },
      }
}

/** Returns the approval that a decided command line requires; undefined if it may run. */
function commandApproval(mode: Mode, { verdict, source, reason }: Explanation): RequiredApproval | undefined {
  if (verdict === 'allow') return undefined
  switch (source) {
    case 'rule':
      return { reason, grantable: { exact: false, prefix: false }, everyMode: true }
    case 'place':
    case 'hidden':
      return { reason, grantable: { exact: mode !== 'paranoid', prefix: false }, everyMode: true }
    case 'parser':
    case 'unclear':
      // The programs are unknown, but the user can allow the same line again, except in paranoid mode.
      return { reason, grantable: { exact: mode !== 'paranoid', prefix: false } }
    default:
      return { reason, grantable: { exact: true, prefix: true } }
  }
}

/** Returns the approval that the files of a call require in every mode; undefined if none. */
function guardedReason(call: GateCall, { rules, grants }: CallFacts): RequiredApproval | undefined {
  const never = { grantable: { exact: false, prefix: false }, everyMode: true } as const
  for (const path of call.writes) {
    const why = rules.protection(path)
    if (why !== undefined)
      return {
        reason: `It writes to the protected path ${path}, which requires approval in every mode. ${why}.`,
        ...never,
      }
  }
  if (call.changedRepository !== undefined)
    return {
      reason: `It creates or changes the git repository in ${call.changedRepository}, which requires approval in every mode. Git commands in that folder run the programs that its configuration names.`,
      ...never,
    }
  for (const path of [...(call.reads ?? []), ...call.writes]) {
    const why = rules.secret(path)
    if (why !== undefined)
      return {
        reason: `It uses the secret file ${path}, which requires approval in every mode. ${why}.`,
        grantable: { exact: call.mode !== 'paranoid', prefix: false },
        everyMode: true,
      }
  }
  for (const path of call.writes) {
    const command = grants.executing(path)
    if (command !== undefined)
      return {
        reason: `It writes to ${path}. The command "${command}", which you allowed for this session, executes that file.`,
        ...never,
      }
  }
  return undefined
}

/** Returns the next step for an unattended call. Does not mention the window, because none is open. */
export function adviceFor(call: GateCall, approval: RequiredApproval): string {
  const mcp = call.client === 'mcp'
  if (approval.everyMode) {
    if (mcp)
      return 'No mode allows this without approval. Use a client that can ask its user (elicitation), or do it manually or in the application.'
    return call.writes.length > 0
      ? 'No mode allows this without approval. Make this change manually or in the application.'
      : 'No mode allows this without approval. Do it manually or in the application.'
  }
  const mode = call.risk === 'read' ? 'safe' : call.risk === 'write' && approval.grantable.prefix ? 'cautious' : 'yolo'
  return mcp
    ? `The user may start the server with --mode ${mode}, or use a client that can ask its user (elicitation).`
    : `Run with --mode ${mode} to allow it.`
}
