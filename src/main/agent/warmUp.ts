import { randomUUID } from 'node:crypto'
import { isAbort, toFailure } from '../../shared/errors.ts'
import { log } from '../base/log/log.ts'
import type { AgentDeps } from './agentDeps.ts'
import { createConversationRequests } from './conversationRequests.ts'
import { userItem } from './conversation/items.ts'
import { toolsetFor, type LiveConversation } from './liveConversations.ts'
import { createMemoryTranscript } from './conversation/transcript.ts'

/**
 * Sends instructions and tools to the model server before a conversation's first message, so that it has cached them.
 */
export interface WarmUp {
  /**
   * Starts a warm-up in the background and replaces a running one. Does nothing if the settings or the server do not
   * allow it.
   */
  start(entry: Pick<LiveConversation, 'info' | 'toolsetChosen'>): void
  /** Resolves when no request is running. */
  stop(): Promise<void>
}

/** Any message works, because only the prompt before it is used. */
const message = 'Hello.'

/** @param isBusy whether a turn is running, whose prompt must stay in the cache */
export function createWarmUp(deps: AgentDeps, isBusy: () => boolean): WarmUp {
  let running: { controller: AbortController; ended: Promise<void> } | undefined

  async function send({ info, toolsetChosen }: Parameters<WarmUp['start']>[0], signal: AbortSignal): Promise<void> {
    const choice = info.model ?? deps.defaultModel()
    if (!choice) return
    if (!(await deps.mayWarmUp?.(choice))) return
    const ready = await deps.model(choice, signal)
    // Guided turns send other prompts.
    if (ready.guided) return
    // The prompt of another conversation begins in the same way. The server would cut it in favor of this one.
    if (ready.hasPrompt?.()) return
    await deps.toolsReady?.(signal, 'warmUp', () => undefined)
    // The first turn makes the same choice.
    const toolset = info.model || toolsetChosen ? info.toolset : toolsetFor(deps, choice)
    const transcript = createMemoryTranscript([userItem(randomUUID(), message, info.mode)])
    const { compaction, injectInstructions } = createConversationRequests(deps, {
      info: { ...info, toolset },
      mode: info.mode,
      transcript,
      choice,
      ready,
      signal,
    })
    await injectInstructions(signal)
    const { messages, tools } = await compaction.request()
    const events = ready.client.stream({
      model: choice.model,
      messages,
      tools,
      temperature: deps.settings().temperature,
      ...(ready.contextWindow !== undefined && { contextWindow: ready.contextWindow }),
      conversation: info.id,
      urgency: 'background',
      maxTokens: 1,
      isAside: true,
      signal,
    })
    for await (const event of events) void event
  }

  async function stop(): Promise<void> {
    running?.controller.abort()
    await running?.ended
  }

  return {
    start(entry) {
      if (!deps.attended() || deps.settings().warmUp === 'off' || isBusy()) return
      const before = stop()
      const controller = new AbortController()
      const ended = before
        .then(() => (controller.signal.aborted ? undefined : send(entry, controller.signal)))
        .catch((error: unknown) => {
          // The first message reports what is wrong with the server.
          if (!isAbort(error)) log.info(`The model was not prepared: ${toFailure(error).message}`)
        })
      running = { controller, ended }
    },
    stop,
  }
}
