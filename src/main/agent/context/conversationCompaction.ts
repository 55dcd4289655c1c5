import { randomUUID } from 'node:crypto'
import type { PromptProfile } from '../../../shared/promptProfile.ts'
import { ModelError, type ModelErrorCode } from '../../model/clients/modelClient.ts'
import { needsReasoning } from '../../model/clients/reasoningReplay.ts'
import type { Transcript } from '../transcript.ts'
import type { AgentDeps, ReadyModel } from '../agentDeps.ts'
import { createCompaction, type Compaction, type PromptForm } from './compaction.ts'
import { changedOnDisk } from './staleReads.ts'
import { askForAccount, type Account, type SummaryModel, type SummaryRequest } from './summaryRequest.ts'

export interface ConversationCompactionOptions {
  transcript: Transcript
  profileFor(window: number): PromptProfile
  form(profile: PromptProfile): PromptForm
  /** The conversation's model. */
  model: string
  ready: ReadyModel
  signal: AbortSignal
}

/** The budget of a conversation as settings and features have it. Summaries are asked of the small model where there is one. */
export function createConversationCompaction(
  deps: AgentDeps,
  { ready, model, ...options }: ConversationCompactionOptions,
): Compaction {
  const { compactAt, smallModel } = deps.settings()
  const { signal } = options

  async function account(request: SummaryRequest): Promise<Account> {
    if (smallModel) {
      const small = await tried(async () => {
        const { window: _, ...own } = request
        return askForAccount(toSummaryModel(await deps.model(smallModel, signal), smallModel.model), own)
      })
      if ('text' in small) return small
    }
    return tried(() => askForAccount(toSummaryModel(ready, model), request), absent)
  }

  return createCompaction({
    ...options,
    contextWindow: ready.contextWindow,
    compactAt,
    tokens: ready.tokens,
    withReasoning: needsReasoning(model),
    changedAt: changedOnDisk(deps.root()),
    account: (items, before, room, window) => account({ items, before, room, window, signal }),
    enabled: deps.features.budget,
    newId: randomUUID,
  })
}

/** Failures after which there is no point in going on without a summary, for the next request would meet them too. */
const absent: readonly ModelErrorCode[] = ['unreachable', 'timeout', 'loading', 'no_model', 'unauthorised']

/** A failing model is a reason to do without it. @throws ModelError of the codes in `fatal` */
async function tried(ask: () => Promise<Account>, fatal: readonly ModelErrorCode[] = []): Promise<Account> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof ModelError) || fatal.includes(error.code)) throw error
    return { problem: error.message }
  }
}

function toSummaryModel({ client, contextWindow, tokens }: ReadyModel, model: string): SummaryModel {
  return { client, model, ...(contextWindow && { contextWindow }), estimate: (text) => tokens.estimate(text) }
}
