import type { ConversationInfo } from '../../shared/conversation.ts'
import type { Mode } from '../../shared/risk.ts'
import type { AgentDeps, ReadyModel } from './agentDeps.ts'
import type { Compaction } from './context/compaction.ts'
import { createConversationCompaction } from './context/conversationCompaction.ts'
import { conversationPrompt } from './conversationPrompt.ts'
import { createInstructionInjection } from './instructionInjection.ts'
import type { Transcript } from './transcript.ts'

/** What builds the requests of a conversation. */
export interface ConversationRequests {
  compaction: Compaction
  /** Adds instructions that apply from now on. Called before each request. */
  injectInstructions(signal: AbortSignal): Promise<void>
}

/**
 * Creates what builds the requests of a conversation. Turns and the preparation of a model share it, because a prepared
 * prompt is reused only if the first turn sends the same one.
 * @param options.mode the mode in which the conversation started
 */
export function createConversationRequests(
  deps: AgentDeps,
  options: {
    info: ConversationInfo
    mode: Mode
    transcript: Transcript
    model: string
    ready: ReadyModel
    signal: AbortSignal
  },
): ConversationRequests {
  const { info, mode, transcript, model, ready, signal } = options
  const compaction = createConversationCompaction(deps, {
    ...conversationPrompt(deps, info, mode),
    conversationId: info.id,
    transcript,
    model,
    ready,
    signal,
  })
  const injectInstructions = createInstructionInjection({
    instructions: deps.instructions(),
    transcript,
    contextWindow: ready.contextWindow,
    skills: compaction.form().tools.some((tool) => tool.name === 'load_skill'),
  })
  return { compaction, injectInstructions }
}
