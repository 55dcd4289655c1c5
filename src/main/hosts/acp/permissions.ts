import {
  type PermissionOption,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type ToolCallContent,
  methods,
  type AgentContext,
} from '@agentclientprotocol/sdk'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { outerCallId, type ApprovalDecision, type ApprovalRequest } from '../../../shared/tools/approval.ts'
import type { Core } from '../../core.ts'
import { diffContent, textContent } from './diffContent.ts'
import { callTitle, toolKind, type ToolCallContext } from './toolCallUpdates.ts'

/** Converts an approval request to a permission request with the complete command or diff. */
export function permissionRequest(
  sessionId: string,
  request: ApprovalRequest,
  { root }: Pick<ToolCallContext, 'root'>,
): RequestPermissionRequest {
  const title = callTitle(request.title, request.arguments)
  return {
    sessionId,
    toolCall: {
      toolCallId: outerCallId(request.callId),
      title: visibleText(request.within === undefined ? title : `${request.within}: ${title}`),
      kind: toolKind(request.tool),
      status: 'pending',
      content: contentOf(request, root),
      rawInput: request.arguments,
    },
    options: optionsFor(request),
  }
}

/** Converts the user's choice to a decision. Anything except an explicit approval is a refusal. */
function toDecision({ outcome }: RequestPermissionResponse): ApprovalDecision {
  if (outcome.outcome !== 'selected') return { kind: 'refuse', reason: '' }
  switch (outcome.optionId) {
    case 'once':
    case 'exact':
    case 'prefix':
    case 'scope':
      return { kind: outcome.optionId }
    default:
      return { kind: 'refuse', reason: '' }
  }
}

/** The ids are the kinds of decisions (shared/tools/approval.ts). */
function optionsFor({ command, prefix, scope, grantable, title }: ApprovalRequest): PermissionOption[] {
  const always = (optionId: ApprovalDecision['kind'], name: string): PermissionOption => ({
    optionId,
    name: visibleText(name),
    kind: 'allow_always',
  })
  const what = command === undefined ? 'call' : 'command'
  return [
    { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
    ...(grantable.exact ? [always('exact', `Allow for this session: this exact ${what}`)] : []),
    ...(grantable.prefix && command !== undefined && prefix !== undefined
      ? [always('prefix', `Allow for this session: commands that start with "${prefix}"`)]
      : []),
    ...(grantable.prefix && command === undefined
      ? [always('prefix', `Allow for this session: every call of "${title}"`)]
      : []),
    ...(scope === undefined ? [] : [always('scope', `Allow for this session: ${scope}`)]),
    { optionId: 'refuse', name: 'Refuse', kind: 'reject_once' },
  ]
}

function contentOf(
  { reason, risk, destructive, command, cwd, preview }: ApprovalRequest,
  root: string,
): ToolCallContent[] {
  const why = textContent([`${reason} Risk: ${risk}.`, ...destructive].join('\n'))
  // Invisible and control characters could hide text.
  const folder = cwd === undefined ? 'unknown folder' : `in ${visibleText(cwd)}`
  // For example, where a debugged program would stop.
  const page = preview?.kind === 'page' ? [textContent(visibleText(preview.text))] : []
  if (command !== undefined) return [textContent(`${visibleText(command)}\n(${folder})`), ...page, why]
  if (preview?.kind !== 'diff') return [...page, why]
  const note = preview.note === undefined ? [] : [textContent(visibleText(preview.note))]
  return [...preview.files.flatMap((file) => diffContent(root, file)), ...note, why]
}

const never = new AbortController().signal

/** Requests approval from the client's user, and passes the decision to the gate. */
export async function askClient(
  { handlers, subscribe }: Core,
  peer: AgentContext,
  request: ApprovalRequest,
  context: { root: string },
): Promise<void> {
  const sessionId = request.conversationId ?? ''
  // Another decision, or the end of the turn, withdraws the request.
  const withdrawn = new AbortController()
  const stop = subscribe((name, payload) => {
    if (name === 'approval.resolved' && payload !== null && 'requestId' in payload && payload.requestId === request.id)
      withdrawn.abort()
  })
  try {
    const answer = await peer.request(
      methods.client.session.requestPermission,
      permissionRequest(sessionId, request, context),
      { cancellationSignal: withdrawn.signal, stopWaitingOnCancel: true },
    )
    if (!withdrawn.signal.aborted)
      await handlers['approvals.decide']({ requestId: request.id, decision: toDecision(answer) }, never)
  } catch (error) {
    if (withdrawn.signal.aborted) return
    const reason = `The client could not ask for approval: ${error instanceof Error ? error.message : String(error)}`
    await handlers['approvals.decide']({ requestId: request.id, decision: { kind: 'refuse', reason } }, never)
  } finally {
    stop()
  }
}
