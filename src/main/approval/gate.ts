import { randomUUID } from 'node:crypto'
import type { ApprovalDecision, ApprovalRequest } from '../../shared/approval.ts'
import { ToolError } from '../../shared/errors.ts'
import type { Mode, Risk } from '../../shared/risk.ts'
import type { CommandSandbox } from '../../shared/sandbox.ts'
import type { ToolView } from '../../shared/tool.ts'
import { createGrants, proposePrefixes } from './grants.ts'
import { covers, decisionFor } from './modePolicy.ts'
import { isProtectedPath } from './protectedPaths.ts'

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
  command?: string
  cwd?: string
  /** How the command will run. */
  sandbox?: CommandSandbox
  /** Why a command that the sandbox blocked would run again. It requires approval in every mode, each time. */
  retry?: string
  /** Method and origin of a web request, e.g. `GET https://example.com`. */
  scope?: string
  /** Computed only if approval is needed. */
  preview?: () => Promise<ToolView | undefined>
  /** Whether a user can answer: a window is attached and the caller waits. */
  attended: boolean
  /** Source of an unattended call, which determines the advice. Default the command line. */
  client?: 'commandLine' | 'mcp'
  /**
   * Risk at which the user edited and approved this command. It needs no second approval unless its risk is now higher.
   * Plan mode and protected paths are checked again.
   */
  approvedByEdit?: { risk: Risk }
}

export type GateAnswer =
  | { kind: 'allow' }
  /** The user edited the command. Parse and check the new one. */
  | { kind: 'edited'; command: string }
  | { kind: 'refuse'; code: 'refused' | 'approval_required' | 'not_in_plan_mode'; reason: string; next?: string }

/** Decides whether a call may run and keeps the calls that wait for approval. */
export interface Gate {
  /** Waits for approval if the mode requires it. Aborting withdraws the request. */
  check(call: GateCall, signal: AbortSignal): Promise<GateAnswer>
  pending(): ApprovalRequest[]
  /** Answers a pending request. @throws ToolError `conflict` for a second answer or an unknown id */
  decide(requestId: string, decision: ApprovalDecision): void
  /** Removes all grants of the session, e.g. when another workspace is opened. */
  reset(): void
  /** Removes the grants for one tool, because another tool now has its name. */
  forget(tool: string): void
}

/** Parses a command line; see `parseShellLine` in command/. */
export type ParseCommand = (
  command: string,
) => Promise<{ plain: true; commands: string[][] } | { plain: false; reason: string }>

export interface GateOptions {
  onRequested(request: ApprovalRequest): void
  onResolved(requestId: string): void
  parse: ParseCommand
  /**
   * Describes what a command deletes permanently, one sentence each; see `destructiveReasons` in command/. Default
   * none.
   */
  destructive?(command: string): Promise<string[]>
}

/** Why a call needs approval, and which grants may replace it. */
interface Question {
  reason: string
  grantable: ApprovalRequest['grantable']
}

interface Pending {
  request: ApprovalRequest
  call: GateCall
  commands: string[][] | undefined
  question: Question
  answer(answer: GateAnswer): void
}

const riskWords: Readonly<Record<Risk, string>> = {
  read: 'reads files',
  write: 'changes files',
  execute: 'runs a command',
  network: 'uses the network',
  destructive: 'cannot be undone',
}

export function createGate(options: GateOptions): Gate {
  const grants = createGrants()
  const waiting = new Map<string, Pending>()

  async function check(call: GateCall, signal: AbortSignal): Promise<GateAnswer> {
    signal.throwIfAborted()
    if (decisionFor(call.mode, call.risk) === 'refuse') {
      const reason = `Plan mode is read-only. ${call.tool} has the risk "${call.risk}" and was not run.`
      return { kind: 'refuse', code: 'not_in_plan_mode', reason }
    }
    const parsed = call.command === undefined ? undefined : await options.parse(call.command)
    const commands = parsed?.plain ? parsed.commands : undefined
    const question = approvalReason(call, parsed === undefined || parsed.plain ? undefined : parsed.reason)
    if (question === undefined || (question.grantable.exact && grants.cover(call, commands))) return { kind: 'allow' }
    if (!call.attended) {
      const summary = `This call of ${call.tool} needs approval, but no user is present (mode ${call.mode}, risk ${call.risk}).`
      return {
        kind: 'refuse',
        code: 'approval_required',
        reason: `${summary} ${question.reason}`,
        next: adviceFor(call, question),
      }
    }
    const preview = await call.preview?.()
    const destructive = call.command === undefined ? [] : ((await options.destructive?.(call.command)) ?? [])
    signal.throwIfAborted()
    return ask(call, commands, question, { preview, destructive }, signal)
  }

  function ask(
    call: GateCall,
    commands: string[][] | undefined,
    question: Question,
    shown: { preview?: ToolView; destructive: string[] },
    signal: AbortSignal,
  ): Promise<GateAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<GateAnswer>()
    const { callId, conversationId, tool, title, within, risk, mode, command, cwd, sandbox, scope } = call
    const prefixes = !question.grantable.prefix || commands === undefined ? undefined : proposePrefixes(commands)
    const request: ApprovalRequest = {
      id: randomUUID(),
      callId,
      conversationId,
      tool,
      title,
      within,
      risk,
      mode,
      command,
      cwd,
      sandbox,
      ...shown,
      scope: question.grantable.exact ? scope : undefined,
      reason: question.reason,
      arguments: call.arguments,
      prefix: prefixes?.map((words) => words.join(' ')).join(', '),
      grantable: {
        ...question.grantable,
        prefix: question.grantable.prefix && (command === undefined || prefixes !== undefined),
      },
      requestedAt: Date.now(),
    }
    const close = () => {
      waiting.delete(request.id)
      signal.removeEventListener('abort', withdraw)
      options.onResolved(request.id)
    }
    const withdraw = () => {
      close()
      reject(signal.reason)
    }
    signal.addEventListener('abort', withdraw, { once: true })
    waiting.set(request.id, {
      request,
      call,
      commands,
      question,
      answer(answer) {
        close()
        resolve(answer)
      },
    })
    options.onRequested(request)
    return promise
  }

  /** Answers other pending requests that a new grant covers, e.g. the rest of several parallel calls. */
  function answerCovered(): void {
    for (const pending of waiting.values()) {
      if (pending.question.grantable.exact && grants.cover(pending.call, pending.commands))
        pending.answer({ kind: 'allow' })
    }
  }

  function decide(requestId: string, decision: ApprovalDecision): void {
    const pending = waiting.get(requestId)
    if (pending === undefined)
      throw new ToolError('conflict', 'This request is no longer pending. It was answered or withdrawn.')
    const { call, commands, request } = pending
    switch (decision.kind) {
      case 'once': {
        const edited = decision.editedCommand
        if (edited === undefined || edited === call.command) return pending.answer({ kind: 'allow' })
        if (call.command === undefined) {
          throw new ToolError(
            'invalid_arguments',
            `${call.tool} has no command to edit.`,
            'Allow or refuse it unchanged.',
          )
        }
        if (edited.trim() === '')
          throw new ToolError(
            'invalid_arguments',
            'The edited command is empty.',
            'Enter a command, or refuse the call.',
          )
        return pending.answer({ kind: 'edited', command: edited })
      }
      case 'exact':
        if (request.grantable.exact) grants.grantExact(call)
        pending.answer({ kind: 'allow' })
        return answerCovered()
      case 'prefix':
        if (call.command !== undefined && request.prefix === undefined) {
          const why =
            'No prefix of this command can be allowed for the session. It would allow any command, or it cannot be parsed.'
          throw new ToolError('invalid_arguments', why, 'Allow it once, or refuse it.')
        }
        if (request.grantable.prefix) grants.grantPrefix(call, call.command === undefined ? undefined : commands)
        pending.answer({ kind: 'allow' })
        return answerCovered()
      case 'scope':
        if (request.scope !== undefined) grants.grantScope(call)
        pending.answer({ kind: 'allow' })
        return answerCovered()
      case 'refuse':
        return pending.answer({ kind: 'refuse', code: 'refused', reason: decision.reason.trim() })
    }
  }

  return {
    check,
    decide,
    pending: () => [...waiting.values()].map(({ request }) => request),
    reset: () => grants.clear(),
    forget: (tool) => grants.forget(tool),
  }
}

/**
 * Returns why a call needs approval; undefined if it needs none.
 * @param unreadable why its command line cannot be parsed
 */
function approvalReason(call: GateCall, unreadable: string | undefined): Question | undefined {
  const protectedPath = call.writes.find(isProtectedPath)
  if (protectedPath !== undefined)
    return {
      reason: `It writes to the protected path ${protectedPath}, which requires approval in every mode.`,
      grantable: { exact: false, prefix: false },
    }
  if (call.retry !== undefined) return { reason: call.retry, grantable: { exact: false, prefix: false } }
  if (call.approvedByEdit !== undefined && covers(call.approvedByEdit.risk, call.risk)) return undefined
  if (call.mode !== 'yolo' && unreadable !== undefined) {
    // The programs are unknown, but the user can allow the same line again, except in paranoid mode.
    const grantable = { exact: call.mode !== 'paranoid', prefix: false }
    return {
      reason: `The command cannot be parsed reliably, because ${unreadable}, so it requires approval in ${call.mode} mode.`,
      grantable,
    }
  }
  if (decisionFor(call.mode, call.risk) !== 'ask') return undefined
  // A web request that changes data is allowed for one origin and method only, never for every call.
  const everyCall = call.scope === undefined || call.risk !== 'destructive'
  return {
    reason: `It ${riskWords[call.risk]}, which requires approval in ${call.mode} mode.`,
    grantable: { exact: true, prefix: everyCall },
  }
}

/** Advice for an unattended call. There is no window, so it does not mention one. */
function adviceFor(call: GateCall, question: Question): string {
  const mcp = call.client === 'mcp'
  if (call.writes.some(isProtectedPath)) {
    return `No mode allows this without approval. ${mcp ? 'Use a client that can ask its user (elicitation), or make' : 'Make'} this change manually or in the application.`
  }
  const mode = call.risk === 'read' ? 'safe' : call.risk === 'write' && question.grantable.prefix ? 'cautious' : 'yolo'
  return mcp
    ? `The user may start the server with --mode ${mode}, or use a client that can ask its user (elicitation).`
    : `Run with --mode ${mode} to allow it.`
}
