import { randomUUID } from 'node:crypto'
import type { ApprovalRequest } from '../../shared/tools/approval.ts'
import { ToolError } from '../../shared/errors.ts'
import type { ToolView } from '../../shared/tools/tool.ts'
import type { Examination } from './commandExamination.ts'
import type { RequiredApproval } from './approvalReason.ts'
import type { GateAnswer, GateCall } from './gateCall.ts'
import { proposePrefixes } from './grants.ts'

/** A call that waits for the user, with the facts about its command line. */
export interface PendingRequest {
  request: ApprovalRequest
  call: GateCall
  examination: Examination | undefined
  approval: RequiredApproval
  answer(answer: GateAnswer): void
}

/** The calls that wait for the user's answer. */
export interface PendingRequests {
  /** Waits for the answer. Aborting withdraws the request. */
  ask(
    call: GateCall,
    examination: Examination | undefined,
    approval: RequiredApproval,
    preview: ToolView | undefined,
    signal: AbortSignal,
  ): Promise<GateAnswer>
  all(): PendingRequest[]
  /** @throws ToolError `conflict` for an unknown or answered request */
  get(requestId: string): PendingRequest
}

export function createPendingRequests(listeners: {
  onRequested(request: ApprovalRequest): void
  onResolved(requestId: string): void
}): PendingRequests {
  const waiting = new Map<string, PendingRequest>()
  return {
    ask(call, examination, approval, preview, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<GateAnswer>()
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
      const answer = (given: GateAnswer) => {
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
  const mayCover = grantable.prefix && commands !== undefined && examination?.places?.coverable.includes(false) !== true
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
    arguments: call.arguments,
    prefix: prefixes?.map((words) => words.join(' ')).join(', '),
    grantable: { ...grantable, prefix: grantable.prefix && (command === undefined || prefixes !== undefined) },
    requestedAt: Date.now(),
  }
}
