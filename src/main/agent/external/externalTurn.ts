import type { AgentDefinition } from '../../../shared/agent/agents.ts'
import type { Attachment } from '../../../shared/agent/attachments.ts'
import type { TurnOutcome } from '../../../shared/agent/conversation.ts'
import { isAbort, toFailure, ToolError } from '../../../shared/errors.ts'
import type { AgentConnection, ContentBlock } from '../../acp/agentTypes.ts'
import type { Images } from '../../history/images.ts'
import { createCheckpointing } from '../conversation/checkpointing.ts'
import { noticeItem } from '../conversation/items.ts'
import type { TurnConversation } from '../conversation/transcript.ts'
import { addTurnReview } from '../conversation/turnReview.ts'
import { createAgentCards } from './agentCards.ts'
import type { AgentSession } from './agentConnections.ts'
import { createAgentRequests } from './agentRequests.ts'
import { createAgentTerminals } from './agentTerminals.ts'
import type { ExternalAgentDeps, SharedAgentDeps } from './externalAgentDeps.ts'
import { type ExternalTurn, createSeenWrites } from './externalTurnState.ts'
import { createReturnedTexts } from './returnedTexts.ts'

/**
 * Runs one turn with an external agent. Its requests to Tizona are checked and recorded like a model's calls. Changes
 * by its own processes are found by comparing the folder before and after the turn.
 * @param onSession stores the id of the agent's session
 */
export async function runExternalTurn(
  deps: SharedAgentDeps,
  external: ExternalAgentDeps,
  conversation: TurnConversation,
  onSession: (id: string) => void,
  signal: AbortSignal,
): Promise<TurnOutcome> {
  const { info, transcript } = conversation
  const message = transcript.items().findLast((item) => item.kind === 'user')
  const definition = external.definition(info.agent ?? '')
  const refusal = definition ? refusalFor(definition, external) : removedAgent
  if (!definition || refusal !== undefined || message?.kind !== 'user') {
    transcript.put(noticeItem('error', refusal ?? 'There is no message to answer.', 'settings'))
    return 'endpoint_failed'
  }
  const flood = new AbortController()
  const either = AbortSignal.any([signal, flood.signal])
  const ended = new AbortController()
  const checkpointing = createCheckpointing({
    conversationId: info.id,
    transcript,
    checkpoints: deps.checkpoints,
    signal: either,
  })
  const onTooMuch = (text: string): void => {
    if (flood.signal.aborted) return
    flood.abort()
    transcript.put(noticeItem('error', `${definition.name} was stopped. ${text}`, 'retry'))
  }
  const workspace = { root: deps.root(), folders: deps.folders?.() }
  const cards = createAgentCards({ transcript, agent: definition.name, workspace, signal: either, onTooMuch })
  const terminals = createAgentTerminals(external.jobs)
  const turn = {
    deps,
    external,
    conversation,
    definition,
    message,
    checkpointing,
    cards,
    terminals,
    seenWrites: createSeenWrites(workspace, external.currentText),
    texts: createReturnedTexts(onTooMuch),
    signal: either,
    requestSignal: AbortSignal.any([either, ended.signal]),
    running: new Set<Promise<unknown>>(),
  }
  let outcome: TurnOutcome
  try {
    outcome = await promptAgent(turn, onSession)
  } catch (error) {
    if (!isAbort(error) && !either.aborted && !(error instanceof ToolError)) throw error
    outcome = either.aborted ? 'cancelled' : 'endpoint_failed'
    if (!either.aborted) {
      const { message: text, next } = toFailure(error)
      transcript.put(noticeItem('error', `${text}\n${next}`.trim(), 'settings'))
    }
  } finally {
    transcript.note(undefined)
    // Also withdraws approvals that an agent requested before it exited.
    ended.abort()
    await terminals.endAll()
    await Promise.allSettled(turn.running)
  }
  if (flood.signal.aborted && !signal.aborted) outcome = 'endpoint_failed'
  await cards.finish(outcome !== 'done')
  await checkpointing.finish()
  await addTurnReview(deps, transcript, message, true)
  return outcome
}

const removedAgent =
  'The agent of this conversation was removed from the settings. Add it again, or start a new conversation.'

function refusalFor({ name }: AgentDefinition, { allowed }: ExternalAgentDeps): string | undefined {
  return allowed()
    ? undefined
    : `${name} was not started, because you have not trusted this folder: its files could make the agent run programs. Trust the folder ("Restricted" in the status bar), then send the message again.`
}

async function promptAgent(turn: ExternalTurn, onSession: (id: string) => void): Promise<TurnOutcome> {
  const { external, conversation, definition, checkpointing, signal } = turn
  const { info, transcript } = conversation
  transcript.note(`Starting ${definition.name}…`)
  // Starts the checkpoint that the agent will wait for.
  checkpointing.prepare(0)
  const session = await external.connections.open(info.id, definition, info.agentSession, signal)
  try {
    return await promptSession(turn, session, onSession)
  } finally {
    session.release()
  }
}

async function promptSession(
  turn: ExternalTurn,
  { connection, id, continued, started }: AgentSession,
  onSession: (id: string) => void,
): Promise<TurnOutcome> {
  const { deps, conversation, definition, message, checkpointing, signal } = turn
  const { info, transcript } = conversation
  if (id !== info.agentSession) onSession(id)
  const isFork = info.agentSession === undefined && transcript.items().some(({ kind }) => kind === 'assistant')
  if (!continued || isFork)
    transcript.put(noticeItem('info', `${definition.name} does not know the earlier messages of this conversation.`))
  if (started && definition.sandbox && !connection.sandbox.sandboxed)
    transcript.put(
      noticeItem(
        'warning',
        `${definition.name} runs outside the sandbox (${connection.sandbox.reason}), so its process can do everything that you can do. Stop the turn if you do not want that.`,
        'settings',
      ),
    )
  // The agent can change files at any time, so the current state is stored first.
  await checkpointing.beforeChange(undefined)
  const reviewed = await deps.review?.()?.begin({ paths: undefined, turn: message.id, program: true })
  transcript.note(`Waiting for ${definition.name}…`)
  try {
    const content = promptContent(message.text, message.attachments ?? [], connection, deps.images)
    return outcomeOf(await connection.prompt(id, content, createAgentRequests(turn), signal), turn)
  } finally {
    // Its process keeps running and can change files until the next turn.
    await reviewed?.end([], connection.ended)
  }
}

function outcomeOf(reason: string, { conversation: { transcript }, definition }: ExternalTurn): TurnOutcome {
  switch (reason) {
    case 'cancelled':
      return 'cancelled'
    case 'max_turn_requests':
      return 'turn_limit'
    case 'max_tokens':
      transcript.put(
        noticeItem(
          'warning',
          `${definition.name} stopped because its context window is full. Start a new conversation.`,
        ),
      )
      return 'done'
    case 'refusal':
      transcript.put(
        noticeItem(
          'warning',
          `${definition.name} refused to continue. Change the message, or start a new conversation.`,
        ),
      )
      return 'done'
    default:
      return 'done'
  }
}

/** Returns a message with its attachments, as the content types that the agent supports. */
function promptContent(
  text: string,
  attachments: readonly Attachment[],
  { capabilities: { promptCapabilities } }: Pick<AgentConnection, 'capabilities'>,
  images: Pick<Images, 'read'>,
): ContentBlock[] {
  const blocks: ContentBlock[] = [{ type: 'text', text }]
  for (const attachment of attachments) {
    if (attachment.kind === 'image') {
      const data = promptCapabilities?.image ? images.read(attachment.id)?.base64 : undefined
      blocks.push(
        data === undefined
          ? { type: 'text', text: `[The image "${attachment.label}" is not shown.]` }
          : { type: 'image', data, mimeType: attachment.mimeType },
      )
    } else if (promptCapabilities?.embeddedContext) {
      blocks.push({
        type: 'resource',
        resource: { uri: `tizona:${encodeURI(attachment.label)}`, text: attachment.text },
      })
    } else {
      blocks.push({ type: 'text', text: `${attachment.label}:\n${attachment.text}` })
    }
  }
  return blocks
}
