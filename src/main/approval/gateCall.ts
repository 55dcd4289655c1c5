import type { Explanation } from '../../shared/tools/explanation.ts'
import type { Mode, Risk } from '../../shared/tools/risk.ts'
import type { CommandSandbox } from '../../shared/commands/sandbox.ts'
import type { ToolView } from '../../shared/tools/tool.ts'

/** A parsed call before it runs. */
export interface GateCall {
  callId: string
  conversationId?: string
  tool: string
  title: string
  /** Title of the call that contains this one. */
  within?: string
  risk: Risk
  mode: Mode
  arguments: Record<string, unknown>
  /** Workspace paths that the call writes, moves or deletes. */
  writes: string[]
  /** Workspace paths whose content the call returns. */
  reads?: string[]
  /** Folder in which the call creates a git repository or changes a repository's configuration or hooks. */
  changedRepository?: string
  command?: string
  /** Whether the user cannot edit the command, because another program runs it. */
  fixedCommand?: boolean
  /** Whether the command is code for a program that runs already. No allow rule and no prefix covers it. */
  isCode?: true | undefined
  /** Working folder of the command. Undefined if an agent's report does not name it. */
  cwd?: string
  /** Set for calls that an external agent makes in its own process. Only its report is known. */
  report?: AgentReport
  /** Whether and how the command would be sandboxed. */
  sandbox?: CommandSandbox
  /** Why the command would run a second time after the sandbox blocked it. Requires approval in every mode. */
  retry?: string
  /**
   * Why the call needs another approval, even if the mode or a grant allows it. The approval applies only to this call.
   */
  again?: string
  /** What hooks changed in the call, and why one of them requires approval in every mode. A hook allows nothing. */
  hooks?: { changes: readonly string[]; ask?: string | undefined }
  /** Method and origin of a web request, e.g. `GET https://example.com`. */
  scope?: string
  /** Computed only if approval is needed. */
  preview?: () => Promise<ToolView | undefined>
  /** Whether a user can answer: a window is attached and the caller waits. */
  attended: boolean
  /** Origin of an unattended call, which determines the suggested next step. Default: `commandLine`. */
  client?: 'commandLine' | 'mcp' | 'agent'
  /**
   * Risk at which the user edited and approved this command. It needs no second approval unless its risk is now higher.
   * Plan mode and protected paths are checked again.
   */
  approvedByEdit?: { risk: Risk }
}

/** An external agent's report about a call in its own process. */
export interface AgentReport {
  /**
   * Why the report does not show everything that the call does: a sentence. No allow rule, read-only form or
   * prefix then covers the call.
   */
  unclear?: string
  /**
   * Identifies the report, or its content besides a command and its folder. A grant covers only an identical report.
   */
  details?: string
}

export type GateDecision =
  /**
   * `by`: who decided; default: the user. `explanation`: why a command needed no approval. `secrets`: files named by
   * the approved command line, which it can then read in the sandbox. `onlyReads`: the command was just proven to
   * change nothing; not set after waiting for the user, when the folder may have changed.
   */
  | {
      kind: 'allow'
      by?: 'mode' | 'session'
      explanation?: Explanation
      secrets?: readonly string[]
      onlyReads?: boolean
    }
  /** The user edited the command. Parse and check the new one. */
  | { kind: 'edited'; command: string }
  | {
      kind: 'refuse'
      code: 'refused' | 'approval_required' | 'not_in_plan_mode'
      reason: string
      next?: string
      by?: 'rule'
    }

/** Parses a command line; see `parseShellLine` in command/. */
export type ParseCommand = (
  command: string,
) => Promise<{ plain: true; commands: string[][]; documents?: readonly number[] } | { plain: false; reason: string }>
