import {
  answerReserve,
  assumedWindow,
  minFreeTokens,
  shareAfterRefusal,
  contextShares,
} from '../../../shared/agent/contextAllocation.ts'
import type { ConversationItem, UserItem } from '../../../shared/agent/conversation.ts'
import { promptProfiles, smallerProfile, type PromptProfile } from '../../../shared/agent/promptProfile.ts'
import type { ReasoningReplay } from '../../../shared/settings/settings.ts'
import { memoizeObjects } from '../../base/memoize.ts'
import type { ChatTool, ModelError, ChatMessage } from '../../model/modelClient.ts'
import type { TokenCounter } from '../../model/tokens/tokenCounter.ts'
import { toolsText } from '../../model/tokens/usage.ts'
import { withInstructions } from '../conversation/applicableInstructions.ts'
import type { SourcedMessage } from '../conversation/items.ts'
import { sourcedMessages } from '../conversation/messages.ts'
import type { Transcript } from '../conversation/transcript.ts'

/** System prompt and tools of one prompt profile. */
export interface ProfilePrompt {
  profile: PromptProfile
  system: string
  tools: ChatTool[]
}

export interface RequestBudgetDeps {
  transcript: Transcript
  /** Returns the prompt profile for a context size in tokens. */
  profileFor(window: number): PromptProfile
  promptFor(profile: PromptProfile): ProfilePrompt
  /** Tokens, if known. */
  contextWindow: number | undefined
  /** Share of the context window at which compaction starts. */
  compactAt: number
  tokens: TokenCounter
  /** The reasoning to send back to the model. Default: none. */
  reasoning?: () => ReasoningReplay
  signal: AbortSignal
}

/** The size of the next request and its limits, in tokens. The limits shrink when a server rejects a request. */
export interface RequestBudget {
  readonly size: RequestSize
  /** Context size of the model. */
  readonly window: number
  /** Whether the context size is a guess, because neither the server nor the user specified one. */
  readonly isAssumed: boolean
  readonly prompt: ProfilePrompt
  /** The maximum size of a request: the context size without the reserve for the answer. */
  limit(): number
  /** The size at which compaction starts. */
  threshold(): number
  /** Size of system prompt, instructions and tools, which every request contains. */
  fixed(): number
  /** Returns the messages of the next request, including items that are not in the transcript yet. */
  messages(added?: readonly ConversationItem[]): readonly SourcedMessage[]
  /** Estimates the size of the next request, or of one with these messages. */
  total(messages?: readonly SourcedMessage[]): number
  /** Counts the size of the next request (`RequestSize.measure`). */
  measure(): Promise<number>
  /** Selects a smaller profile if the system prompt, tools and last message leave too little room. */
  fitProfile(): void
  /** @returns false if there is no smaller profile */
  useSmallerProfile(): boolean
  /** Learns from the server's rejection of a request that was too long. @param total its size by our count */
  learnFromRefusal(refusal: ModelError, total: number): void
}

const isUserItem = (item: ConversationItem): item is UserItem => item.kind === 'user'

/** Whether items are the same. An answer that is still streamed changes without being replaced. */
function isUnchanged(before: readonly ConversationItem[], items: readonly ConversationItem[]): boolean {
  return (
    before.length === items.length &&
    items.every((item, at) => item === before[at] && !(item.kind === 'assistant' && item.state === 'streaming'))
  )
}

/** What earlier turns learned. Forgetting it would rewrite the prompt at the start of each turn. */
interface Learned {
  /** The context size that was known at that time. */
  known: number | undefined
  window: number
  isAssumed: boolean
  correction: Correction | undefined
  /** `wanted` suits the window, `profile` also the conversation. */
  wanted: PromptProfile
  profile: PromptProfile
}
const learnedFor = new WeakMap<Transcript, Learned>()

/** Returns what earlier turns learned, unless the user or the server has changed the context size since. */
function learned({ transcript, contextWindow, profileFor }: RequestBudgetDeps): Learned {
  const before = learnedFor.get(transcript)
  const kept = before?.known === contextWindow ? before : undefined
  const window = kept?.window ?? contextWindow ?? assumedWindow
  const wanted = profileFor(window)
  return {
    known: contextWindow,
    window,
    isAssumed: kept?.isAssumed ?? contextWindow === undefined,
    correction: kept?.correction,
    wanted,
    profile: kept?.wanted === wanted ? kept.profile : wanted,
  }
}

export function createRequestBudget(deps: RequestBudgetDeps): RequestBudget {
  const { transcript } = deps
  const known = learned(deps)
  const size = createRequestSize(deps.tokens, deps.signal, known.correction)
  let { window, isAssumed } = known
  let prompt = deps.promptFor(known.profile)

  function remember(change: Partial<Learned>): void {
    learnedFor.set(transcript, Object.assign(known, change))
  }

  function usePrompt(profile: PromptProfile): void {
    prompt = deps.promptFor(profile)
    remember({ profile })
  }

  const limit = () => window - answerReserve(window)
  const fixed = () => size.text(withInstructions(prompt.system, transcript.items())) + size.tools(prompt.tools)
  let last:
    | { system: string; items: readonly ConversationItem[]; replay: ReasoningReplay; messages: SourcedMessage[] }
    | undefined
  /** Building one request needs its messages several times. */
  function messages(added: readonly ConversationItem[] = []): readonly SourcedMessage[] {
    const { system } = prompt
    const items = [...transcript.items(), ...added]
    const replay = deps.reasoning?.() ?? 'none'
    if (last?.system === system && last.replay === replay && isUnchanged(last.items, items)) return last.messages
    last = { system, items, replay, messages: sourcedMessages(system, items, replay) }
    return last.messages
  }

  function useSmallerProfile(): boolean {
    const smaller = smallerProfile(prompt.profile)
    if (smaller) usePrompt(smaller)
    return smaller !== undefined
  }

  return {
    size,
    get window() {
      return window
    },
    get isAssumed() {
      return isAssumed
    },
    get prompt() {
      return prompt
    },
    limit,
    threshold: () => Math.min(limit(), Math.floor(window * deps.compactAt)),
    fixed,
    messages,
    total: (counted = messages()) => size.request(counted, prompt.tools),
    measure: () => size.measure(messages(), prompt.tools, window),
    fitProfile() {
      const wanted = deps.profileFor(window)
      // A profile does not grow within a conversation, because that would rewrite the prompt.
      if (promptProfiles.indexOf(wanted) > promptProfiles.indexOf(prompt.profile)) usePrompt(wanted)
      remember({ wanted })
      const items = transcript.items()
      // A later message does not select the profile, because a smaller one would rewrite the prompt.
      const first = items.some(({ kind }) => kind === 'assistant') ? undefined : items.findLast(isUserItem)
      const needed = () => fixed() + size.text(first?.text ?? '') + minFreeTokens
      while (needed() > limit() && useSmallerProfile());
    },
    useSmallerProfile,
    learnFromRefusal({ excess }, total) {
      const reported = excess?.window
      window = Math.min(window, reported ?? Math.floor(total * shareAfterRefusal))
      isAssumed &&= reported === undefined
      // The request fits by our count, so the server counts more tokens than we do.
      if (reported !== undefined && total <= limit())
        size.correct(excess?.prompt ? Math.max(1.1, excess.prompt / total) : 1 / shareAfterRefusal)
      remember({ window, isAssumed, correction: size.correction })
    },
  }
}

/** Estimated tokens of an image. The real number depends on the model. */
const imageTokens = 1000
/** Estimated tokens that a chat template adds to each message. */
const templateTokens = 8

/** Counts the tokens of requests. Estimates are corrected by the server's tokenizer and its rejections. */
interface RequestSize {
  /** Returns the tokens of a text. */
  text(text: string): number
  /** Returns the tokens of the tools. */
  tools(tools: readonly ChatTool[]): number
  message(message: SourcedMessage): number
  messages(messages: readonly SourcedMessage[]): number
  /** Returns the tokens of a whole request. */
  request(messages: readonly SourcedMessage[], tools: readonly ChatTool[]): number
  /**
   * Like `request`, but uses the server's tokenizer if the request fills much of the window, and corrects later
   * estimates.
   */
  measure(messages: readonly SourcedMessage[], tools: readonly ChatTool[], window: number): Promise<number>
  /** Multiplies all later counts, for a server that counted more tokens in a request than we did. */
  correct(factor: number): void
  /** All corrections together. */
  readonly correction: Correction
  /** Whether the server's tokenizer counts the tokens. */
  readonly exact: boolean
}

/** How far our counts were off, learned from a rejected request. */
interface Correction {
  factor: number
  /** The ratio of estimates (`TokenCounter.ratio`) that the factor multiplies. */
  ratio: number
}

/** @param correction the earlier corrections */
function createRequestSize(
  tokens: TokenCounter,
  signal: AbortSignal,
  correction: Correction = { factor: 1, ratio: tokens.ratio },
): RequestSize {
  /** The server's count divided by the estimate. */
  let scale = 1
  /** Whether `scale` is the result of a count, on which the ratio of estimates has no effect. */
  let isCounted = false
  /** Estimates also learn from the reports after a rejection, which must not be corrected twice. */
  const factor = () =>
    isCounted ? correction.factor : Math.max(1, (correction.factor * correction.ratio) / tokens.ratio)
  const size: RequestSize = {
    text: (text) => Math.ceil(tokens.estimate(text) * scale * factor()),
    tools: (tools) => size.text(toolsText(tools)),
    message: ({ message }) => size.text(messageText(message)) + fixedTokens([message]),
    messages: (messages) => messages.reduce((sum, message) => sum + size.message(message), 0),
    request: (messages, tools) => size.tools(tools) + size.messages(messages),
    async measure(messages, tools, window) {
      const texts = [...messages.map(({ message }) => messageText(message)), toolsText(tools)]
      const estimated = texts.reduce((sum, text) => sum + tokens.estimate(text), 0)
      const fixed = fixedTokens(messages.map(({ message }) => message))
      const isLarge = estimated > window * contextShares.estimated
      const request = { messages: messages.map(({ message }) => message), tools: [...tools] }
      const whole = isLarge ? await tokens.countRequest?.(request, estimated + fixed, signal) : undefined
      if (whole !== undefined) {
        isCounted = true
        scale = Math.max(1, whole - fixed) / Math.max(1, estimated)
        return Math.ceil(whole * factor())
      }
      const counted = isLarge ? await tokens.count(texts, signal) : estimated
      isCounted = isLarge && tokens.exact === true
      scale = counted / Math.max(1, estimated)
      return Math.ceil(counted * factor()) + fixed
    },
    correct(by) {
      correction = { factor: factor() * by, ratio: tokens.ratio }
    },
    get correction() {
      return correction
    },
    get exact() {
      return tokens.exact === true
    },
  }
  return size
}

/** Returns all text of a message, including reasoning and calls. */
const messageText = memoizeObjects((message: ChatMessage): string => {
  // Returns the same string, because its estimate is cached.
  if (message.role !== 'assistant') return message.content
  const calls = message.toolCalls ?? []
  const reasoning = message.reasoning ? [message.reasoning] : []
  return [message.content, ...reasoning, ...calls.map(({ name, arguments: args }) => `${name} ${args}`)].join('\n')
})

/** Returns the tokens of the chat template and of images. */
function fixedTokens(messages: readonly ChatMessage[]): number {
  const images = messages.reduce(
    (sum, message) => sum + (message.role === 'user' ? (message.images?.length ?? 0) : 0),
    0,
  )
  return messages.length * templateTokens + images * imageTokens
}
