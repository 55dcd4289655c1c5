import { answerReserve, assumedWindow, minFreeTokens, shareAfterRefusal } from '../../../shared/contextAllocation.ts'
import { promptProfiles, smallerProfile, type PromptProfile } from '../../../shared/promptProfile.ts'
import type { ChatTool, ModelError } from '../../model/clients/modelClient.ts'
import type { TokenCounter } from '../../model/tokens/tokenCounter.ts'
import { sourcedMessages } from '../messages.ts'
import type { SourcedMessage } from '../sourcedMessage.ts'
import type { Transcript } from '../transcript.ts'
import { createRequestSize, type RequestSize } from './requestSize.ts'

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
  /** Whether the model needs its earlier reasoning in the history. Default: false. */
  withReasoning?: boolean
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
  /** Returns the messages of the next request, including items that are not in the transcript yet. */
  messages(added?: Parameters<typeof sourcedMessages>[1]): SourcedMessage[]
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

export function createRequestBudget(deps: RequestBudgetDeps): RequestBudget {
  const { transcript } = deps
  const size = createRequestSize(deps.tokens, deps.signal)
  let window = deps.contextWindow ?? assumedWindow
  let isAssumed = deps.contextWindow === undefined
  let form = deps.form(deps.profileFor(window))

  const limit = () => window - answerReserve(window)
  const messages = (added: Parameters<typeof sourcedMessages>[1] = []) =>
    sourcedMessages(form.system, [...transcript.items(), ...added], deps.withReasoning)

  function useSmallerProfile(): boolean {
    const smaller = smallerProfile(form.profile)
    if (smaller) form = deps.form(smaller)
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
    messages,
    total: (counted = messages()) => size.request(counted, form.tools),
    measure: () => size.measure(messages(), form.tools, window),
    fitProfile() {
      const wanted = deps.profileFor(window)
      // A profile never grows within a turn, because that would rewrite the prompt.
      if (promptProfiles.indexOf(wanted) > promptProfiles.indexOf(form.profile)) form = deps.form(wanted)
      const message = transcript.items().findLast((item) => item.kind === 'user')
      const needed = () =>
        size.text(form.system) + size.tools(form.tools) + size.text(message?.text ?? '') + minFreeTokens
      while (needed() > limit() && useSmallerProfile());
    },
    useSmallerProfile,
    learnFromRefusal({ excess }, total) {
      const reported = excess?.window
      if (reported === undefined) {
        window = Math.min(window, Math.floor(total * shareAfterRefusal))
        return
      }
      isAssumed = false
      window = Math.min(window, reported)
      // The request fits by our count, so the server counts more tokens than we do.
      if (total <= limit()) size.correct(excess?.prompt ? Math.max(1.1, excess.prompt / total) : 1 / shareAfterRefusal)
    },
  }
}
