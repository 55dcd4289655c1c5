import type { Mode, Risk } from './risk.ts'
import type { CommandSandbox } from '../commands/sandbox.ts'

/**
 * Who decided about a call. `rule`: a built-in or user's rule. `session`: an earlier decision of the user. `hook`: a
 * program of the folder ran; `allowed` then means that it had no objection.
 */
export const auditDeciders = ['user', 'session', 'rule', 'mode', 'hook'] as const
export type AuditDecider = (typeof auditDeciders)[number]

/**
 * `edited`: the user edited the command, which then needs a new decision. `withdrawn`: the call ended before the user
 * decided.
 */
export const auditVerdicts = ['allowed', 'refused', 'edited', 'withdrawn'] as const
export type AuditVerdict = (typeof auditVerdicts)[number]

/** One decision about a tool call. Does not contain file contents. */
export interface AuditEntry {
  /** Milliseconds since the epoch. */
  at: number
  verdict: AuditVerdict
  by: AuditDecider
  tool: string
  risk: Risk
  mode: Mode
  conversationId?: string
  callId: string
  /** Source of the call. */
  client: 'window' | 'commandLine' | 'mcp' | 'agent'
  /** The open folder. */
  workspace?: string
  command?: string
  cwd?: string
  sandbox?: CommandSandbox
  /** Workspace paths that the call reads and writes. */
  reads?: string[]
  writes?: string[]
  /** Method and origin of a web request. */
  scope?: string
  /** The rule that decided. */
  rule?: string
  /** File or plug-in that defines the hook. A hook with a `sandbox` ran. */
  source?: string
  /** Why the call was allowed or refused. */
  reason?: string
}

/** Decisions, latest first. */
export interface AuditLog {
  /** Absolute path of the current file. */
  path: string
  entries: AuditEntry[]
  /** Whether older decisions were omitted. */
  truncated: boolean
}
