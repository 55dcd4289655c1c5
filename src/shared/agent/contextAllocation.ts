import type { ProfileChoice, PromptProfile } from './promptProfile.ts'

// All limits that depend on a model's context window are defined in this file.

/**
 * Context size in tokens if neither the server nor the user specifies it. Servers with smaller windows usually report
 * them.
 */
export const assumedWindow = 32_768

/**
 * Context size in tokens that Tizona requests from Ollama if none is configured. Ollama's own default (4,096 on most
 * machines) is too small for the tool descriptions. Ollama lowers the value to the model's maximum.
 */
export const ollamaWindow = 16_384
/** Smallest context size in tokens that Ollama uses by default. */
export const minOllamaWindow = 4096

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
 * Selects the profile of a conversation. Always a lean one: every token of the prompt delays the first answer, and the
 * model can look up the other tools.
 */
export function profileFor(contextWindow: number): PromptProfile {
  return subAgentProfileFor(contextWindow) === 'minimal' ? 'minimal' : 'compact'
}

/**
 * Selects the largest profile that leaves a sub-agent enough of the context window to work in. A sub-agent has fewer
 * tools and cannot look up others.
 */
export function subAgentProfileFor(contextWindow: number): PromptProfile {
  return subAgentLimits.find(({ below }) => contextWindow < below)?.profile ?? 'full'
}

/**
 * Resolves the prompt profile of a conversation.
 * @param own choice for this conversation, if any
 * @param general choice in the settings
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

export const contextShares = {
  /** Maximum for one new tool result. */
  newResult: 0.25,
  /** Smallest size to which a new tool result is truncated. */
  minNewResult: 0.12,
  /** Minimum that a summary must replace. After a smaller one, the next would soon follow. */
  minSummarized: 0.15,
  /** Maximum for workspace instructions when nothing else can be left out. */
  instructions: 0.2,
  /** Below this share, the size of a request is estimated instead of counted by the server. */
  estimated: 0.4,
} as const

/**
 * Shares of the space for the conversation: what the system prompt and the tools leave below the compaction threshold
 * (`Settings.compactAt`).
 */
export const compactionShares = {
  /** Size after a compaction. Small, because a compaction costs far more time than the requests it makes room for. */
  target: 0.3,
  /** If truncated results leave more than this, the conversation is summarized as well. */
  summarize: 0.45,
  /** Minimum that a compaction must free. With less, the next one would soon follow. */
  minFreed: 0.2,
  /** Latest exchanges that a summary does not replace. */
  recentExchanges: 0.2,
  /** Maximum share of the free room for one new tool result, so that the following ones fit too. */
  newResult: 0.5,
} as const

/**
 * Maximum size of the next request, relative to one that the server refused as too long without reporting its context
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
 * Maximum characters of each part of an inline edit's prompt. Assumes three characters per token and an answer that
 * repeats the selection, so that both fit even a small context window.
 */
export function inlineEditLimits(window: number = assumedWindow): {
  selection: number
  /** Text before and after the selection together. */
  surrounding: number
  /** Definitions of the names that these texts use. */
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

/** Maximum characters of an inline edit's answer: far more than an edit of these lines needs. */
export function maxInlineAnswer(selectionLength: number): number {
  return 40_000 + 4 * selectionLength
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, Math.floor(value)))
}
