import type { ContextUse } from '../../../shared/context.ts'
import type { ConversationItem, SummaryItem } from '../../../shared/conversation.ts'
import type { PromptProfile } from '../../../shared/promptProfile.ts'
import { ModelError, type ChatMessage, type ChatTool } from '../../model/client.ts'
import type { TokenCounter } from '../../model/tokens.ts'
import type { Transcript } from '../loop.ts'
import { sourcedMessages, splitAtSummary, type SourcedMessage } from '../messages.ts'
import { resultText } from './resultText.ts'
import { fitNewResults, shortenResults } from './shorten.ts'
import { otherTokens, spoken } from './size.ts'
import { changedSinceKnown, readPath, staleReads, type ChangedAt } from './stale.ts'
import type { Account } from './summarise.ts'
import { plainAccount, summaryText } from './summary.ts'
import { lastBeforeTail, results, unsent } from './tail.ts'
import { answerRoom, assumedWindow } from './window.ts'

export interface BudgetParts {
  transcript: Transcript
  system: string
  tools: readonly ChatTool[]
  profile: PromptProfile
  /** Tokens, when known. */
  contextWindow: number | undefined
  /** Share of the window that is filled before the conversation is made shorter. */
  compactAt: number
  tokens: TokenCounter
  /** The model wants what it thought between calls back. Default: no. */
  withReasoning?: boolean
  changedAt: ChangedAt
  /** Asks a model what happened. */
  account(items: readonly ConversationItem[], before: string, room: number): Promise<Account>
  /** Off: everything is sent as it is. */
  enabled: boolean
  newId(): string
  signal: AbortSignal
}

export interface FittedRequest {
  messages: ChatMessage[]
  use: ContextUse
}

export interface Budget {
  /** The next request, made to fit. @throws ModelError `context_exceeded` when not even its last message fits */
  request(): Promise<FittedRequest>
  /** Summarises all that was said. @returns nothing where there is nothing to sum up */
  compact(): Promise<SummaryItem | undefined>
  /** The server refused the last request as too long: the next ones are smaller. @param said its words, which may name its window */
  refused(said: string): void
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

/** The window as servers name it when they refuse: "n_ctx = 4096", "context size (8192 tokens)", "maximum context length is 4096". */
const namedWindow = /(?:n_ctx|context (?:size|length|window))\D{0,16}(\d{3,7})/i
const remedy = 'Send less at once (name files instead of pasting them), choose a smaller prompt profile, or give the model a larger window.'

/**
 * Keeps the requests of a conversation within the model's window. What it decides is written into the items and never taken back,
 * so that a request begins as the one before it but for the few where it had to make room.
 */
export function createBudget(parts: BudgetParts): Budget {
  const { transcript, tokens } = parts
  let window = parts.contextWindow ?? assumedWindow
  let lastTotal = 0
  /** What the server's tokenizer says over what the estimate says. */
  let scale = 1
  const cost = (text: string) => Math.ceil(tokens.estimate(text) * scale)
  const toolsText = parts.tools.length > 0 ? JSON.stringify(parts.tools) : ''
  const limit = () => window - answerRoom(window)
  const trigger = () => Math.min(limit(), Math.floor(window * parts.compactAt))
  const sourced = () => sourcedMessages(parts.system, transcript.items(), parts.withReasoning)

  const costOf = ({ message }: SourcedMessage) => cost(spoken(message)) + otherTokens([message])
  const size = (messages: readonly SourcedMessage[]) => messages.reduce((sum, message) => sum + costOf(message), 0)
  const total = (messages: readonly SourcedMessage[]) => cost(toolsText) + size(messages)

  async function measure(messages: readonly SourcedMessage[]): Promise<number> {
    const texts = [...messages.map(({ message }) => spoken(message)), toolsText]
    const estimated = texts.reduce((sum, text) => sum + tokens.estimate(text), 0)
    // A server is asked only when it matters.
    const counted = estimated > window * 0.4 ? await tokens.count(texts, parts.signal) : estimated
    scale = counted / Math.max(1, estimated)
    return counted + otherTokens(messages.map(({ message }) => message))
  }

  /** Tells what changed since it was read, below what no request has carried yet. */
  async function tellChanges(): Promise<void> {
    const last = unsent(transcript.items()).findLast((item) => item.kind === 'tool' || item.kind === 'user')
    if (!last) return
    const changed = await changedSinceKnown(splitAtSummary(transcript.items()).rest, parts.changedAt)
    if (changed.length > 0) transcript.put({ ...last, changedFiles: [...(last.changedFiles ?? []), ...changed] })
  }

  function fitNew(room: number): void {
    for (const item of fitNewResults(results(unsent(transcript.items())), room, cost)) transcript.put(item)
  }

  async function shorten(excess: number): Promise<boolean> {
    const { rest } = splitAtSummary(transcript.items())
    const fresh = new Set(unsent(rest).map(({ id }) => id))
    const sent = results(rest).filter(({ id }) => !fresh.has(id))
    const lastSent = new Set(rest.filter((item) => item.kind === 'assistant').slice(-3).map(({ id }) => id))
    const recent = new Set(sent.filter(({ assistantId }) => lastSent.has(assistantId)).map(({ id }) => id))
    const changed = shortenResults({ results: sent, stale: await staleReads(rest, parts.changedAt), recent, cost, excess })
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
    const asked = await parts.account(covered, earlier?.account ?? '', room)
    const account = 'text' in asked ? asked.text : plainAccount(covered, earlier?.account ?? '')
    transcript.note(undefined)
    const text = summaryText(items.slice(0, items.findIndex(({ id }) => id === upTo.id) + 1), account, Math.floor(window * messagesRoom))
    const item: SummaryItem = {
      id: parts.newId(), kind: 'summary', at: Date.now(), text, account, upTo: upTo.id, tokensBefore: total(messages), tokensAfter: 0,
      by: 'text' in asked ? 'model' : 'facts', ...('problem' in asked && { problem: asked.problem }),
    }
    const tokensAfter = total(sourcedMessages(parts.system, [...items, item], parts.withReasoning))
    const made = { ...item, tokensAfter }
    transcript.put(made)
    return made
  }

  return {
    async request() {
      if (!parts.enabled) return { messages: sourced().map(({ message }) => message), use: use(await measure(sourced())) }
      await tellChanges()
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
      lastTotal = now
      if (now > limit()) throw tooLong(now)
      return { messages: sourced().map(({ message }) => message), use: { ...use(now), ...(rewritten && { rewritten }) } }
    },
    compact: () => compact(0, 0),
    refused(said) {
      window = Math.min(window, Math.floor(lastTotal * 0.7), Number(namedWindow.exec(said)?.[1] ?? Infinity))
    },
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
    const toolTokens = cost(toolsText)
    return {
      window, assumed: parts.contextWindow === undefined, profile: parts.profile, system, tools: toolTokens, files,
      conversation: Math.max(0, counted - system - files - toolTokens),
      answer: answerRoom(window), compactAt: trigger(), exact: tokens.exact === true,
    }
  }

  function tooLong(needed: number): ModelError {
    const number = (value: number) => value.toLocaleString('en-US')
    const last = transcript.items().findLast((item) => item.kind === 'user')
    const message = last ? cost(last.text) : 0
    const fixed = cost(parts.system) + cost(toolsText)
    const what = message > limit() - fixed
      ? `Your message takes about ${number(message)} tokens; beside instructions and tools (${number(fixed)}) the model's window of ` +
        `${number(window)} has room for ${number(Math.max(0, limit() - fixed))}.`
      : `This request would take about ${number(needed)} tokens of the model's window of ${number(window)}, and nothing more can be left out.`
    return new ModelError('context_exceeded', what, remedy)
  }
}
