import { basename } from 'node:path'
import { promptProfile } from '../../shared/agent/contextAllocation.ts'
import type { ConversationInfo, ModelChoice } from '../../shared/agent/conversation.ts'
import type { Mode } from '../../shared/tools/risk.ts'
import type { ChatMessage } from '../model/modelClient.ts'
import type { AgentDeps, ReadyModel } from './agentDeps.ts'
import type { Compaction } from './context/compaction.ts'
import { createConversationCompaction, type ConversationCompactionOptions } from './compactionSetup.ts'
import { createInstructionInjection } from './conversation/applicableInstructions.ts'
import { loadImages } from './conversation/messageImages.ts'
import { systemPrompt } from './conversation/systemPrompt.ts'
import type { Transcript } from './conversation/transcript.ts'

/** Builds the requests of a conversation. */
export interface ConversationRequests {
  compaction: Compaction
  /** Adds instructions that apply from now on. Called before each request. */
  injectInstructions(signal: AbortSignal): Promise<void>
  /** Adds the bytes of images to the messages of a request. */
  withImages(messages: readonly ChatMessage[]): ChatMessage[]
}

/**
 * Shared by turns and the warm-up, because a prepared prompt is reused only if the first turn sends the same one.
 * @param options.mode the mode in which the conversation started
 */
export function createConversationRequests(
  deps: AgentDeps,
  options: {
    info: ConversationInfo
    mode: Mode
    transcript: Transcript
    choice: ModelChoice
    ready: ReadyModel
    signal: AbortSignal
  },
): ConversationRequests {
  const { info, mode, transcript, choice, ready, signal } = options
  const withImages = (messages: readonly ChatMessage[]) =>
    loadImages(messages, deps.images, deps.supportsImages(choice))
  const compaction = createConversationCompaction(deps, {
    ...conversationPrompt(deps, info, mode),
    conversation: info.id,
    transcript,
    model: choice.model,
    withImages,
    ready,
    signal,
  })
  const injectInstructions = createInstructionInjection({
    instructions: deps.instructions(),
    transcript,
    contextWindow: ready.contextWindow,
    skills: compaction.prompt().tools.some((tool) => tool.name === 'load_skill'),
  })
  return { compaction, injectInstructions, withImages }
}

/**
 * Returns the prompt profile of a conversation, and its system prompt and tools.
 * @param mode the mode in which the conversation started
 */
function conversationPrompt(
  deps: Pick<AgentDeps, 'settings' | 'root' | 'folders' | 'chatTools'>,
  info: ConversationInfo,
  mode: Mode,
): Pick<ConversationCompactionOptions, 'profileFor' | 'promptFor'> {
  const settings = deps.settings()
  return {
    profileFor: (window) => promptProfile(info.profile, settings.profile, window),
    promptFor: (profile) => ({
      profile,
      system: systemPrompt({
        workspaceName: basename(deps.root()),
        folders: deps.folders?.()?.map(({ name }) => name),
        platform: process.platform,
        mode,
        profile,
        custom: settings.systemPrompt,
      }),
      tools: deps.chatTools(info.toolset, profile),
    }),
  }
}
