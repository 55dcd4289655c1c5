import type { Mode, Risk } from './risk.ts'
import type { CommandSandbox } from '../commands/sandbox.ts'

/** Who decided about a call. `rule`: a rule, shipped or of the user; `session`: an earlier answer of the user. */
export const auditDeciders = ['user', 'session', 'rule', 'mode'] as const
export type AuditDecider = (typeof auditDeciders)[number]

/** `edited`: the user changed the command, whose own decision follows. `withdrawn`: the call ended before an answer. */
export const auditVerdicts = ['allowed', 'refused', 'edited', 'withdrawn'] as const
export type AuditVerdict = (typeof auditVerdicts)[number]

/** One decision about a tool call. Contents of files are not part of it. */
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
  /** Folder that was open. */
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
  /** Why the call was allowed or refused. */
  reason?: string
}

/** The latest decisions, latest first. */
export interface AuditLog {
  /** Absolute path of the current file. */
  path: string
  entries: AuditEntry[]
  /** Whether there are older ones. */
  truncated: boolean
}
