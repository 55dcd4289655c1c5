import type { ProfileChoice, PromptProfile } from './promptProfile.ts'

// The only home of numbers about a model's context window: what is assumed, requested, reserved and allowed to fill it.

/** Tokens assumed when neither the server nor the user names the context size. Servers with smaller windows usually name them. */
export const assumedWindow = 32_768

/**
 * Tokens requested from Ollama when neither the request nor the endpoint names a context size. Ollama's own default
 * (4,096 on most machines) does not hold the tools' descriptions. Ollama reduces the value to what the model supports.
 */
export const ollamaWindow = 16_384

/** Tokens of the tour's scripted model. */
export const tourWindow = 32_768

/** Context sizes below `below` tokens use this profile; larger ones use the full profile. */
const profileLimits: readonly { below: number; profile: PromptProfile }[] = [
  { below: 6_000, profile: 'minimal' },
  { below: 12_000, profile: 'compact' },
  // Includes the window requested from Ollama.
  { below: 24_000, profile: 'medium' },
]

/** The profile that leaves enough of a context window for work. */
export function profileFor(contextWindow: number): PromptProfile {
  return profileLimits.find(({ below }) => contextWindow < below)?.profile ?? 'full'
}

/**
 * The profile of a conversation's requests.
 * @param own the conversation's choice, if any
 * @param general the choice in the settings
 */
export function promptProfile(
  own: ProfileChoice | undefined,
  general: ProfileChoice,
  contextWindow: number,
): PromptProfile {
  const choice = own ?? general
  return choice === 'auto' ? profileFor(contextWindow) : choice
}

/** Tokens reserved for the answer: an eighth of the window, since small models answer briefly. */
export function answerReserve(window: number): number {
  return clamp(window / 8, 256, 4096)
}

/** Tokens that must stay free after the first message. Without them the second request of a turn does not fit. */
export const firstTurnReserve = 2048

/** Tokens that must stay free beside instructions, tools and message; otherwise a smaller profile is used. */
export const minFreeTokens = 512

/** Shares of the context window. */
export const windowShares = {
  /** One new tool result, so that a second one fits beside it. */
  newResult: 0.25,
  /** The latest exchanges, which a summary leaves unchanged. */
  recentExchanges: 0.15,
  /** The smallest part of a conversation worth a summary; less would soon need the next one. */
  minSummarised: 0.15,
  /** Workspace instructions, when nothing else can be left out. */
  instructions: 0.2,
  /** Below this, an estimate of the request's size is enough and the server's tokenizer is not called. */
  estimated: 0.4,
} as const

/** Shares of the size at which compaction starts (`Settings.compactAt`). */
export const compactionShares = {
  /** Truncation of results aims at this, so that it happens rarely and in bulk. */
  target: 0.65,
  /** If truncation leaves more than this, the conversation is summarised as well. */
  summarise: 0.85,
} as const

/** Share of a request that the next one may take when the server refused it as too long without naming its context size. */
export const shareAfterRefusal = 0.5

/** Maximum tokens of the account in a summary. */
export function maxSummaryAccount(window: number): number {
  return Math.min(2000, Math.floor(window * 0.08))
}

/** Maximum characters of the user's own messages quoted in a summary. */
export function maxQuotedMessages(window: number): number {
  return Math.floor(window * 0.15)
}

/** Maximum characters of instructions added at once: about an eighth of the window. */
export function maxInstructions(window: number = assumedWindow): number {
  return clamp(window * 0.5, 2_000, 32_000)
}

/** Maximum characters of everything that one message mentions: about a third of the window. */
export function maxMentioned(window: number = assumedWindow): number {
  return clamp(window * 1.2, 4_000, 80_000)
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, Math.floor(value)))
}
