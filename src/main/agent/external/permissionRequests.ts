import { isAbort, toFailure, ToolError } from '../../../shared/errors.ts'
import type { RequestPermissionRequest, RequestPermissionResponse } from '../../acp/agentTypes.ts'
import type { ExternalTurn } from './externalTurnState.ts'
import { permissionMeaning } from './permissionMeaning.ts'
import { inputForCard, type ReportedCall } from './reportedCall.ts'
import { inputFields } from './reportedInput.ts'

type PermissionTurn = Pick<
  ExternalTurn,
  'deps' | 'external' | 'conversation' | 'definition' | 'cards' | 'seenWrites' | 'requestSignal'
>

/** Shows a permission request as an approval card, unless mode, rules or grants decide. */
export async function answerPermissionRequest(
  turn: PermissionTurn,
  { toolCall, options }: RequestPermissionRequest,
): Promise<RequestPermissionResponse> {
  const { cards, definition, requestSignal: signal } = turn
  const call = cards.report(toolCall, true)
  const choose = (kind: 'allow_once' | 'reject_once'): RequestPermissionResponse => {
    const option = options.find((each) => each.kind === kind)
    return { outcome: option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' } }
  }
  try {
    if (!options.some(({ kind }) => kind === 'allow_once'))
      throw new ToolError(
        'refused',
        `${definition.name} did not offer a one-time approval. Tizona approves each call separately, so it refused this one.`,
      )
    await checkWithGate(turn, call)
    cards.put(call.item.id, { state: 'running', approval: undefined })
    return choose('allow_once')
  } catch (error) {
    if (!(error instanceof ToolError) && !isAbort(error)) throw error
    const failure = toFailure(error)
    cards.put(call.item.id, {
      state: signal.aborted ? 'cancelled' : 'refused',
      approval: undefined,
      endedAt: Date.now(),
      result: {
        ok: false,
        text: failure.message,
        view: { kind: 'text' },
        error: failure,
        elapsedMs: 0,
        // Only `newCard` and `updatedCall` write the arguments, always an object.
        arguments: JSON.parse(call.item.arguments) as Record<string, unknown>,
        truncated: false,
      },
    })
    return signal.aborted ? { outcome: { outcome: 'cancelled' } } : choose('reject_once')
  }
}

/** @throws ToolError if the agent may not do it */
async function checkWithGate(
  { deps, external, conversation, definition, cards, seenWrites, requestSignal: signal }: PermissionTurn,
  call: ReportedCall,
): Promise<void> {
  const { item, title, diffs, kind, paths } = call
  const { unclear, details, fields, ...meaning } = permissionMeaning({
    agent: definition.name,
    kind,
    title,
    rawInput: inputOf(call),
    paths,
    diffs,
  })
  const shownTitle = title === '' ? 'Call' : title
  await external.askPermission(
    {
      ...meaning,
      callId: item.id,
      conversationId: conversation.info.id,
      mode: conversation.info.mode,
      attended: deps.attended(),
      agent: definition.name,
      title: shownTitle,
      report: { unclear, details },
      arguments: { ...(meaning.command === undefined && { title: shownTitle }), ...inputForCard(fields) },
      preview: () => cards.view(call, signal),
      onState: (state) => void cards.put(item.id, { state }),
    },
    signal,
  )
  // Only for writes: the gate has checked these files, and the card has shown their new content.
  if (meaning.risk === 'write')
    for (const { path, oldText, newText } of diffs) seenWrites.allow(path, { oldText: oldText ?? '', newText })
}

/** Returns the input of a call, including earlier fields that the request does not repeat. */
function inputOf({ rawInput, earlierInput }: ReportedCall): unknown {
  return earlierInput === undefined ? rawInput : { ...inputFields(earlierInput), ...inputFields(rawInput) }
}
