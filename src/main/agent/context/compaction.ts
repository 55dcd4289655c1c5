import type { ContextUse } from '../../../shared/contextUse.ts'
import type { ConversationItem, SummaryItem } from '../../../shared/conversation.ts'
import { promptProfiles, smallerProfile, type PromptProfile } from '../../../shared/promptProfile.ts'
import { formatNumber } from '../../../shared/formatNumber.ts'
import { plural } from '../../../shared/plural.ts'
import { ModelError, type ChatMessage, type ChatTool } from '../../model/clients/modelClient.ts'
import type { TokenCounter } from '../../model/tokens/tokenCounter.ts'
import type { Transcript } from '../transcript.ts'
import type { SourcedMessage } from '../sourcedMessage.ts'
import { sourcedMessages, splitAtSummary } from '../messages.ts'
import { resultText } from './resultText.ts'
import { fitNewResults, shortenResults } from './truncateResults.ts'
import { otherTokens, spoken } from './messageSize.ts'
import { changedSinceKnown, readPath, staleReads, type ChangedAt } from './staleReads.ts'
import type { Account } from './summaryRequest.ts'
import { plainAccount, summaryText } from './summaryText.ts'
import { lastBeforeTail, results, unsent } from './conversationTail.ts'
import { answerRoom, assumedWindow } from './contextAllocation.ts'

/** Instructions and tools of one prompt profile. */
export interface PromptForm {
  profile: PromptProfile
  system: string
  tools: ChatTool[]
}

export interface CompactionDeps {
  transcript: Transcript
  /** The profile for a context of so many tokens: the one that the user chose, or the one that fits. */
  profileFor(window: number): PromptProfile
  form(profile: PromptProfile): PromptForm
  /** Tokens, when known. */
  contextWindow: number | undefined
  /** Share of the window that is filled before the conversation is made shorter. */
  compactAt: number
  tokens: TokenCounter
  /** The model wants what it thought between calls back. Default: no. */
  withReasoning?: boolean
  changedAt: ChangedAt
  /** Asks a model what happened. */
  account(items: readonly ConversationItem[], before: string, room: number, window: number): Promise<Account>
  /** Off: everything is sent as it is. */
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
  /** The next request, made to fit. @throws ModelError `context_exceeded` when not even its last message fits */
  request(): Promise<FittedRequest>
  /** Summarises all that was said. @returns nothing where there is nothing to sum up */
  compact(): Promise<SummaryItem | undefined>
  /** The server refused the last request as too long: the next ones are smaller. */
  refused(refusal: ModelError): void
  /** Instructions and tools as the next request sends them. */
  form(): PromptForm
}

/** One new result may take this share of the window, so that another one fits beside it. */
const resultShare = 0.25
/** The latest exchange is kept as it is up to this share of the window when the rest is summed up. */
const tailShare = 0.15
/** Tokens of a summary's account, as a share of the window; characters of it for the user's own words. */
const accountShare = 0.08
const messagesRoom = 0.15
/** Shortening aims below the limit by this much, so that it happens rarely and in bulk. */
const shortenTo = 0.65
/** Where shortening leaves more than this share of the limit, the next request would be at it again: a summary is made. */
const enough = 0.85
/** A summary that stands for less than this share of the window would only make the next one necessary. */
const worthSummary = 0.15

/** Of a refused request that names no number, the next one takes at most this part. */
const afterRefusal = 0.5
/** Beside instructions and tools there is room for this, or a smaller profile is used, whichever was chosen. Tokens. */
const leastRoom = 512
/** Instructions of the workspace take this share of a small window when nothing else can be left out. */
const instructionsShare = 0.2
const cutInstructions = "\n[The rest is left out: the model's context is too small.]"
const remedy =
  'Send less at once (name files instead of pasting them), or give the model a larger context and set its size.'

/**
 * Keeps the requests of a conversation within the model's window. What it decides is written into the items and never taken back,
 * so that a request begins as the one before it but for the few where it had to make room.
 */
export function createCompaction(deps: CompactionDeps): Compaction {
  const { transcript, tokens } = deps
  let window = deps.contextWindow ?? assumedWindow
  let windowKnown = deps.contextWindow !== undefined
  let form = deps.form(deps.profileFor(window))
  let lastTotal = 0
  /** What the server's tokenizer says over what the estimate says. */
  let scale = 1
  /** What refusals proved: the server counts more than its tokenizer or the estimate says. */
  let correction = 1
  const cost = (text: string) => Math.ceil(tokens.estimate(text) * scale * correction)
  const toolsText = () => (form.tools.length > 0 ? JSON.stringify(form.tools) : '')
  const limit = () => window - answerRoom(window)
  const trigger = () => Math.min(limit(), Math.floor(window * deps.compactAt))
  const sourced = () => sourcedMessages(form.system, transcript.items(), deps.withReasoning)

  const costOf = ({ message }: SourcedMessage) => cost(spoken(message)) + otherTokens([message])
  const size = (messages: readonly SourcedMessage[]) => messages.reduce((sum, message) => sum + costOf(message), 0)
  const total = (messages: readonly SourcedMessage[]) => cost(toolsText()) + size(messages)

  async function measure(messages: readonly SourcedMessage[]): Promise<number> {
    const texts = [...messages.map(({ message }) => spoken(message)), toolsText()]
    const estimated = texts.reduce((sum, text) => sum + tokens.estimate(text), 0)
    // A server is asked only when it matters.
    const counted = estimated > window * 0.4 ? await tokens.count(texts, deps.signal) : estimated
    scale = counted / Math.max(1, estimated)
    return Math.ceil(counted * correction) + otherTokens(messages.map(({ message }) => message))
  }

  /** Uses smaller instructions and fewer tools where the window asks for them. A profile never grows within a turn: that would rewrite the prompt. */
  function fitProfile(): void {
    const wanted = deps.profileFor(window)
    if (promptProfiles.indexOf(wanted) > promptProfiles.indexOf(form.profile)) form = deps.form(wanted)
    const message = transcript.items().findLast((item) => item.kind === 'user')
    while (
      cost(form.system) + cost(toolsText()) + cost(message?.text ?? '') + leastRoom > limit() &&
      useSmallerProfile()
    );
  }

  function useSmallerProfile(): boolean {
    const smaller = smallerProfile(form.profile)
    if (smaller) form = deps.form(smaller)
    return smaller !== undefined
  }

  /** Cuts what the workspace tells a model that has no room for it. */
  function cutToldInstructions(): void {
    const room = Math.floor(window * instructionsShare)
    for (const item of transcript.items()) {
      if (item.kind !== 'instructions' || cost(item.text) <= room || item.text.endsWith(cutInstructions)) continue
      transcript.put({
        ...item,
        text: item.text.slice(0, Math.floor(item.text.length * (room / cost(item.text)))) + cutInstructions,
      })
    }
  }

  /** Tells what changed since it was read, below what no request has carried yet. */
  async function tellChanges(): Promise<void> {
    const last = unsent(transcript.items()).findLast((item) => item.kind === 'tool' || item.kind === 'user')
    if (!last) return
    const changed = await changedSinceKnown(splitAtSummary(transcript.items()).rest, deps.changedAt)
    if (changed.length > 0) transcript.put({ ...last, changedFiles: [...(last.changedFiles ?? []), ...changed] })
  }

  function fitNew(room: number): void {
    for (const item of fitNewResults(results(unsent(transcript.items())), room, cost)) transcript.put(item)
  }

  async function shorten(excess: number): Promise<boolean> {
    const { rest } = splitAtSummary(transcript.items())
    const fresh = new Set(unsent(rest).map(({ id }) => id))
    const sent = results(rest).filter(({ id }) => !fresh.has(id))
    const lastSent = new Set(
      rest
        .filter((item) => item.kind === 'assistant')
        .slice(-3)
        .map(({ id }) => id),
    )
    const recent = new Set(sent.filter(({ assistantId }) => lastSent.has(assistantId)).map(({ id }) => id))
    const changed = shortenResults({
      results: sent,
      stale: await staleReads(rest, deps.changedAt),
      recent,
      cost,
      excess,
    })
    for (const item of changed) transcript.put(item)
    return changed.length > 0
  }

  /**
   * @param tail tokens of the latest exchanges that stay as they are
   * @param least tokens that a summary must stand for to be worth its request
   */
  async function compact(tail: number, least: number): Promise<SummaryItem | undefined> {
    const items = transcript.items()
    const { summary: earlier, rest } = splitAtSummary(items)
    const messages = sourced()
    const upTo = lastBeforeTail(rest, messages, costOf, tail)
    if (!upTo) return undefined
    const covered = rest.slice(0, rest.indexOf(upTo) + 1)
    // Nothing was said since the last summary: only that, and notices, stand there.
    if (!covered.some(({ kind }) => kind === 'user' || kind === 'assistant')) return undefined
    if (size(messages.filter(({ item }) => item !== undefined && covered.includes(item))) < least) return undefined
    transcript.note('Summarising the conversation…')
    const room = Math.min(2000, Math.floor(window * accountShare))
    const asked = await deps.account(covered, earlier?.account ?? '', room, window)
    const account = 'text' in asked ? asked.text : plainAccount(covered, earlier?.account ?? '')
    transcript.note(undefined)
    const text = summaryText(
      items.slice(0, items.findIndex(({ id }) => id === upTo.id) + 1),
      account,
      Math.floor(window * messagesRoom),
    )
    const item: SummaryItem = {
      id: deps.newId(),
      kind: 'summary',
      at: Date.now(),
      text,
      account,
      upTo: upTo.id,
      tokensBefore: total(messages),
      tokensAfter: 0,
      by: 'text' in asked ? 'model' : 'facts',
      ...('problem' in asked && { problem: asked.problem }),
    }
    const tokensAfter = total(sourcedMessages(form.system, [...items, item], deps.withReasoning))
    const made = { ...item, tokensAfter }
    transcript.put(made)
    return made
  }

  return {
    async request() {
      if (!deps.enabled)
        return {
          messages: sourced().map(({ message }) => message),
          tools: form.tools,
          use: use(await measure(sourced())),
        }
      await tellChanges()
      fitProfile()
      fitNew(Math.floor(window * resultShare) * Math.max(1, Math.min(2, unsent(transcript.items()).length)))
      let rewritten: ContextUse['rewritten']
      let now = await measure(sourced())
      if (now > trigger()) {
        if (await shorten(now - trigger() * shortenTo)) rewritten = 'shortened'
        now = total(sourced())
        // Where little would be gained there is room enough as long as the request fits at all.
        const least = now > limit() ? 0 : window * worthSummary
        if (now > trigger() * enough && (await compact(Math.floor(window * tailShare), least))) rewritten = 'summarised'
        now = total(sourced())
      }
      if (now > limit()) {
        const others = now - results(unsent(transcript.items())).reduce((sum, item) => sum + cost(resultText(item)), 0)
        fitNew(Math.max(0, limit() - others))
        now = total(sourced())
      }
      if (now > limit()) {
        cutToldInstructions()
        now = total(sourced())
      }
      while (now > limit() && useSmallerProfile()) now = total(sourced())
      lastTotal = now
      if (now > limit()) throw tooLong(now)
      return {
        messages: sourced().map(({ message }) => message),
        tools: form.tools,
        use: { ...use(now), ...(rewritten && { rewritten }) },
      }
    },
    compact: () => compact(0, 0),
    refused({ excess }) {
      const named = excess?.window
      if (named === undefined) {
        window = Math.min(window, Math.floor(lastTotal * afterRefusal))
        return
      }
      windowKnown = true
      window = Math.min(window, named)
      // By our count it would have fitted: the server counts more tokens than we do.
      if (lastTotal <= limit())
        correction *= excess?.prompt ? Math.max(1.1, excess.prompt / lastTotal) : 1 / afterRefusal
    },
    form: () => form,
  }

  /** The shares of a request; `counted` are its tokens in all. */
  function use(counted: number): ContextUse {
    const messages = sourced()
    const share = (fits: (message: SourcedMessage) => boolean) => size(messages.filter(fits))
    const system = share(({ message }) => message.role === 'system')
    const attached = messages.reduce((sum, { message, item }) => {
      const own = item?.kind === 'user' && item.attachments ? item.text : message.content
      return sum + Math.max(0, cost(message.content) - cost(own))
    }, 0)
    const files = attached + share(({ item }) => item?.kind === 'tool' && readPath(item) !== undefined)
    const toolTokens = cost(toolsText())
    return {
      window,
      assumed: !windowKnown,
      profile: form.profile,
      system,
      tools: toolTokens,
      files,
      conversation: Math.max(0, counted - system - files - toolTokens),
      answer: answerRoom(window),
      compactAt: trigger(),
      exact: tokens.exact === true,
    }
  }

  function tooLong(needed: number): ModelError {
    const last = transcript.items().findLast((item) => item.kind === 'user')
    const message = last ? cost(last.text) : 0
    const fixed = cost(form.system) + cost(toolsText())
    const holds = `The model's context holds ${plural(window, 'token')}`
    let what = `${holds}. This request takes about ${formatNumber(needed)}, and nothing more can be left out.`
    if (fixed >= limit())
      what = `${holds}. Instructions and tools alone take about ${formatNumber(fixed)} in their smallest form.`
    else if (message > limit() - fixed)
      what = `${holds}. Beside instructions and tools (${formatNumber(fixed)}) your message of about ${formatNumber(message)} does not fit.`
    return new ModelError('context_exceeded', what, remedy)
  }
}
