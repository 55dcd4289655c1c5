import { randomUUID } from 'node:crypto'
import type { PromptProfile } from '../../shared/agent/promptProfile.ts'
import { ModelError, type ChatMessage, type ModelErrorCode } from '../model/modelClient.ts'
import { reasoningReplay } from '../model/clients/reasoningReplay.ts'
import type { Transcript } from './conversation/transcript.ts'
import type { AgentDeps, ReadyModel } from './agentDeps.ts'
import { createCompaction, type Compaction } from './context/compaction.ts'
import type { ProfilePrompt } from './context/requestBudget.ts'
import { changedOnDisk } from './context/staleReads.ts'
import {
  requestNarrative,
  requestNarrativeInConversation,
  type Narrative,
  type SummaryModel,
  type SummaryRequest,
} from './context/summaryRequest.ts'

export interface ConversationCompactionOptions {
  transcript: Transcript
  profileFor(window: number): PromptProfile
  promptFor(profile: PromptProfile): ProfilePrompt
  /** The conversation, also of a sub-agent. */
  conversation?: string
  /** Adds the bytes of images to the messages of a request. Default: there are none. */
  withImages?(messages: readonly ChatMessage[]): ChatMessage[]
  /** The conversation's model. */
  model: string
  ready: ReadyModel
  signal: AbortSignal
}

/**
 * Creates the compaction of a conversation from the settings. The small model writes summaries if one is configured.
 */
export function createConversationCompaction(
  deps: AgentDeps,
  { ready, model, withImages, ...options }: ConversationCompactionOptions,
): Compaction {
  const { compactAt, smallModel } = deps.settings()
  const { conversation, signal } = options
  const summaryModel = ({ client, contextWindow, tokens }: ReadyModel, name: string): SummaryModel => ({
    client,
    model: name,
    ...(conversation !== undefined && { conversation }),
    ...(contextWindow && { contextWindow }),
    estimate: (text) => tokens.estimate(text),
  })

  async function narrative(request: SummaryRequest): Promise<Narrative> {
    if (smallModel) {
      const small = await asProblem(async () => {
        const { window: _, ...own } = request
        return requestNarrative(summaryModel(await deps.model(smallModel, signal), smallModel.model), own)
      })
      if ('text' in small) return small
    }
    const own = summaryModel(ready, model)
    if (ready.cache?.isKnown()) {
      const sent =
        request.sent && withImages ? { ...request.sent, messages: withImages(request.sent.messages) } : request.sent
      const inPlace = await asProblem(
        () => requestNarrativeInConversation(own, { ...request, ...(sent && { sent }) }),
        fatalCodes,
      )
      // Some models continue the task instead. A request that contains only the record leaves them no choice.
      if (inPlace && 'text' in inPlace) return inPlace
    }
    return asProblem(() => requestNarrative(own, request), fatalCodes)
  }

  return createCompaction({
    ...options,
    contextWindow: ready.contextWindow,
    compactAt,
    tokens: ready.tokens,
    reasoning: () => ready.client.reasoningReplay?.(model) ?? reasoningReplay(model),
    changedAt: changedOnDisk(deps.root()),
    requestNarrative: (request) => narrative({ ...request, signal }),
    enabled: deps.features.budget,
    newId: randomUUID,
  })
}

/** Failures that would also affect the next request, so that continuing without a summary is pointless. */
const fatalCodes: readonly ModelErrorCode[] = ['unreachable', 'timeout', 'loading', 'no_model', 'unauthorised']

/** Returns a failed request as a problem. @throws ModelError with a code in `fatal` */
async function asProblem<T extends Narrative | undefined>(
  request: () => Promise<T>,
  fatal: readonly ModelErrorCode[] = [],
): Promise<T | { problem: string }> {
  try {
    return await request()
  } catch (error) {
    if (!(error instanceof ModelError) || fatal.includes(error.code)) throw error
    return { problem: error.message }
  }
}
