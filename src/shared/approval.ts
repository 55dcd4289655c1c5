import type { Mode, Risk } from './risk.ts'
import type { ToolView } from './tool.ts'

/** A call that waits for the user. It lives in main; a window only shows it and answers by id. */
export interface ApprovalRequest {
  id: string
  /** The tool call it belongs to. */
  callId: string
  conversationId?: string
  tool: string
  title: string
  /** The title of the call that this one is part of, e.g. a batch; `callId` is the outer call's id, a slash and a number. */
  within?: string
  risk: Risk
  mode: Mode
  /** Why it is asked, in words. */
  reason: string
  /** What the command deletes or overwrites for good, a sentence each; empty where nothing is known of it, and for other tools. */
  destructive: string[]
  arguments: Record<string, unknown>
  /** For commands: the entire command line, unshortened. */
  command?: string
  cwd?: string
  /** The word-prefix that "always allow" would cover; absent where the command cannot be parsed into plain words, or is not known. */
  prefix?: string
  /** What an answer for a part of the web would cover, e.g. `GET https://example.com`; absent where it is not offered. */
  scope?: string
  /** Which answers for the session would keep the next such call from being asked. Only these are offered. */
  grantable: { exact: boolean; prefix: boolean }
  /** What the call would do: the diff of an edit, for example. */
  preview?: ToolView
  /** Milliseconds since the epoch. */
  requestedAt: number
}

export type ApprovalDecision =
  /** `editedCommand`: new arguments, parsed and weighed again in main. */
  | { kind: 'once'; editedCommand?: string }
  /** This exact command (for other tools: this exact tool with exactly these arguments) until the session ends. */
  | { kind: 'exact' }
  /** Every command that starts with the same words; for tools other than commands: every call of this tool. */
  | { kind: 'prefix' }
  /** Every call of this tool with the same method to the same origin, `ApprovalRequest.scope`. */
  | { kind: 'scope' }
  | { kind: 'refuse'; reason: string }

/** The id of the call whose card shows a request: of the call itself, or of the one it is nested in. */
export function outerCallId(callId: string): string {
  return callId.split('/', 1)[0] ?? callId
}
