import type { Explanation } from './explanation.ts'
import type { Mode, Risk } from './risk.ts'
import type { CommandSandbox } from '../commands/sandbox.ts'
import type { ToolView } from './tool.ts'

/** A tool call that needs the user's approval. Main keeps the request; the window shows it and responds with its id. */
export interface ApprovalRequest {
  id: string
  callId: string
  conversationId?: string
  tool: string
  title: string
  /**
   * Title of the enclosing call, e.g. a batch. `callId` is then the outer call's id, a slash and the index of this
   * call.
   */
  within?: string
  risk: Risk
  mode: Mode
  /** Why the call needs approval. */
  reason: string
  /** What hooks changed, and why one requires approval: a sentence each. */
  hooks?: string[]
  /** Which rule applies to each command of a command line. */
  explanation?: Explanation
  /** Permanent deletions and overwrites that the command causes, one sentence each. Empty if none are known. */
  destructive: string[]
  arguments: Record<string, unknown>
  /** The complete command line. */
  command?: string
  /** Set if the user cannot edit the command, because an external agent runs it. */
  fixedCommand?: true
  /** Set if an external agent did not report everything that the call does. The card shows all it sent. */
  unclear?: true
  /** Working directory of the command: workspace-relative, or absolute outside the workspace. Absent if unknown. */
  cwd?: string
  /** How the command will run. */
  sandbox?: CommandSandbox
  /**
   * The command's first words, which a `prefix` decision approves. Absent if the command cannot be parsed into words.
   */
  prefix?: string
  /** Method and origin that a `scope` decision approves, e.g. `GET https://example.com`. Absent if not offered. */
  scope?: string
  /** Session-wide decisions that would approve the same call next time. The window offers no others. */
  grantable: { exact: boolean; prefix: boolean }
  /** Preview of the effect, for example the diff of an edit. */
  preview?: ToolView
  /** Milliseconds since the epoch. */
  requestedAt: number
}

export type ApprovalDecision =
  /** Approves this call only. Main parses and assesses an `editedCommand` again before it runs. */
  | { kind: 'once'; editedCommand?: string }
  /** Approves the same command, or the same tool with the same arguments, until the session ends. */
  | { kind: 'exact' }
  /**
   * Approves every command that starts with `ApprovalRequest.prefix`, or every call of a tool that runs no commands.
   */
  | { kind: 'prefix' }
  /** Approves every call of this tool with the method and origin in `ApprovalRequest.scope`. */
  | { kind: 'scope' }
  | { kind: 'refuse'; reason: string }

/** Returns the id of the call whose card shows the approval request: for a nested call, the enclosing one. */
export function outerCallId(callId: string): string {
  return callId.split('/', 1)[0] ?? callId
}
