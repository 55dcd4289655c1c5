import {
  answerReserve,
  assumedWindow,
  compactionShares,
  maxQuotedMessages,
  maxSummaryAccount,
  minFreeTokens,
  shareAfterRefusal,
  windowShares,
} from '../../../shared/contextAllocation.ts'
import type { ContextUse } from '../../../shared/contextUse.ts'
import type { ConversationItem, SummaryItem } from '../../../shared/conversation.ts'
import { formatNumber } from '../../../shared/formatNumber.ts'
import { plural } from '../../../shared/plural.ts'
import { promptProfiles, smallerProfile, type PromptProfile } from '../../../shared/promptProfile.ts'
import { ModelError, type ChatMessage, type ChatTool } from '../../model/clients/modelClient.ts'
import type { TokenCounter } from '../../model/tokens/tokenCounter.ts'
import { sourcedMessages, splitAtSummary } from '../messages.ts'
import type { SourcedMessage } from '../sourcedMessage.ts'
import type { Transcript } from '../transcript.ts'
import { lastBeforeTail, results, unsent } from './conversationTail.ts'
import { createRequestSize } from './requestSize.ts'
import { resultText } from './resultText.ts'
import { changedSinceKnown, readPath, staleReads, type ChangedAt } from './staleReads.ts'
import type { Account } from './summaryRequest.ts'
import { plainAccount, summaryText } from './summaryText.ts'
import { truncateNewResults, truncateResults } from './truncateResults.ts'

/** Instructions and tools of one prompt profile. */
export interface PromptForm {
  profile: PromptProfile
  system: string
  tools: ChatTool[]
}

export interface CompactionDeps {
  transcript: Transcript
  /** The prompt profile for a context window of this many tokens. */
  profileFor(window: number): PromptProfile
  form(profile: PromptProfile): PromptForm
  /** Tokens, when known. */
  contextWindow: number | undefined
  /** Share of the window at which compaction starts. */
  compactAt: number
  tokens: TokenCounter
  /** Whether the model expects its earlier reasoning back. Default: no. */
  withReasoning?: boolean
  changedAt: ChangedAt
  /** Asks a model for an account of what happened. */
  account(items: readonly ConversationItem[], before: string, maxTokens: number, window: number): Promise<Account>
  /** When false, requests are sent as they are. */
  enabled: boolean
  newId(): string
  signal: AbortSignal
}

export interface FittedRequest {
  messages: ChatMessage[]
  tools: ChatTool[]
  use: ContextUse
}

export interface Compaction {
  /** Builds the next request so that it fits. @throws ModelError `context_exceeded` when not even the last message fits */
  request(): Promise<FittedRequest>
  /** Summarises the whole conversation. @returns undefined when there is nothing to summarise */
  compact(): Promise<SummaryItem | undefined>
  /** Makes later requests smaller after the server refused the last one as too long. */
  refused(refusal: ModelError): void
  /** Instructions and tools of the next request. */
  form(): PromptForm
}

/** Marks workspace instructions that were truncated because nothing else could be left out. */
const truncatedInstructions = "\n[The rest is left out: the model's context is too small.]"
const tooLongHint =
  'Send less at once (name files instead of pasting them), or give the model a larger context and set its size.'

/**
 * Keeps the requests of a conversation within the model's context window. Its decisions are stored in the items and never
 * undone: a request then starts with the same bytes as the one before, and servers can reuse what they computed.
 *
 * One function, because its steps share the window, the prompt form and the size counter, all of which change in between.
 */
export function createCompaction(deps: CompactionDeps): Compaction {
  const { transcript } = deps
  const size = createRequestSize(deps.tokens, deps.signal)
  let window = deps.contextWindow ?? assumedWindow
  let windowKnown = deps.contextWindow !== undefined
  let form = deps.form(deps.profileFor(window))
  let lastTotal = 0
  const limit = () => window - answerReserve(window)
  const threshold = () => Math.min(limit(), Math.floor(window * deps.compactAt))
  const sourced = () => sourcedMessages(form.system, transcript.items(), deps.withReasoning)
  const total = (messages = sourced()) => size.request(messages, form.tools)
  const measure = () => size.measure(sourced(), form.tools, window)

  /** Uses a smaller profile when the window requires it. A profile never grows within a turn, since that rewrites the prompt. */
  function fitProfile(): void {
    const wanted = deps.profileFor(window)
    if (promptProfiles.indexOf(wanted) > promptProfiles.indexOf(form.profile)) form = deps.form(wanted)
    const message = transcript.items().findLast((item) => item.kind === 'user')
    const needed = () =>
      size.text(form.system) + size.tools(form.tools) + size.text(message?.text ?? '') + minFreeTokens
    while (needed() > limit() && useSmallerProfile());
  }

  function useSmallerProfile(): boolean {
    const smaller = smallerProfile(form.profile)
    if (smaller) form = deps.form(smaller)
    return smaller !== undefined
  }

  function truncateInstructions(): void {
    const maxTokens = Math.floor(window * windowShares.instructions)
    for (const item of transcript.items()) {
      if (item.kind !== 'instructions' || item.text.endsWith(truncatedInstructions)) continue
      const tokens = size.text(item.text)
      if (tokens <= maxTokens) continue
      const text = item.text.slice(0, Math.floor(item.text.length * (maxTokens / tokens)))
      transcript.put({ ...item, text: text + truncatedInstructions })
    }
  }

  /** Adds the files that changed since the model read them to the newest item, which no request has carried yet. */
  async function addChangedFiles(): Promise<void> {
    const last = unsent(transcript.items()).findLast((item) => item.kind === 'tool' || item.kind === 'user')
    if (!last) return
    const changed = await changedSinceKnown(splitAtSummary(transcript.items()).rest, deps.changedAt)
    if (changed.length > 0) transcript.put({ ...last, changedFiles: [...(last.changedFiles ?? []), ...changed] })
  }

  function fitNewResults(maxTokens: number): void {
    for (const item of truncateNewResults(results(unsent(transcript.items())), maxTokens, size.text))
      transcript.put(item)
  }

  /** @param excess tokens to gain. @returns whether anything was truncated */
  async function truncateOldResults(excess: number): Promise<boolean> {
    const { rest } = splitAtSummary(transcript.items())
    const fresh = new Set(unsent(rest).map(({ id }) => id))
    const sent = results(rest).filter(({ id }) => !fresh.has(id))
    const lastAnswers = rest.filter((item) => item.kind === 'assistant').slice(-3)
    const lastIds = new Set(lastAnswers.map(({ id }) => id))
    const changed = truncateResults({
      results: sent,
      stale: await staleReads(rest, deps.changedAt),
      recent: new Set(sent.filter(({ assistantId }) => lastIds.has(assistantId)).map(({ id }) => id)),
      cost: size.text,
      excess,
    })
    for (const item of changed) transcript.put(item)
    return changed.length > 0
  }

  /**
   * @param tail tokens of the latest exchanges that stay unchanged
   * @param minCovered tokens that a summary must replace to be worth its request
   */
  async function summarise(tail: number, minCovered: number): Promise<SummaryItem | undefined> {
    const items = transcript.items()
    const { summary: earlier, rest } = splitAtSummary(items)
    const messages = sourced()
    const upTo = lastBeforeTail(rest, messages, size.message, tail)
    if (!upTo) return undefined
    const covered = rest.slice(0, rest.indexOf(upTo) + 1)
    // Only notices since the last summary.
    if (!covered.some(({ kind }) => kind === 'user' || kind === 'assistant')) return undefined
    const replaced = messages.filter(({ item }) => item !== undefined && covered.includes(item))
    if (size.messages(replaced) < minCovered) return undefined
    transcript.note('Summarising the conversation…')
    const before = earlier?.account ?? ''
    const answer = await deps.account(covered, before, maxSummaryAccount(window), window)
    const account = 'text' in answer ? answer.text : plainAccount(covered, before)
    transcript.note(undefined)
    const summarised = items.slice(0, items.findIndex(({ id }) => id === upTo.id) + 1)
    const item: SummaryItem = {
      id: deps.newId(),
      kind: 'summary',
      at: Date.now(),
      text: summaryText(summarised, account, maxQuotedMessages(window)),
      account,
      upTo: upTo.id,
      tokensBefore: total(messages),
      tokensAfter: 0,
      by: 'text' in answer ? 'model' : 'facts',
      ...('problem' in answer && { problem: answer.problem }),
    }
    const after = sourcedMessages(form.system, [...items, item], deps.withReasoning)
    const summary = { ...item, tokensAfter: total(after) }
    transcript.put(summary)
    return summary
  }

  /** Compacts the conversation when it reached the threshold. @returns the request's size, and what was rewritten */
  async function compactIfNeeded(): Promise<{ tokens: number; rewritten?: ContextUse['rewritten'] }> {
    const tokens = await measure()
    if (tokens <= threshold()) return { tokens }
    let rewritten: ContextUse['rewritten']
    if (await truncateOldResults(tokens - threshold() * compactionShares.target)) rewritten = 'shortened'
    // A summary that replaces little is worth it only when the request does not fit otherwise.
    const minCovered = total() > limit() ? 0 : window * windowShares.minSummarised
    const stillLarge = total() > threshold() * compactionShares.summarise
    if (stillLarge && (await summarise(Math.floor(window * windowShares.recentExchanges), minCovered)))
      rewritten = 'summarised'
    return { tokens: total(), ...(rewritten && { rewritten }) }
  }

  /** Leaves out what can be left out when a request still does not fit. @returns its size */
  function squeeze(tokens: number): number {
    let now = tokens
    if (now > limit()) {
      const newResults = results(unsent(transcript.items()))
      const others = now - newResults.reduce((sum, item) => sum + size.text(resultText(item)), 0)
      fitNewResults(Math.max(0, limit() - others))
      now = total()
    }
    if (now > limit()) {
      truncateInstructions()
      now = total()
    }
    while (now > limit() && useSmallerProfile()) now = total()
    return now
  }

  function toRequest(tokens: number, rewritten?: ContextUse['rewritten']): FittedRequest {
    return {
      messages: sourced().map(({ message }) => message),
      tools: form.tools,
      use: { ...use(tokens), ...(rewritten && { rewritten }) },
    }
  }

  return {
    async request() {
      if (!deps.enabled) return toRequest(await measure())
      await addChangedFiles()
      fitProfile()
      const newItems = Math.max(1, Math.min(2, unsent(transcript.items()).length))
      fitNewResults(Math.floor(window * windowShares.newResult) * newItems)
      const { tokens, rewritten } = await compactIfNeeded()
      lastTotal = squeeze(tokens)
      if (lastTotal > limit()) throw tooLong(lastTotal)
      return toRequest(lastTotal, rewritten)
    },
    compact: () => summarise(0, 0),
    refused({ excess }) {
      const reported = excess?.window
      if (reported === undefined) {
        window = Math.min(window, Math.floor(lastTotal * shareAfterRefusal))
        return
      }
      windowKnown = true
      window = Math.min(window, reported)
      // The request fits by our count, so the server counts more tokens than we do.
      if (lastTotal <= limit())
        size.correct(excess?.prompt ? Math.max(1.1, excess.prompt / lastTotal) : 1 / shareAfterRefusal)
    },
    form: () => form,
  }

  /** What fills a request of `tokens`. */
  function use(tokens: number): ContextUse {
    const messages = sourced()
    const sizeOf = (matches: (message: SourcedMessage) => boolean) => size.messages(messages.filter(matches))
    const system = sizeOf(({ message }) => message.role === 'system')
    const attached = messages.reduce((sum, { message, item }) => {
      const own = item?.kind === 'user' && item.attachments ? item.text : message.content
      return sum + Math.max(0, size.text(message.content) - size.text(own))
    }, 0)
    const files = attached + sizeOf(({ item }) => item?.kind === 'tool' && readPath(item) !== undefined)
    const toolTokens = size.tools(form.tools)
    return {
      window,
      assumed: !windowKnown,
      profile: form.profile,
      system,
      tools: toolTokens,
      files,
      conversation: Math.max(0, tokens - system - files - toolTokens),
      answer: answerReserve(window),
      compactAt: threshold(),
      exact: size.exact,
    }
  }

  function tooLong(needed: number): ModelError {
    const last = transcript.items().findLast((item) => item.kind === 'user')
    const message = last ? size.text(last.text) : 0
    const fixed = size.text(form.system) + size.tools(form.tools)
    const holds = `The model's context holds ${plural(window, 'token')}`
    let what = `${holds}. This request takes about ${formatNumber(needed)}, and nothing more can be left out.`
    if (fixed >= limit())
      what = `${holds}. Instructions and tools alone take about ${formatNumber(fixed)} in their smallest form.`
    else if (message > limit() - fixed)
      what = `${holds}. Instructions and tools take ${formatNumber(fixed)}, so your message of about ${formatNumber(message)} does not fit.`
    return new ModelError('context_exceeded', what, tooLongHint)
  }
}
