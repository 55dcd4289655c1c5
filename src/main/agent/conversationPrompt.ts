import { basename } from 'node:path'
import { promptProfile } from '../../shared/agent/contextAllocation.ts'
import type { ConversationInfo } from '../../shared/agent/conversation.ts'
import type { Mode } from '../../shared/tools/risk.ts'
import type { AgentDeps } from './agentDeps.ts'
import type { ConversationCompactionOptions } from './context/conversationCompaction.ts'
import { systemPrompt } from './systemPrompt.ts'

/**
 * Returns the prompt profile of a conversation, and its system prompt and tools.
 * @param mode the mode in which the conversation started
 */
export function conversationPrompt(
  deps: Pick<AgentDeps, 'settings' | 'root' | 'chatTools'>,
  info: ConversationInfo,
  mode: Mode,
): Pick<ConversationCompactionOptions, 'profileFor' | 'form'> {
  const settings = deps.settings()
  return {
    profileFor: (window) => promptProfile(info.profile, settings.profile, window),
    form: (profile) => ({
      profile,
      system: systemPrompt({
        workspaceName: basename(deps.root()),
        platform: process.platform,
        mode,
        profile,
        custom: settings.systemPrompt,
      }),
      tools: deps.chatTools(info.toolset, profile),
    }),
  }
}
