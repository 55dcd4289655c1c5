import { compactionShares, contextShares } from '../../../shared/contextAllocation.ts'
import type { ContextUse } from '../../../shared/contextUse.ts'
import type { SummaryItem } from '../../../shared/conversation.ts'
import type { ChatMessage, ChatTool, ModelError } from '../../model/clients/modelClient.ts'
import { contextBreakdown, requestTooLong } from './contextBreakdown.ts'
import { finishedCalls, unsentItems } from './conversationTail.ts'
import { createRequestBudget, type ProfilePrompt, type RequestBudgetDeps } from './requestBudget.ts'
import { resultText } from './resultText.ts'
import type { ChangedAt } from './staleReads.ts'
import { summarizeConversation, type SummaryDeps } from './summarizeConversation.ts'
import {
  addChangedFiles,
  truncateUnsentResults,
  truncateInstructions,
  truncateOldResults,
} from './truncateTranscript.ts'

export interface CompactionDeps extends RequestBudgetDeps, SummaryDeps {
  changedAt: ChangedAt
  /** If false, requests are sent as they are. */
  enabled: boolean
}

export interface CompactedRequest {
  messages: ChatMessage[]
  tools: ChatTool[]
  use: ContextUse
}

export interface Compaction {
  /**
   * Builds the next request so that it fits.
   * @throws ModelError `context_exceeded` if not even the last message fits
   */
  request(): Promise<CompactedRequest>
  /** Summarizes the whole conversation. @returns undefined if there is nothing to summarize */
  compact(): Promise<SummaryItem | undefined>
  /** Makes later requests smaller after the server rejected the last one as too long. */
  refused(refusal: ModelError): void
  /** System prompt and tools of the next request. */
  form(): ProfilePrompt
}

/**
 * Keeps the requests of a conversation within the model's context window. Its decisions are stored in the items and
 * never undone: each request starts with the same bytes as the one before, so that servers can reuse their prompt
 * cache.
 */
export function createCompaction(deps: CompactionDeps): Compaction {
  const { transcript, changedAt } = deps
  const budget = createRequestBudget(deps)
  /** Size of the last request in tokens. */
  let lastTotal = 0

  /** Compacts the conversation if it reached the threshold. @returns the request's size, and what was rewritten */
  async function compactIfNeeded(): Promise<{ tokens: number; rewritten?: ContextUse['rewritten'] }> {
    const { window } = budget
    const threshold = budget.threshold()
    const tokens = await budget.measure()
    if (tokens <= threshold) return { tokens }
    let rewritten: ContextUse['rewritten']
    if (await truncateOldResults(transcript, budget, changedAt, tokens - threshold * compactionShares.target))
      rewritten = 'shortened'
    // A summary that replaces little is worth it only if the request does not fit otherwise.
    const minCovered = budget.total() > budget.limit() ? 0 : window * contextShares.minSummarized
    const isStillLarge = budget.total() > threshold * compactionShares.summarize
    const tail = Math.floor(window * contextShares.recentExchanges)
    if (isStillLarge && (await summarizeConversation(deps, budget, tail, minCovered))) rewritten = 'summarised'
    return { tokens: budget.total(), ...(rewritten && { rewritten }) }
  }

  /** Truncates new results and instructions and reduces the profile until a request fits. @returns its size */
  function squeeze(tokens: number): number {
    const limit = budget.limit()
    let total = tokens
    if (total > limit) {
      const newResults = finishedCalls(unsentItems(transcript.items()))
      const others = total - newResults.reduce((sum, item) => sum + budget.size.text(resultText(item)), 0)
      truncateUnsentResults(transcript, budget, Math.max(0, limit - others))
      total = budget.total()
    }
    if (total > limit) {
      truncateInstructions(transcript, budget)
      total = budget.total()
    }
    while (total > limit && budget.useSmallerProfile()) total = budget.total()
    return total
  }

  function toRequest(tokens: number, rewritten?: ContextUse['rewritten']): CompactedRequest {
    return {
      messages: budget.messages().map(({ message }) => message),
      tools: budget.form.tools,
      use: { ...contextBreakdown(budget, tokens), ...(rewritten && { rewritten }) },
    }
  }

  return {
    async request() {
      if (!deps.enabled) return toRequest(await budget.measure())
      await addChangedFiles(transcript, changedAt)
      budget.fitProfile()
      const newItems = Math.max(1, Math.min(2, unsentItems(transcript.items()).length))
      truncateUnsentResults(transcript, budget, Math.floor(budget.window * contextShares.newResult) * newItems)
      const { tokens, rewritten } = await compactIfNeeded()
      lastTotal = squeeze(tokens)
      if (lastTotal > budget.limit()) {
        const message = transcript.items().findLast((item) => item.kind === 'user')
        throw requestTooLong(budget, lastTotal, message?.text ?? '')
      }
      return toRequest(lastTotal, rewritten)
    },
    compact: () => summarizeConversation(deps, budget, 0, 0),
    refused: (refusal) => budget.learnFromRefusal(refusal, lastTotal),
    form: () => budget.form,
  }
}
