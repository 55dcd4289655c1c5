import { createHash } from 'node:crypto'
import { ModelError, type ChatRequest, type ModelClient, type ModelEvent } from '../modelClient.ts'
import { detectPromptTruncation, sizeOf, type PromptCount, type RequestSize } from './promptTruncationDetection.ts'
import type { TokenCounter } from './tokenCounter.ts'

export interface PromptTruncationWatchDeps {
  tokens: TokenCounter
  /** Context size in tokens. Called after an answer has begun, when the model is certainly loaded. */
  contextSize(signal: AbortSignal): Promise<number | undefined>
  /** Whether the server may omit cached tokens from its count, like older versions of Ollama. */
  hidesCached: boolean
  /** Called if the server reports the context size in an error. Tokens. */
  onReportedContextSize(size: number): void
  /** Returns the warning to show. All sizes are in tokens. */
  warning(counts: { sent: number; read: number; window?: number }): string
  /** `false` disables detection. The token counter still learns. */
  detect: boolean
}

/** The uncorrected estimate of a request, and the reported count. Tokens. */
type Size = RequestSize & Pick<PromptCount, 'reported'>

/** A size whose estimates were corrected by reported counts. */
type CorrectedSize = PromptCount & Pick<Size, 'reasoning'>

/** Relative error of an estimate before and after it was corrected by reported counts. */
const unlearnedError = 0.4
const learnedError = 0.25
const maxConversations = 64

/**
 * Compares the prompt tokens that a server reports with what was sent. One instance serves all conversations of a
 * model.
 */
export function createPromptTruncationWatch(deps: PromptTruncationWatchDeps): (client: ModelClient) => ModelClient {
  const { tokens } = deps
  /** The latest count of each conversation, by `conversationKey`. */
  const latest = new Map<string, Size>()

  /** @returns the event about a prompt that was truncated */
  const checkCount = (
    request: ChatRequest,
    reported: number,
    window: number | undefined,
  ): Extract<ModelEvent, { kind: 'promptCut' }> | undefined => {
    // Stores the raw estimate and applies the current correction, so that both counts of a conversation use the same
    // scale.
    const corrected = (size: Size, ratio: number): CorrectedSize => ({
      messages: size.messages * ratio,
      tools: size.tools * ratio,
      reasoning: size.reasoning * ratio,
      error: tokens.learned ? learnedError : unlearnedError,
      reported: size.reported,
      hidesCached: deps.hidesCached,
      ...(window !== undefined && { window }),
    })
    const size = { ...sizeOf(request), reported }
    const key = conversationKey(request)
    const last = latest.get(key)
    // More tokens than estimated say nothing about other text: many tokenizers make each digit a token.
    const cautious = Math.min(tokens.ratio, 1)
    const truncation = detectPromptTruncation(corrected(size, cautious), last && corrected(last, cautious))
    // Moves the entry to the end: the first entry is the least recently used.
    latest.delete(key)
    latest.set(key, size)
    const oldest = latest.keys().next()
    if (latest.size > maxConversations && !oldest.done) latest.delete(oldest.value)

    if (truncation) {
      if (!deps.detect) return undefined
      const { read } = truncation
      const text = deps.warning({ sent: Math.round(truncation.sent), read, ...(window !== undefined && { window }) })
      // A count that drops may lack cached tokens, so it says nothing about the size.
      const isSize = window === undefined && read >= minWindow && read >= (last?.reported ?? 0) * 0.9
      if (isSize) deps.onReportedContextSize(roundedWindow(read))
      return { kind: 'promptCut', text, ...(isSize && { window: roundedWindow(read) }) }
    }
    learn(corrected(size, tokens.ratio), last && corrected(last, tokens.ratio))
    return undefined
  }

  /**
   * Learns from the growth of a conversation, which is only text. Learns from a whole prompt only if it is larger than
   * estimated: a smaller count may just mean that the template formats tools in fewer tokens.
   */
  const learn = (count: CorrectedSize, before: CorrectedSize | undefined) => {
    const grew = before && before.tools === count.tools ? count.messages - before.messages : 0
    if (before && grew > 0) {
      const reported = count.reported - before.reported
      const estimated = growth(grew, count.reasoning - before.reasoning, reported)
      if (estimated !== undefined) tokens.observe(estimated, reported)
      return
    }
    const sent = count.messages + count.tools + count.reasoning
    if (count.reported > sent) tokens.observe(sent, count.reported)
  }

  return (client) => ({
    ...client,
    async *stream(request): AsyncGenerator<ModelEvent, void, void> {
      try {
        for await (const event of client.stream(request)) {
          if (event.kind === 'usage' && !event.usage.estimated && !request.messages.some(hasImages)) {
            const cut = checkCount(request, event.usage.promptTokens, await deps.contextSize(request.signal))
            if (cut) yield cut
          }
          yield event
        }
      } catch (error) {
        if (error instanceof ModelError && error.excess?.window !== undefined)
          deps.onReportedContextSize(error.excess.window)
        throw error
      }
    },
  })
}

/** In tokens. A server that reads less than this does so for another reason. */
const minWindow = 1024

/** Returns the context size of a server that read this much of a longer prompt: sizes are multiples of 256. */
function roundedWindow(read: number): number {
  return Math.ceil(read / 256) * 256
}

/**
 * Returns the estimated growth of a prompt, for comparison with the reported one. Whether it includes the reasoning
 * depends on the template.
 * @returns undefined if the report fits both
 */
function growth(text: number, reasoning: number, reported: number): number | undefined {
  const low = text + Math.min(0, reasoning)
  const high = text + Math.max(0, reasoning)
  if (reported <= low) return low
  return reported > (low + high) / 2 ? high : undefined
}

/** Identifies a conversation by its system prompt and first message. */
function conversationKey({ messages }: ChatRequest): string {
  const hash = createHash('sha256')
  for (const { content } of messages.slice(0, 2)) hash.update(content).update('\0')
  return hash.digest('base64')
}

/** Whether a message has images, whose token count is unpredictable. */
function hasImages(message: object): boolean {
  return 'images' in message && Array.isArray(message.images) && message.images.length > 0
}
