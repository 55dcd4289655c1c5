import { maxQuotedMessages, maxSummaryNarrative } from '../../../shared/agent/contextAllocation.ts'
import type { SummaryItem } from '../../../shared/agent/conversation.ts'
import { splitAtSummary } from '../messages.ts'
import type { Transcript } from '../transcript.ts'
import { lastBeforeTail } from './conversationTail.ts'
import type { RequestBudget } from './requestBudget.ts'
import type { Narrative, SentPrompt, SummaryRequest } from './summaryRequest.ts'
import { plainNarrative, summaryText } from './summaryText.ts'

export interface SummaryDeps {
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
export async function summarizeConversation(
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
