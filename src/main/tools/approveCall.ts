import { ToolError } from '../../shared/errors.ts'
import type { Explanation } from '../../shared/tools/explanation.ts'
import type { CommandSandbox, SandboxDenial } from '../../shared/commands/sandbox.ts'
import type { Gate } from '../approval/gate.ts'
import type { PlaceRules } from '../approval/placeRules.ts'
import { parseArguments } from './arguments/coerceArguments.ts'
import { callPaths } from './callPaths.ts'
import type { Tool, ToolContext } from './common/toolDefinition.ts'

/** Approved arguments. `editedCommand` is set if the user edited the command, so that the model learns what ran. */
export interface ApprovedCall {
  args: Record<string, unknown>
  editedCommand?: string
  /** Why a command needed no approval. */
  explanation?: Explanation
  /** How a command runs. */
  sandbox?: CommandSandbox
  /** Real paths, relative to the workspace, that the call may access even if they are secret. */
  paths: readonly string[]
  /** Whether it is a command that provably changes nothing. */
  onlyReads: boolean
}

/** Decide whether a call may run. */
export interface ApprovalDeps {
  gate: Gate
  rules: PlaceRules
}

type GateRequest = Parameters<Gate['check']>[0]

/** The fields of a call request that approval depends on. */
export interface ApprovalSubject extends Pick<
  GateRequest,
  'callId' | 'conversationId' | 'mode' | 'attended' | 'client' | 'report'
> {
  /** What hooks changed, and why one requires approval. */
  hooks?: GateRequest['hooks']
  /** Title of the outer tool, for nested calls. */
  outerTitle?: string
  /** Called with `approval` when the user is about to see the request. */
  onState?(state: 'approval' | 'running'): void
}

/**
 * Checks with the gate whether a call may run. A command that the user edited is parsed and checked again.
 * @param denial what the sandbox blocked in the first run. The second run would have access to it
 * @throws ToolError refused, approval_required, not_in_plan_mode; invalid_arguments for an edited command
 */
export async function approveCall(
  { gate, rules }: ApprovalDeps,
  tool: Tool,
  args: Record<string, unknown>,
  context: ToolContext,
  request: ApprovalSubject,
  denial?: SandboxDenial,
): Promise<ApprovedCall> {
  let current = args
  let editedCommand: string | undefined
  let approvedByEdit: { risk: Tool['risk'] } | undefined
  for (;;) {
    const checked = current
    const risk = tool.riskOf?.(checked) ?? tool.risk
    const line = await tool.commandLine?.(checked, context)
    const sandbox = line && (line.sandbox ?? (await context.jobs.plan(line.command, denial?.retry ?? 'sandbox')))
    const places = await callPaths(tool, checked, context, rules)
    const decision = await gate.check(
      {
        callId: request.callId,
        conversationId: request.conversationId,
        tool: tool.name,
        title: tool.title,
        within: request.outerTitle,
        risk,
        mode: request.mode,
        arguments: checked,
        ...places,
        command: line?.command,
        fixedCommand: line !== undefined && tool.withCommand === undefined,
        cwd: line?.cwd,
        isCode: line?.isCode,
        report: request.report,
        sandbox,
        retry: denial && retryReason(denial),
        // The user wrote the edited command, and has seen the card.
        hooks: approvedByEdit === undefined ? request.hooks : undefined,
        scope: tool.scope?.(checked),
        preview: async () => {
          const view = (await tool.preview?.(checked, context))?.view
          request.onState?.('approval')
          return view
        },
        attended: request.attended,
        client: request.client,
        approvedByEdit,
      },
      context.signal,
    )
    if (decision.kind === 'allow')
      return {
        args: checked,
        editedCommand,
        explanation: decision.explanation,
        sandbox: withSecrets(sandbox, decision.secrets),
        paths: [...places.reads, ...places.writes],
        onlyReads: decision.onlyReads === true,
      }
    if (decision.kind === 'refuse') throw refusal(decision.code, decision.reason, decision.next)
    if (!tool.withCommand) throw new Error(`The tool ${tool.name} has no command to edit.`)
    current = parseArguments(tool, tool.withCommand(checked, decision.command))
    approvedByEdit = { risk }
    editedCommand = decision.command
  }
}

function withSecrets(sandbox: CommandSandbox | undefined, secrets?: readonly string[]): CommandSandbox | undefined {
  return sandbox?.sandboxed && secrets !== undefined ? { ...sandbox, secrets } : sandbox
}

function retryReason({ message, retry }: SandboxDenial): string {
  return retry === 'network'
    ? `${message} If you allow it, it runs again from the start, with network access.`
    : `${message} If you allow it, it runs again from the start, outside the sandbox, with access to everything that you can access.`
}

function refusal(code: 'refused' | 'approval_required' | 'not_in_plan_mode', reason: string, next = ''): ToolError {
  if (code === 'refused') {
    return new ToolError(
      'refused',
      reason ? `The user refused this call: ${reason}` : 'The user refused this call.',
      'Do not repeat it. Follow what the user said, or ask what to do instead.',
    )
  }
  if (code === 'not_in_plan_mode')
    return new ToolError(code, reason, 'Read and search only; describe the change you would make.')
  return new ToolError(code, reason, next)
}
