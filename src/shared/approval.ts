import type { Mode, Risk } from './risk.ts'
import type { ToolView } from './tool.ts'

/** A tool call that needs the user's approval. Main owns it; a window shows it and answers by id. */
export interface ApprovalRequest {
  id: string
  /** Id of the tool call. */
  callId: string
  conversationId?: string
  tool: string
  title: string
  /** Title of the enclosing call, e.g. a batch. `callId` is then the outer call's id, a slash and a number. */
  within?: string
  risk: Risk
  mode: Mode
  /** Why the call needs approval. */
  reason: string
  /** What the command deletes or overwrites permanently, one sentence each. Empty if unknown, and for other tools. */
  destructive: string[]
  arguments: Record<string, unknown>
  /** The complete command line of a command. */
  command?: string
  cwd?: string
  /** Leading words that an answer of kind `prefix` covers. Absent if the command cannot be parsed into words. */
  prefix?: string
  /** What an answer of kind `scope` covers, e.g. `GET https://example.com`. Absent if not offered. */
  scope?: string
  /** Which session-wide answers avoid the next request. Only these are offered. */
  grantable: { exact: boolean; prefix: boolean }
  /** Preview of the effect, for example the diff of an edit. */
  preview?: ToolView
  /** Milliseconds since the epoch. */
  requestedAt: number
}

export type ApprovalDecision =
  /** `editedCommand`: a changed command, which main parses and assesses again. */
  | { kind: 'once'; editedCommand?: string }
  /** This exact command (for other tools: this exact tool with exactly these arguments) until the session ends. */
  | { kind: 'exact' }
  /** Every command that starts with the same words; for tools other than commands: every call of this tool. */
  | { kind: 'prefix' }
  /** Every call of this tool with the same method to the same origin, `ApprovalRequest.scope`. */
  | { kind: 'scope' }
  | { kind: 'refuse'; reason: string }

/** The id of the call whose card shows a request: the outer call of a nested one. */
export function outerCallId(callId: string): string {
  return callId.split('/', 1)[0] ?? callId
}
