import type { Usage } from '../../../shared/agent/conversation.ts'
import { progressText } from './promptProgress.ts'
import type { ChatMessage, ChatRequest, ModelClient, ModelEvent } from '../modelClient.ts'
import { waitingLabel } from '../transport/waitingNotes.ts'
import { toolsText } from './usage.ts'

/** Minimum number of new tokens for measuring the speed, and for showing an estimate unless reading takes long. */
const minTokens = 500
/** The minimum for a prompt that takes at least `longSeconds`: time spent on anything but reading no longer matters. */
const longSeconds = 5
const minTokensOfLong = 50
/** Minimum expected seconds for showing an estimate for fewer new tokens. */
const minSeconds = 3
/** Maximum estimated share, because the estimate may be too fast. */
const maxShare = 0.95
/** Weight of a new measurement of the speed. */
const weight = 0.5

export interface PrefillEstimateDeps {
  /** Returns the tokens of a text. */
  estimate(text: string): number
  /**
   * Whether a speed reported without cached tokens counts the whole prompt, but only the time for its new part, as in
   * Ollama until August 2026.
   */
  countsCached: boolean
}

/**
 * Wraps a client so that its waiting notes estimate how much of the prompt the server has read, for servers that do not
 * report it: from the speed of earlier requests, and from what the prompt shares with the previous one. One instance
 * serves all conversations of a model.
 */
export function createPrefillEstimate({
  estimate,
  countsCached,
}: PrefillEstimateDeps): (client: ModelClient) => ModelClient {
  /** Tokens per second; undefined until it was measured. */
  let speed: number | undefined
  /** The messages of the previous request of any kind. */
  let last: readonly ChatMessage[] | undefined
  const sizeOf = (messages: readonly ChatMessage[]) =>
    messages.reduce((sum, message) => sum + estimate(JSON.stringify(message)), 0)

  /**
   * Estimates the tokens of a prompt that the previous one did not contain, and stores the prompt. The number is certain
   * if the previous one was from the same conversation or there was none. Otherwise the server may have cached more.
   */
  function newTokens({ messages, tools }: ChatRequest): { tokens: number; isCertain: boolean } {
    const before = last
    last = messages
    const different = messages.findIndex((message, at) => !isSame(message, before?.[at]))
    const shared = different === -1 ? messages.length : different
    const all = shared === 0 ? estimate(toolsText(tools)) : 0
    // Different conversations share at most the system prompt.
    return { tokens: all + sizeOf(messages.slice(shared)), isCertain: before === undefined || shared > 1 }
  }

  function learn(measured: number): void {
    speed = speed === undefined ? measured : speed + weight * (measured - speed)
  }

  /** Returns the speed at which a prompt was read; undefined if the answer does not show it. */
  function measure(
    { promptTokensPerSecond: reported, promptTokens, cachedTokens }: Usage,
    { tokens, isCertain }: ReturnType<typeof newTokens>,
    seconds: number | undefined,
  ): number | undefined {
    if (reported !== undefined && (!countsCached || cachedTokens !== undefined)) return reported
    const isEnough = tokens >= (seconds !== undefined && seconds >= longSeconds ? minTokensOfLong : minTokens)
    if (!isCertain || !isEnough) return undefined
    if (reported !== undefined) return reported * Math.min(1, tokens / Math.max(1, promptTokens))
    return seconds === undefined ? undefined : tokens / Math.max(0.01, seconds)
  }

  return (client) => ({
    ...client,
    async *stream(request): AsyncGenerator<ModelEvent, void, void> {
      const isFirst = last === undefined
      const added = newTokens(request)
      // Side requests replace the prompt of a conversation in some caches, and may run at the same time. The very first
      // request, the warm-up, does not.
      if (request.isAside && !isFirst) return yield* client.stream(request)
      const started = performance.now()
      const seconds = () => (performance.now() - started) / 1000
      let begunAfter: number | undefined
      for await (const event of client.stream(request)) {
        if (event.kind === 'status') {
          yield event.note.startsWith(waitingLabel)
            ? { ...event, note: withEstimate(event.note, added.tokens, seconds()) }
            : event
          continue
        }
        // Calls do not count, because some servers send them only when they are complete.
        if (event.kind === 'text' || event.kind === 'reasoning') begunAfter ??= seconds()
        const measured = event.kind === 'usage' ? measure(event.usage, added, begunAfter) : undefined
        if (measured !== undefined) learn(measured)
        yield event
      }
    },
  })

  function withEstimate(note: string, tokens: number, seconds: number): string {
    if (speed === undefined || (tokens < minTokens && tokens / speed < minSeconds)) return note
    const share = Math.min(maxShare, (seconds * speed) / tokens)
    return `${progressText(share, Math.round(tokens), true)}${note.slice(waitingLabel.length)}`
  }
}

/** Whether two messages are equal. Compares the text first, which is the largest part and often the same string. */
function isSame(message: ChatMessage, other: ChatMessage | undefined): boolean {
  if (message === other) return true
  if (other === undefined || message.role !== other.role || message.content !== other.content) return false
  return JSON.stringify({ ...message, content: '' }) === JSON.stringify({ ...other, content: '' })
}
