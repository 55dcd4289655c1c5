import { createHash } from 'node:crypto'
import { ModelError, type ChatRequest, type ModelClient, type ModelEvent } from '../clients/modelClient.ts'
import { detectPromptCut, type PromptCount } from './promptCutDetection.ts'
import type { TokenCounter } from './tokenCounter.ts'
import { estimateTokens } from './usage.ts'

export interface PromptWatchDeps {
  tokens: TokenCounter
  /** Tokens; read after an answer has begun, for by then the model is loaded as it is loaded. */
  window(signal: AbortSignal): Promise<number | undefined>
  /** Older Ollama leaves what it had cached out of its count. */
  hidesCached: boolean
  /** The server named the window when it refused a prompt. Tokens. */
  onReportedWindow(window: number): void
  /** Says what was cut, and what helps. */
  warning(cut: { sent: number; read: number; window?: number }): string
  /** Off: nothing is compared; the counter still learns. */
  detect: boolean
}

/** A request by the uncorrected estimate, and what was reported of it. Tokens. */
type Size = Pick<PromptCount, 'messages' | 'tools' | 'reported'>

/** Estimates are this far off before a server's reports corrected them, and after. */
const unlearnedError = 0.4
const learnedError = 0.25
const conversationCap = 64

/** Holds the prompt counts that a server reports against what was sent. Made once for a model; serves all its conversations. */
export function createPromptWatch(parts: PromptWatchDeps): (client: ModelClient) => ModelClient {
  const { tokens } = parts
  /** The latest count of each conversation, by how it begins. */
  const latest = new Map<string, Size>()

  /** @returns a warning where the prompt was cut */
  const weigh = (request: ChatRequest, reported: number, window: number | undefined): string | undefined => {
    // Kept as it was estimated, and corrected by what is known now: two counts of one conversation are to be of one measure.
    const corrected = (size: Size): PromptCount => ({
      messages: size.messages * tokens.ratio,
      tools: size.tools * tokens.ratio,
      error: tokens.learned ? learnedError : unlearnedError,
      reported: size.reported,
      hidesCached: parts.hidesCached,
      ...(window !== undefined && { window }),
    })
    const size = { ...sizeOf(request), reported }
    const count = corrected(size)
    const key = beginning(request)
    const last = latest.get(key)
    const before = last && corrected(last)
    // Last in the map is last used.
    latest.delete(key)
    latest.set(key, size)
    const oldest = latest.keys().next()
    if (latest.size > conversationCap && !oldest.done) latest.delete(oldest.value)

    const cut = detectPromptCut(count, before)
    if (cut)
      return parts.detect
        ? parts.warning({ sent: Math.round(cut.sent), read: cut.read, ...(window !== undefined && { window }) })
        : undefined
    learn(count, before)
    return undefined
  }

  /**
   * From the growth of a conversation, which is text alone; from a whole prompt only that it was larger than thought, for a template
   * that writes the tools in fewer tokens says nothing of other text.
   */
  const learn = (count: PromptCount, before: PromptCount | undefined) => {
    const grew = before && before.tools === count.tools ? count.messages - before.messages : 0
    const sent = count.messages + count.tools
    if (before && grew > 0) tokens.observe(grew, count.reported - before.reported)
    else if (count.reported > sent) tokens.observe(sent, count.reported)
  }

  return (client) => ({
    ...client,
    async *stream(request): AsyncGenerator<ModelEvent, void, void> {
      try {
        for await (const event of client.stream(request)) {
          if (event.kind === 'usage' && !event.usage.estimated && !request.messages.some(hasPictures)) {
            const warning = weigh(request, event.usage.promptTokens, await parts.window(request.signal))
            if (warning !== undefined) yield { kind: 'promptCut', text: warning }
          }
          yield event
        }
      } catch (error) {
        if (error instanceof ModelError && error.excess?.window !== undefined)
          parts.onReportedWindow(error.excess.window)
        throw error
      }
    },
  })
}

/** What a template adds for each message is small beside it. */
function sizeOf({ messages, tools }: ChatRequest): Omit<Size, 'reported'> {
  let sum = 0
  for (const message of messages) {
    sum += estimateTokens(message.content)
    if (message.role === 'assistant')
      for (const call of message.toolCalls ?? []) sum += estimateTokens(call.name + call.arguments)
  }
  return { messages: sum, tools: tools.length > 0 ? estimateTokens(JSON.stringify(tools)) : 0 }
}

/** Conversations are told apart by their system prompt and first message. */
function beginning({ messages }: ChatRequest): string {
  const hash = createHash('sha256')
  for (const { content } of messages.slice(0, 2)) hash.update(content).update('\0')
  return hash.digest('base64')
}

/** Nobody can say beforehand how many tokens a model makes of a picture. */
function hasPictures(message: object): boolean {
  return 'images' in message && Array.isArray(message.images) && message.images.length > 0
}
