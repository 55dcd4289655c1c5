import { randomUUID } from 'node:crypto'
import type { ApprovalDecision, ApprovalRequest } from '../../shared/approval.ts'
import { ToolError } from '../../shared/errors.ts'
import type { Mode, Risk } from '../../shared/risk.ts'
import type { ToolView } from '../../shared/tool.ts'
import { createGrants, proposePrefixes } from './grants.ts'
import { covers, weigh } from './modePolicy.ts'
import { isProtectedPath } from './protectedPaths.ts'

/** A parsed call on its way to running. */
export interface GateCall {
  callId: string
  conversationId?: string
  tool: string
  title: string
  /** The title of the call this one is part of. */
  within?: string
  risk: Risk
  mode: Mode
  arguments: Record<string, unknown>
  /** Workspace paths the call writes, moves or deletes. */
  writes: string[]
  command?: string
  cwd?: string
  /** Method and origin of a request to the web, e.g. `GET https://example.com`. */
  scope?: string
  /** Computed only when the user is asked. */
  preview?: () => Promise<ToolView | undefined>
  /** Whether somebody can answer (a window is attached and the caller waits for it). */
  attended: boolean
  /** Who called, where nobody can answer: decides what helps. Default the command line. */
  client?: 'commandLine' | 'mcp'
  /**
   * The user wrote this command in the approval card and allowed it there, with the risk it had: not asked a second time
   * unless its risk is higher now. Plan mode and protected paths are weighed all the same.
   */
  approvedByEdit?: { risk: Risk }
}

export type GateAnswer =
  | { kind: 'allow' }
  /** The user changed the command and allowed that one: parse and weigh it again. */
  | { kind: 'edited'; command: string }
  | { kind: 'refuse'; code: 'refused' | 'approval_required' | 'not_in_plan_mode'; reason: string; next?: string }

/** Decides whether a call may run, and holds those that wait for the user. */
export interface Gate {
  /** Waits for the user where the mode asks. Aborting withdraws the request. */
  check(call: GateCall, signal: AbortSignal): Promise<GateAnswer>
  pending(): ApprovalRequest[]
  /** Answers a pending request once; a second answer, or an unknown id, throws `conflict`. */
  decide(requestId: string, decision: ApprovalDecision): void
  /** Forgets the session's grants (another workspace was opened). */
  reset(): void
  /** Forgets the session's grants for one tool: it is not the tool any more that they were given for. */
  forget(tool: string): void
}

/** A command line as the gate needs it; `parseShellLine` in command/ is one. */
export type ParseCommand = (
  command: string,
) => Promise<{ plain: true; commands: string[][] } | { plain: false; reason: string }>

export interface GateOptions {
  onRequested(request: ApprovalRequest): void
  onResolved(requestId: string): void
  parse: ParseCommand
  /** What a command line loses for good, a sentence each; `destructiveReasons` in command/. Default: nothing is known. */
  destructive?(command: string): Promise<string[]>
}

/** Why a call must be asked, and which grants may answer it instead of the user. */
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
    if (weigh(call.mode, call.risk) === 'refuse') {
      const reason = `Plan mode only reads: ${call.tool} has the risk "${call.risk}" and was not run.`
      return { kind: 'refuse', code: 'not_in_plan_mode', reason }
    }
    const parsed = call.command === undefined ? undefined : await options.parse(call.command)
    const commands = parsed?.plain ? parsed.commands : undefined
    const question = questionFor(call, parsed === undefined || parsed.plain ? undefined : parsed.reason)
    if (question === undefined || (question.grantable.exact && grants.cover(call, commands))) return { kind: 'allow' }
    if (!call.attended) {
      const who = `Nobody is there to approve this call of ${call.tool} (mode ${call.mode}, risk ${call.risk}).`
      return {
        kind: 'refuse',
        code: 'approval_required',
        reason: `${who} ${question.reason}`,
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
    const { callId, conversationId, tool, title, within, risk, mode, command, cwd, scope } = call
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

  /** A grant may answer others that already wait, e.g. the rest of several parallel calls. */
  function answerCovered(): void {
    for (const pending of waiting.values()) {
      if (pending.question.grantable.exact && grants.cover(pending.call, pending.commands))
        pending.answer({ kind: 'allow' })
    }
  }

  function decide(requestId: string, decision: ApprovalDecision): void {
    const pending = waiting.get(requestId)
    if (pending === undefined)
      throw new ToolError('conflict', 'This request is not waiting any more: it was answered or withdrawn.')
    const { call, commands, request } = pending
    switch (decision.kind) {
      case 'once': {
        const edited = decision.editedCommand
        if (edited === undefined || edited === call.command) return pending.answer({ kind: 'allow' })
        if (call.command === undefined) {
          throw new ToolError(
            'invalid_arguments',
            `${call.tool} runs no command that could be edited.`,
            'Allow or refuse it as it stands.',
          )
        }
        if (edited.trim() === '')
          throw new ToolError('invalid_arguments', 'The edited command is empty.', 'Write one, or refuse the call.')
        return pending.answer({ kind: 'edited', command: edited })
      }
      case 'exact':
        if (request.grantable.exact) grants.grantExact(call)
        pending.answer({ kind: 'allow' })
        return answerCovered()
      case 'prefix':
        if (call.command !== undefined && request.prefix === undefined) {
          const why =
            'No beginning of this command can be allowed for the session: it would allow anything, or cannot be read.'
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
 * Whether a call has to be asked, and why.
 * @param unreadable why the command line could not be read, if there is one and it could not
 */
function questionFor(call: GateCall, unreadable: string | undefined): Question | undefined {
  const guarded = call.writes.find(isProtectedPath)
  if (guarded !== undefined)
    return {
      reason: `It writes to the protected path ${guarded}, which is asked in every mode.`,
      grantable: { exact: false, prefix: false },
    }
  if (call.approvedByEdit !== undefined && covers(call.approvedByEdit.risk, call.risk)) return undefined
  if (call.mode !== 'yolo' && unreadable !== undefined) {
    // Which programs it runs nobody can say, but the same line again is what the user allowed, except where everything is asked.
    const grantable = { exact: call.mode !== 'paranoid', prefix: false }
    return {
      reason: `The command cannot be read with certainty, because ${unreadable}, so ${call.mode} mode asks.`,
      grantable,
    }
  }
  if (weigh(call.mode, call.risk) !== 'ask') return undefined
  // A request that changes something on the web is never allowed for every address: only for the origin and method it was asked for.
  const everyCall = call.scope === undefined || call.risk !== 'destructive'
  return {
    reason: `It ${riskWords[call.risk]}, and ${call.mode} mode asks for that.`,
    grantable: { exact: true, prefix: everyCall },
  }
}

/** What helps where nobody can answer; there is no window there. */
function adviceFor(call: GateCall, question: Question): string {
  const mcp = call.client === 'mcp'
  const asking = 'use a client that can ask its user (elicitation)'
  if (call.writes.some(isProtectedPath)) {
    return `No mode allows it unattended: ${mcp ? `${asking}, or make` : 'make'} this change by hand or in the application.`
  }
  const mode = call.risk === 'read' ? 'safe' : call.risk === 'write' && question.grantable.prefix ? 'cautious' : 'yolo'
  return mcp
    ? `The user may start the server with --mode ${mode}, or ${asking}.`
    : `Run with --mode ${mode} to allow it.`
}
