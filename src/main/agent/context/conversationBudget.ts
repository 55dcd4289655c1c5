import { randomUUID } from 'node:crypto'
import type { PromptProfile } from '../../../shared/promptProfile.ts'
import { ModelError, type ChatTool } from '../../model/client.ts'
import { wantsReasoning } from '../../model/reasoningReplay.ts'
import type { Transcript } from '../loop.ts'
import type { AgentParts, ReadyModel } from '../parts.ts'
import { createBudget, type Budget } from './budget.ts'
import { changedOnDisk } from './stale.ts'
import { askForAccount, type SummaryModel } from './summarise.ts'
import { assumedWindow } from './window.ts'

export interface BudgetOptions {
  transcript: Transcript
  system: string
  tools: readonly ChatTool[]
  profile: PromptProfile
  /** The conversation's model. */
  model: string
  ready: ReadyModel
  signal: AbortSignal
}

/** The budget of a conversation as settings and abilities have it. Summaries are asked of the small model where there is one. */
export function createConversationBudget(parts: AgentParts, { ready, model, ...options }: BudgetOptions): Budget {
  const { compactAt, smallModel } = parts.settings()
  const { signal } = options

  async function summaryModel(): Promise<SummaryModel> {
    if (smallModel) {
      try {
        return toSummaryModel(await parts.model(smallModel, signal), smallModel.model)
      } catch (error) {
        // One that cannot be reached is no reason to go without a summary.
        if (!(error instanceof ModelError)) throw error
      }
    }
    return toSummaryModel(ready, model)
  }

  return createBudget({
    ...options,
    contextWindow: ready.contextWindow,
    compactAt,
    tokens: ready.tokens,
    withReasoning: wantsReasoning(model),
    changedAt: changedOnDisk(parts.root()),
    account: async (items, before, room) => askForAccount(await summaryModel(), { items, before, room, signal }),
    enabled: parts.abilities.budget,
    newId: randomUUID,
  })
}

function toSummaryModel({ client, contextWindow = assumedWindow, tokens }: ReadyModel, model: string): SummaryModel {
  return { client, model, contextWindow, estimate: (text) => tokens.estimate(text) }
}
