import type { ProfileChoice, PromptProfile } from './promptProfile.ts'

// All limits that depend on a model's context window are defined in this file.

/**
 * Context size in tokens if neither the server nor the user specifies it. Servers with smaller windows usually report
 * them.
 */
export const assumedWindow = 32_768

/**
 * Context size in tokens that Tizona requests from Ollama if none is configured. Ollama's own default (4,096 on most
 * machines) is too small for the tool descriptions. Ollama reduces the value to what the model supports.
 */
export const ollamaWindow = 16_384
/** The smallest context size with which Ollama loads a model unless it is set, in tokens. */
export const smallestOllamaWindow = 4096

/** Context size of the tour's scripted model in tokens. */
export const tourWindow = 32_768

/** Context sizes below `below` tokens use this profile for a sub-agent; larger ones use the full profile. */
const subAgentLimits: readonly { below: number; profile: PromptProfile }[] = [
  { below: 6_000, profile: 'minimal' },
  { below: 12_000, profile: 'compact' },
  // Applies to `ollamaWindow`.
  { below: 24_000, profile: 'medium' },
]

/**
 * Selects the profile of a conversation: a lean one for every context size, because each token of the prompt delays the
 * first answer, and the model finds the other tools itself.
 */
export function profileFor(contextWindow: number): PromptProfile {
  return subAgentProfileFor(contextWindow) === 'minimal' ? 'minimal' : 'compact'
}

/**
 * Selects the largest profile that leaves enough of the context window for the work of a sub-agent, which has fewer
 * tools and cannot find others.
 */
export function subAgentProfileFor(contextWindow: number): PromptProfile {
  return subAgentLimits.find(({ below }) => contextWindow < below)?.profile ?? 'full'
}

/**
 * Resolves the prompt profile of a conversation.
 * @param own the choice for this conversation, if any
 * @param general the choice in the settings
 * @param automatic selects the profile if the user chose none
 */
export function promptProfile(
  own: ProfileChoice | undefined,
  general: ProfileChoice,
  contextWindow: number,
  automatic: (contextWindow: number) => PromptProfile = profileFor,
): PromptProfile {
  const choice = own ?? general
  return choice === 'auto' ? automatic(contextWindow) : choice
}

/** Tokens reserved for the answer: an eighth of the context window, between 256 and 4,096. */
export function answerReserve(window: number): number {
  return clamp(window / 8, 256, 4096)
}

/** Tokens that must stay free after the first message, so that the second request of the turn fits. */
export const firstTurnReserve = 2048

/** Tokens that must stay free beside instructions, tools and message. If they do not, a smaller profile is used. */
export const minFreeTokens = 512

/** Shares of the context window. */
export const contextShares = {
  /** Maximum for one new tool result. */
  newResult: 0.25,
  /** Size down to which a new tool result is always included. */
  minNewResult: 0.12,
  /** Minimum that a summary must replace. A smaller one would soon be followed by another. */
  minSummarized: 0.15,
  /** Maximum for workspace instructions if nothing else can be left out. */
  instructions: 0.2,
  /** Below this share, the size of a request is estimated instead of counted by the server. */
  estimated: 0.4,
} as const

/**
 * Shares of the room for the conversation: what system prompt and tools leave below the compaction threshold
 * (`Settings.compactAt`).
 */
export const compactionShares = {
  /** Size after a compaction. Small, because a compaction costs far more time than the requests that it makes room for. */
  target: 0.3,
  /** If truncated results leave more than this, the conversation is summarized as well. */
  summarize: 0.45,
  /** Minimum that must be free after a compaction. With less, the next one follows soon. */
  minFreed: 0.2,
  /** Latest exchanges that a summary does not replace. */
  recentExchanges: 0.2,
  /** Maximum of the free room that one new tool result takes, so that the following ones fit too. */
  newResult: 0.5,
} as const

/**
 * Maximum size of the next request relative to one that the server refused as too long without reporting its context
 * size.
 */
export const shareAfterRefusal = 0.5

/** Maximum tokens of the narrative in a summary (`SummaryItem.account`). */
export function maxSummaryNarrative(window: number): number {
  return Math.min(2000, Math.floor(window * 0.08))
}

/** Maximum characters that a summary quotes from the user's messages. */
export function maxQuotedMessages(window: number): number {
  return Math.floor(window * 0.15)
}

/** Maximum characters of instructions added to one request: about an eighth of the context window. */
export function maxInstructionCharacters(window: number = assumedWindow): number {
  return clamp(window * 0.5, 2_000, 32_000)
}

/** Maximum characters of all attachments of one message: about a third of the context window. */
export function maxAttachmentCharacters(window: number = assumedWindow): number {
  return clamp(window * 1.2, 4_000, 80_000)
}

/**
 * Maximum characters of an inline edit's parts. Assumes three characters per token, and that the answer repeats the
 * selection, so that both fit even a small context window.
 */
export function inlineEditLimits(window: number = assumedWindow): {
  /** The selected lines. */
  selection: number
  /** The text before and after them together. */
  surrounding: number
  /** Definitions of the names that they use. */
  definitions: number
  /** Instructions of the user and the folder. */
  instructions: number
  /** Earlier answers of the same edit together. */
  earlier: number
} {
  return {
    selection: Math.floor(window * 0.9),
    surrounding: clamp(window * 0.5, 600, 24_000),
    definitions: clamp(window * 0.15, 0, 6_000),
    instructions: clamp(window * 0.2, 0, 8_000),
    earlier: Math.floor(window * 0.6),
  }
}

/** Characters after which the answer of an inline edit is stopped: far more than an edit of these lines needs. */
export function maxInlineAnswer(selectionLength: number): number {
  return 40_000 + 4 * selectionLength
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, Math.floor(value)))
}
