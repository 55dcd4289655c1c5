import { randomUUID } from 'node:crypto'
import type { Explanation } from '../../shared/tools/explanation.ts'
import { ToolError } from '../../shared/errors.ts'
import type { ApprovalDecision, ApprovalRequest } from '../../shared/tools/approval.ts'
import type { ToolView } from '../../shared/tools/tool.ts'
import { adviceFor, approvalReason, type CallFacts, type RequiredApproval } from './approvalReason.ts'
import type { ExamineCommand, Examination } from './commandExamination.ts'
import type { GateCall, GateDecision } from './gateCall.ts'
import { createGrants, proposePrefixes } from './grants.ts'
import { decisionFor } from './modePolicy.ts'
import { type PlaceRules, shippedPlaceRules } from './placeRules.ts'

export type { GateCall, GateDecision } from './gateCall.ts'

/** Decides whether a call may run and keeps the calls that wait for approval. */
export interface Gate {
  /** Waits for approval if the mode requires it. Aborting withdraws the request. */
  check(call: GateCall, signal: AbortSignal): Promise<GateDecision>
  pending(): ApprovalRequest[]
  /** Answers a pending request. @throws ToolError `conflict` for a second answer or an unknown id */
  decide(requestId: string, decision: ApprovalDecision): void
  /** Removes all grants of the session, e.g. when another workspace is opened. */
  reset(): void
  /** Removes the grants for one tool, because another tool now has its name. */
  forget(tool: string): void
}

export interface GateOptions {
  onRequested(request: ApprovalRequest): void
  onResolved(requestId: string): void
  /** Examines command lines; see `createCommandExaminer`. */
  examine: ExamineCommand
  /** Returns the rules for protected and secret places. Default: the shipped ones. */
  places?(): PlaceRules
  /** Returns why the user's rules are not fully known: a sentence. Each call then requires approval. */
  rulesProblem?(): string | undefined
}

export function createGate(options: GateOptions): Gate {
  const grants = createGrants()
  const waiting = createPendingRequests(options)
  /** Secret files that the cards of granted lines named. A link in a line can lead to a different file later. */
  const shownSecrets = new Map<string, ReadonlySet<string>>()

  async function check(call: GateCall, signal: AbortSignal): Promise<GateDecision> {
    signal.throwIfAborted()
    const { command: line, sandbox, report } = call
    // Our own commands run in the workspace root by default. An agent's working folder may be unknown.
    const cwd = report === undefined ? (call.cwd ?? '.') : call.cwd
    const examination =
      line === undefined ? undefined : await options.examine({ ...call, line, cwd, sandbox, unclear: report?.unclear })
    const { explanation, onlyReads } = examination ?? {}
    const refusal = refusalFor(call, explanation)
    if (refusal !== undefined) return refusal
    const named = examination?.places?.secrets ?? []
    const secrets = named.length === 0 ? undefined : named
    const approval = approvalReason(call, { ...userRestrictions(options), grants, explanation })
    const covered =
      approval?.grantable.exact === true && grants.cover(call, examination?.commands, examination?.places?.coverable)
    const needed = approval === undefined || covered ? onceMore(call) : approval
    if (needed === undefined && covered) {
      const shown = shownSecrets.get(line ?? '')
      return {
        kind: 'allow',
        by: 'session',
        explanation: explanation && allowedForSession(explanation),
        secrets: secrets?.filter((file) => shown?.has(file)),
        onlyReads,
      }
    }
    if (needed === undefined) {
      // Without a card, a secret is approved only if the user's own edited command names it.
      const typed = (file: string) => call.approvedByEdit !== undefined && line?.includes(file) === true
      return { kind: 'allow', by: 'mode', explanation, secrets: secrets?.filter(typed), onlyReads }
    }
    if (!call.attended) {
      const summary = `This call of ${call.tool} needs approval, but no user is present (mode ${call.mode}, risk ${call.risk}).`
      return {
        kind: 'refuse',
        code: 'approval_required',
        reason: `${summary} ${needed.reason}`,
        next: adviceFor(call, needed),
      }
    }
    const preview = await call.preview?.()
    signal.throwIfAborted()
    const card = sandbox?.sandboxed ? { ...call, sandbox: { ...sandbox, secrets } } : call
    const answer = await waiting.ask(card, examination, needed, preview, signal)
    return answer.kind === 'allow' ? { ...answer, secrets } : answer
  }

  /** Answers other pending requests that a new grant covers, e.g. the rest of several parallel calls. */
  function answerCovered(): void {
    for (const { call, examination, approval, answer } of waiting.all()) {
      if (
        onceMore(call) === undefined &&
        approval.grantable.exact &&
        grants.cover(call, examination?.commands, examination?.places?.coverable)
      )
        answer({ kind: 'allow', by: 'session' })
    }
  }

  function decide(requestId: string, decision: ApprovalDecision): void {
    const pending = waiting.get(requestId)
    const { call, examination, request } = pending
    switch (decision.kind) {
      case 'once':
        return pending.answer(answerOnce(pending, decision.editedCommand))
      case 'exact':
        if (request.grantable.exact) {
          grants.grantExact(call)
          if (call.sandbox?.sandboxed) shownSecrets.set(call.command ?? '', new Set(call.sandbox.secrets))
        }
        pending.answer({ kind: 'allow' })
        return answerCovered()
      case 'prefix':
        if (call.command !== undefined && request.prefix === undefined) {
          const why =
            'No prefix of this command can be allowed for the session: the prefix would allow any command, or the command cannot be parsed.'
          throw new ToolError('invalid_arguments', why, 'Allow it once, or refuse it.')
        }
        if (request.grantable.prefix)
          grants.grantPrefix(call, call.command === undefined ? undefined : examination?.commands)
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
    pending: () => waiting.all().map(({ request }) => request),
    reset() {
      grants.clear()
      shownSecrets.clear()
    },
    forget: (tool) => grants.forget(tool),
  }
}

/** Returns the refusal by a user rule or by plan mode, which runs only read-only commands. */
function refusalFor({ mode, risk, tool }: GateCall, explanation: Explanation | undefined): GateDecision | undefined {
  if (explanation?.verdict === 'refuse' && explanation.source === 'rule')
    return { kind: 'refuse', code: 'refused', reason: explanation.reason, by: 'rule' }
  if (decisionFor(mode, risk) !== 'refuse' || (explanation !== undefined && explanation.verdict !== 'refuse'))
    return undefined
  const reason = `Plan mode is read-only. ${tool} has the risk "${risk}" and was not run.`
  return { kind: 'refuse', code: 'not_in_plan_mode', reason }
}

function allowedForSession(explanation: Explanation): Explanation {
  return { ...explanation, verdict: 'allow', source: 'session', reason: 'You allowed it for this session.' }
}

function userRestrictions({ places, rulesProblem }: GateOptions): Pick<CallFacts, 'rules' | 'rulesProblem'> {
  return { rules: places?.() ?? shippedPlaceRules, rulesProblem: rulesProblem?.() }
}

function onceMore({ again, hooks }: GateCall): RequiredApproval | undefined {
  const reason = again ?? hooks?.ask
  return reason === undefined ? undefined : { reason, grantable: { exact: false, prefix: false } }
}

/** @throws ToolError `invalid_arguments` for an empty command, or one for a tool without commands */
function answerOnce({ call }: PendingRequest, edited: string | undefined): GateDecision {
  if (edited === undefined || edited === call.command) return { kind: 'allow' }
  if (call.command === undefined || call.fixedCommand === true) {
    throw new ToolError('invalid_arguments', `${call.tool} has no command to edit.`, 'Allow or refuse it unchanged.')
  }
  if (edited.trim() === '')
    throw new ToolError('invalid_arguments', 'The edited command is empty.', 'Enter a command, or refuse the call.')
  return { kind: 'edited', command: edited }
}

/** A call that waits for the user, with the facts about its command line. */
interface PendingRequest {
  request: ApprovalRequest
  call: GateCall
  examination: Examination | undefined
  approval: RequiredApproval
  answer(answer: GateDecision): void
}

/** The calls that wait for the user's answer. */
interface PendingRequests {
  /** Waits for the answer. Aborting withdraws the request. */
  ask(
    call: GateCall,
    examination: Examination | undefined,
    approval: RequiredApproval,
    preview: ToolView | undefined,
    signal: AbortSignal,
  ): Promise<GateDecision>
  all(): PendingRequest[]
  /** @throws ToolError `conflict` for an unknown or answered request */
  get(requestId: string): PendingRequest
}

function createPendingRequests(listeners: {
  onRequested(request: ApprovalRequest): void
  onResolved(requestId: string): void
}): PendingRequests {
  const waiting = new Map<string, PendingRequest>()
  return {
    ask(call, examination, approval, preview, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<GateDecision>()
      const request = requestFor(call, examination, approval, preview)
      const close = () => {
        waiting.delete(request.id)
        signal.removeEventListener('abort', withdraw)
        listeners.onResolved(request.id)
      }
      const withdraw = () => {
        close()
        reject(signal.reason)
      }
      signal.addEventListener('abort', withdraw, { once: true })
      const answer = (given: GateDecision) => {
        close()
        resolve(given)
      }
      waiting.set(request.id, { request, call, examination, approval, answer })
      listeners.onRequested(request)
      return promise
    },
    all: () => [...waiting.values()],
    get(requestId) {
      const pending = waiting.get(requestId)
      if (pending === undefined)
        throw new ToolError('conflict', 'This request is no longer pending. It was answered or withdrawn.')
      return pending
    },
  }
}

function requestFor(
  call: GateCall,
  examination: Examination | undefined,
  approval: RequiredApproval,
  preview: ToolView | undefined,
): ApprovalRequest {
  const { callId, conversationId, tool, title, within, risk, mode, command, cwd, sandbox, scope } = call
  const { grantable } = approval
  const commands = examination?.commands
  const mayCover =
    grantable.prefix &&
    call.isCode !== true &&
    commands !== undefined &&
    examination?.places?.coverable.includes(false) !== true
  const prefixes = mayCover ? proposePrefixes(commands) : undefined
  return {
    id: randomUUID(),
    callId,
    conversationId,
    tool,
    title,
    within,
    risk,
    mode,
    command,
    ...(call.fixedCommand === true && { fixedCommand: true }),
    ...(call.report?.unclear !== undefined && { unclear: true }),
    cwd,
    sandbox,
    preview,
    destructive: examination?.losses ?? [],
    explanation: examination?.explanation,
    scope: grantable.exact ? scope : undefined,
    reason: approval.reason,
    ...(call.hooks && { hooks: hookTexts(call.hooks, approval.reason) }),
    arguments: call.arguments,
    prefix: prefixes?.map((words) => words.join(' ')).join(', '),
    grantable: { ...grantable, prefix: grantable.prefix && (command === undefined || prefixes !== undefined) },
    requestedAt: Date.now(),
  }
}

/** Returns what the card says about hooks, besides its reason. */
function hookTexts({ changes, ask }: NonNullable<GateCall['hooks']>, reason: string): string[] {
  return ask === undefined || ask === reason ? [...changes] : [...changes, ask]
}
