import type { ChatRequest } from '../modelClient.ts'
import { estimateTokens, toolsText } from './usage.ts'

/** The size of a request in tokens, as estimated and as reported by the server. */
export interface PromptCount {
  messages: number
  /** Size of the tools' schemas as JSON. Some chat templates format them in less than half the size. */
  tools: number
  /** Relative error by which the estimates may be too high. */
  error: number
  /** Tokens of the whole prompt, including the cached part. */
  reported: number
  /** The context size that the server reports or that was requested. */
  window?: number
  /** Whether the count may omit cached tokens, as in older versions of Ollama. */
  hidesCached: boolean
}

/** A prompt that the server silently truncated. Both counts are in tokens. */
export interface PromptTruncation {
  sent: number
  read: number
}

/** In shorter prompts, the tokens that the chat template adds are a large part. */
const minMessages = 2000
/** Minimum growth of a conversation that the reported count must follow. */
const minGrowth = 800
/** Minimum size of the tools in the prompt, relative to their JSON. */
const toolsShare = 0.4

/**
 * Detects a prompt that the server truncated silently, as Ollama does from the front, with HTTP 200. A prompt was
 * truncated if
 * - the request exceeds the context size by more than the error, but the server answered it;
 * - the count equals the context size and more was sent, since a prompt that fits leaves room for the answer;
 * - the count is below the messages alone by more than the error;
 * - the conversation grew and the count did not (which requires neither a context size nor an exact estimate).
 * A small count proves nothing if it may omit cached tokens.
 * @param before the previous request of the same conversation
 */
export function detectPromptTruncation(now: PromptCount, before?: PromptCount): PromptTruncation | undefined {
  const { messages, tools, error, reported, window, hidesCached } = now
  if (reported <= 0) return undefined
  const least = (messages + tools * toolsShare) * (1 - error)
  const tooLarge = window !== undefined && least > window && reported <= window
  const full = window !== undefined && reported <= window && window - reported <= 8 && messages + tools > reported
  const tooSmall = !hidesCached && messages >= minMessages && reported < messages * (1 - error)
  if (tooLarge || full || tooSmall || doesNotFollow(now, before))
    return { sent: Math.max(messages + tools, reported), read: reported }
  return undefined
}

function doesNotFollow(now: PromptCount, before: PromptCount | undefined): boolean {
  if (!before || now.tools !== before.tools) return false
  const grew = now.messages - before.messages
  if (grew < minGrowth || now.reported - before.reported > grew * 0.3) return false
  // If cached tokens are missing, the count drops by far more than after truncation.
  return !now.hidesCached || now.reported > before.reported / 2
}

/** Smaller tools are within the error of the estimate. */
const minTools = 150
/** Maximum size of missing tools, relative to their JSON, with which a count is still plausible. */
const minToolsShare = 0.3

/**
 * Whether the count of a prompt leaves no room for the tools of the request, so that the server may have dropped them.
 * An error of the estimate can have the same effect.
 */
export function mayLackTools({
  messages,
  tools,
  reported,
}: Pick<PromptCount, 'messages' | 'tools' | 'reported'>): boolean {
  return tools >= minTools && reported < messages + tools * minToolsShare
}

/** The estimated size of a request. Tokens. */
export interface RequestSize extends Pick<PromptCount, 'messages' | 'tools'> {
  /** The reasoning, which some servers leave out of the prompt. */
  reasoning: number
}

/** Estimates the size of a request, without the few tokens that a template adds to each message. */
export function sizeOf({ messages, tools }: Pick<ChatRequest, 'messages' | 'tools'>): RequestSize {
  let sum = 0
  let reasoning = 0
  for (const message of messages) {
    sum += estimateTokens(message.content)
    if (message.role !== 'assistant') continue
    reasoning += estimateTokens(message.reasoning ?? '')
    for (const call of message.toolCalls ?? []) sum += estimateTokens(call.name + call.arguments)
  }
  return { messages: sum, tools: estimateTokens(toolsText(tools)), reasoning }
}
