import {
  compactionShares,
  contextShares,
  maxQuotedMessages,
  maxSummaryNarrative,
} from '../../../shared/agent/contextAllocation.ts'
import type { ContextUse } from '../../../shared/agent/contextUse.ts'
import type { SummaryItem } from '../../../shared/agent/conversation.ts'
import type { PromptProfile } from '../../../shared/agent/promptProfile.ts'
import type { ChatMessage, ChatTool, ModelError } from '../../model/modelClient.ts'
import { withInstructions } from '../conversation/applicableInstructions.ts'
import { splitAtSummary } from '../conversation/messages.ts'
import type { Transcript } from '../conversation/transcript.ts'
import { contextBreakdown, contextTooSmall, requestTooLong } from './contextBreakdown.ts'
import { finishedCalls, unsentItems, lastBeforeTail } from './conversationTail.ts'
import { createRequestBudget, type ProfilePrompt, type RequestBudget, type RequestBudgetDeps } from './requestBudget.ts'
import { resultText } from '../conversation/resultText.ts'
import type { ChangedAt } from './staleReads.ts'
import { sentPrompt, type Narrative, type SentPrompt, type SummaryRequest } from './summaryRequest.ts'
import { plainNarrative, summaryText } from './summaryText.ts'
import {
  addChangedFiles,
  leaveOutOldReasoning,
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
  prompt(): ProfilePrompt
}

/**
 * Consecutive compactions that freed too little, by conversation. Later turns continue the count, so that a conversation
 * without room is not summarized again and again.
 */
const crowdedCompactions = new WeakMap<Transcript, { window: number; profile: PromptProfile; count: number }>()
/** Maximum of `crowdedCompactions`. */
const maxCrowded = 2

/** Returns the number of consecutive compactions that freed too little with this window and profile. */
function crowdedCount(transcript: Transcript, { window, prompt }: RequestBudget): number {
  const known = crowdedCompactions.get(transcript)
  return known?.window === window && known.profile === prompt.profile ? known.count : 0
}

function setCrowdedCount(transcript: Transcript, { window, prompt }: RequestBudget, count: number): void {
  crowdedCompactions.set(transcript, { window, profile: prompt.profile, count })
}

/**
 * Keeps the requests of a conversation within the model's context window. Its decisions are stored in the items and
 * never undone. Between two compactions, each request starts with the same bytes as the previous one, so that servers
 * can reuse their prompt cache: new results are truncated when they are first sent, and everything else waits for a
 * compaction.
 */
export function createCompaction(deps: CompactionDeps): Compaction {
  const { transcript, changedAt } = deps
  const budget = createRequestBudget(deps)
  /** Size of the last request in tokens. */
  let lastTotal = 0
  /** Size of the request after the last compaction. */
  let compactedTo = 0

  /** Truncates the results that no request has included yet, so that the following requests have room too. */
  function truncateNewResults(): void {
    const { window, size } = budget
    const results = finishedCalls(unsentItems(transcript.items()))
    if (results.length === 0) return
    const others = budget.total() - results.reduce((sum, item) => sum + size.text(resultText(item)), 0)
    const free = Math.max(0, budget.threshold() - others)
    const share = Math.max(contextShares.minNewResult * window, compactionShares.newResult * free)
    const maxTokens = Math.min(contextShares.newResult * window, share)
    truncateUnsentResults(transcript, budget, Math.floor(maxTokens * Math.min(2, results.length)))
  }

  /** Compacts the conversation if it reached the threshold. @returns the request's size, and what was rewritten */
  async function compactIfNeeded(): Promise<{ tokens: number; rewritten?: ContextUse['rewritten'] }> {
    const tokens = await budget.measure()
    const fixed = budget.fixed()
    const room = Math.max(0, budget.threshold() - fixed)
    const isFull = tokens > budget.limit()
    const isDue = tokens > budget.threshold() && tokens > compactedTo + room * compactionShares.minFreed
    if (!isFull && !isDue) return { tokens }
    const crowded = crowdedCount(transcript, budget)
    // Another compaction would free as little as the last ones.
    if (isFull && crowded >= maxCrowded) throw contextTooSmall(budget)
    const rewritten = await compact(fixed, room)
    compactedTo = budget.total()
    const isCrowded = budget.threshold() - compactedTo < room * compactionShares.minFreed
    // A compaction that changed nothing counts only if the request was too long, because small summaries are otherwise
    // not tried.
    const isAttempt = isFull || rewritten !== undefined
    setCrowdedCount(transcript, budget, isCrowded ? crowded + Number(isAttempt) : 0)
    return { tokens: compactedTo, ...(rewritten && { rewritten }) }
  }

  /** Truncates old results and, if that does not suffice, summarizes the conversation. */
  async function compact(fixed: number, room: number): Promise<ContextUse['rewritten']> {
    let rewritten: ContextUse['rewritten']
    const sent = sentPrompt(budget)
    if ((deps.reasoning?.() ?? 'none') !== 'none' && leaveOutOldReasoning(transcript)) rewritten = 'shortened'
    if (
      await truncateOldResults(transcript, budget, changedAt, budget.total() - fixed - room * compactionShares.target)
    )
      rewritten = 'shortened'
    // A summary that replaces little is worth it only if the request does not fit otherwise.
    const minCovered = budget.total() > budget.limit() ? 0 : budget.window * contextShares.minSummarized
    const isStillLarge = budget.total() > fixed + room * compactionShares.summarize
    const tail = Math.floor(room * compactionShares.recentExchanges)
    if (isStillLarge && (await summarizeConversation(deps, budget, tail, minCovered, sent))) rewritten = 'summarised'
    return rewritten
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

  /** Identifies the beginning of the prompt: the tools and the system prompt with its instructions. */
  function promptStart(): string {
    return `${budget.prompt.profile} ${withInstructions(budget.prompt.system, transcript.items())}`
  }

  function isAnswered(): boolean {
    return transcript.items().some((item) => item.kind === 'assistant' && item.state !== 'streaming')
  }

  function toRequest(tokens: number, rewritten?: ContextUse['rewritten']): CompactedRequest {
    return {
      messages: budget.messages().map(({ message }) => message),
      tools: budget.prompt.tools,
      use: { ...contextBreakdown(budget, tokens), ...(rewritten && { rewritten }) },
    }
  }

  return {
    async request() {
      if (!deps.enabled) return toRequest(await budget.measure())
      const start = promptStart()
      await addChangedFiles(transcript, changedAt)
      budget.fitProfile()
      truncateNewResults()
      const { tokens, rewritten } = await compactIfNeeded()
      lastTotal = squeeze(tokens)
      if (lastTotal > budget.limit()) {
        const message = transcript.items().findLast((item) => item.kind === 'user')
        throw requestTooLong(budget, lastTotal, message?.text ?? '')
      }
      return toRequest(lastTotal, rewritten ?? (isAnswered() && promptStart() !== start ? 'shortened' : undefined))
    },
    compact: () => summarizeConversation(deps, budget, 0, 0, sentPrompt(budget)),
    refused: (refusal) => budget.learnFromRefusal(refusal, lastTotal),
    prompt: () => budget.prompt,
  }
}

interface SummaryDeps {
  transcript: Transcript
  /** Requests a model's summary. */
  requestNarrative(request: Omit<SummaryRequest, 'signal'>): Promise<Narrative>
  newId(): string
}

/**
 * Adds a summary to the transcript that replaces all items but the latest exchanges. Falls back to a list of the calls
 * if no model can write it.
 * @param tail size of the latest exchanges to leave unchanged, in tokens
 * @param sent the conversation before it was compacted, which the server may still have in its cache
 * @param minCovered minimum size of the replaced messages, in tokens, below which a summary is not worth its request
 * @returns undefined if there is nothing to summarize
 */
async function summarizeConversation(
  { transcript, requestNarrative, newId }: SummaryDeps,
  budget: RequestBudget,
  tail: number,
  minCovered: number,
  sent: SentPrompt,
): Promise<SummaryItem | undefined> {
  const { size, window } = budget
  const items = transcript.items()
  const { summary: earlier, rest } = splitAtSummary(items)
  const messages = budget.messages()
  const upTo = lastBeforeTail(rest, messages, size.message, tail)
  if (!upTo) return undefined
  const covered = rest.slice(0, rest.indexOf(upTo) + 1)
  const hasMessages = covered.some(({ kind }) => kind === 'user' || kind === 'assistant')
  if (!hasMessages) return undefined
  const isCovered = new Set(covered)
  const replaced = messages.filter(({ item }) => item !== undefined && isCovered.has(item))
  if (size.messages(replaced) < minCovered) return undefined
  transcript.note('Summarizing the conversation…')
  const before = earlier?.account ?? ''
  const maxTokens = maxSummaryNarrative(window)
  const answer = await requestNarrative({ items: covered, before, maxTokens, window, sent })
  const written = 'text' in answer ? answer.text : plainNarrative(covered, before)
  transcript.note(undefined)
  const summarized = items.slice(0, items.findIndex(({ id }) => id === upTo.id) + 1)
  const item: SummaryItem = {
    id: newId(),
    kind: 'summary',
    at: Date.now(),
    text: summaryText(summarized, written, maxQuotedMessages(window)),
    account: written,
    upTo: upTo.id,
    tokensBefore: budget.total(messages),
    tokensAfter: 0,
    by: 'text' in answer ? 'model' : 'facts',
    ...('problem' in answer && { problem: answer.problem }),
  }
  const summary = { ...item, tokensAfter: budget.total(budget.messages([item])) }
  transcript.put(summary)
  return summary
}
