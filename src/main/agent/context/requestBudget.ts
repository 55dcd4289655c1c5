import type { ReasoningReplay } from '../../../shared/settings/settings.ts'
import {
  answerReserve,
  assumedWindow,
  minFreeTokens,
  shareAfterRefusal,
} from '../../../shared/agent/contextAllocation.ts'
import { promptProfiles, smallerProfile, type PromptProfile } from '../../../shared/agent/promptProfile.ts'
import type { ConversationItem, UserItem } from '../../../shared/agent/conversation.ts'
import type { ChatTool, ModelError } from '../../model/clients/modelClient.ts'
import type { TokenCounter } from '../../model/tokens/tokenCounter.ts'
import { withInstructions } from '../instructionInjection.ts'
import { sourcedMessages } from '../messages.ts'
import type { SourcedMessage } from '../sourcedMessage.ts'
import type { Transcript } from '../transcript.ts'
import { createRequestSize, type Correction, type RequestSize } from './requestSize.ts'

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
  form(profile: PromptProfile): ProfilePrompt
  /** Tokens, if known. */
  contextWindow: number | undefined
  /** Share of the context window at which compaction starts. */
  compactAt: number
  tokens: TokenCounter
  /** The reasoning that the model gets back. Default: none. */
  reasoning?: () => ReasoningReplay
  signal: AbortSignal
}

/** The size of the next request and its limits, in tokens. The limits shrink when a server rejects a request. */
export interface RequestBudget {
  readonly size: RequestSize
  /** Context size of the model. */
  readonly window: number
  /** Whether the context size is assumed, because neither the server nor the user named one. */
  readonly isAssumed: boolean
  readonly form: ProfilePrompt
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
  /** Selects a smaller profile if system prompt, tools and last message leave too little room. */
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

/** What the turns of a conversation learned. Forgetting it would rewrite the prompt at the start of each turn. */
interface Learned {
  /** The context size that was known, for which this holds. */
  known: number | undefined
  window: number
  isAssumed: boolean
  correction: Correction | undefined
  /** The profile for the window, and the one that fits the conversation. */
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
  let form = deps.form(known.profile)

  function remember(change: Partial<Learned>): void {
    learnedFor.set(transcript, Object.assign(known, change))
  }

  function usePrompt(profile: PromptProfile): void {
    form = deps.form(profile)
    remember({ profile })
  }

  const limit = () => window - answerReserve(window)
  const fixed = () => size.text(withInstructions(form.system, transcript.items())) + size.tools(form.tools)
  let last:
    | { system: string; items: readonly ConversationItem[]; replay: ReasoningReplay; messages: SourcedMessage[] }
    | undefined
  /** Building one request needs its messages several times. */
  function messages(added: readonly ConversationItem[] = []): readonly SourcedMessage[] {
    const { system } = form
    const items = [...transcript.items(), ...added]
    const replay = deps.reasoning?.() ?? 'none'
    if (last?.system === system && last.replay === replay && isUnchanged(last.items, items)) return last.messages
    last = { system, items, replay, messages: sourcedMessages(system, items, replay) }
    return last.messages
  }

  function useSmallerProfile(): boolean {
    const smaller = smallerProfile(form.profile)
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
    get form() {
      return form
    },
    limit,
    threshold: () => Math.min(limit(), Math.floor(window * deps.compactAt)),
    fixed,
    messages,
    total: (counted = messages()) => size.request(counted, form.tools),
    measure: () => size.measure(messages(), form.tools, window),
    fitProfile() {
      const wanted = deps.profileFor(window)
      // A profile does not grow within a conversation, because that would rewrite the prompt.
      if (promptProfiles.indexOf(wanted) > promptProfiles.indexOf(form.profile)) usePrompt(wanted)
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
