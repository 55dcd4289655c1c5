import { RequestError, type PromptRequest, type StopReason } from '@agentclientprotocol/sdk'
import type { TurnOutcome } from '../../../shared/agent/conversation.ts'
import { mentionsIn } from '../../../shared/agent/mentions.ts'
import type { Core } from '../../core.ts'
import { runTurn } from '../../core/runTurn.ts'
import type { Session } from './openSessions.ts'
import { readPrompt } from './promptContent.ts'

const stopReasons: Readonly<Record<Exclude<TurnOutcome, 'endpoint_failed' | 'failed'>, StopReason>> = {
  done: 'end_turn',
  approval_needed: 'end_turn',
  turn_limit: 'max_turn_requests',
  stuck: 'max_turn_requests',
  truncated: 'max_tokens',
  repeating: 'end_turn',
  cancelled: 'cancelled',
}

/** Runs a prompt as a turn of the session's conversation. @throws RequestError if the turn fails, or another one runs */
export async function runPrompt(
  session: Session,
  { sessionId, prompt: blocks }: PromptRequest,
  signal: AbortSignal,
): Promise<{ stopReason: StopReason }> {
  if (session.prompt)
    throw RequestError.invalidRequest({ sessionId }, 'A prompt is running in this session. Cancel it first.')
  const { core, root } = session.folder
  const controller = new AbortController()
  session.prompt = controller
  const interrupted = AbortSignal.any([signal, controller.signal])
  try {
    const { text, embedded, pictures } = readPrompt(blocks, root)
    if (text === '' && embedded.length === 0) throw RequestError.invalidParams({ sessionId }, 'The prompt has no text.')
    const images = await Promise.all(pictures.map(async (picture) => core.handlers['images.add'](picture, interrupted)))
    const own = await expanded(core, text, interrupted)
    const outcome = await runTurn(core, {
      id: sessionId,
      text: [own, ...embedded].filter(Boolean).join('\n\n'),
      // An embedded file may contain anything that looks like a mention.
      mentions: mentionsIn(own),
      images: images.map(({ id, label }) => ({ id, label })),
      interrupted,
    })
    const problem = session.updates.takeError()
    if (outcome === 'endpoint_failed' || outcome === 'failed')
      throw RequestError.internalError(undefined, problem ?? 'The turn failed. The log has the reason.')
    return { stopReason: stopReasons[outcome] }
  } catch (error) {
    // Before the turn, e.g. while the prompt of an MCP server was read. The protocol wants no error for it.
    if (controller.signal.aborted) return { stopReason: stopReasons.cancelled }
    throw error
  } finally {
    delete session.prompt
  }
}

/** Replaces a slash command by its prompt. */
async function expanded(core: Core, text: string, signal: AbortSignal): Promise<string> {
  const [, name, args = ''] = /^\/([\w-]+)(?:\s+([^]*))?$/.exec(text) ?? []
  if (name === undefined) return text
  const commands = await core.handlers['prompts.list']({}, signal)
  if (!commands.some((command) => command.name === name)) return text
  return core.handlers['prompts.expand']({ name, args }, signal)
}
