import { progressText } from '../clients/promptProgress.ts'
import type { ChatMessage, ChatRequest, ModelClient, ModelEvent } from '../clients/modelClient.ts'
import { waitingLabel } from '../transport/waitingNotes.ts'
import { toolsText } from './usage.ts'

/** Minimum number of new tokens to measure the speed with, and to show an estimate for. */
const minTokens = 500
/** Maximum estimated share, because the estimate may be too fast. */
const maxShare = 0.95
/** Weight of a new measurement of the speed. */
const weight = 0.5

/**
 * Wraps a client so that its waiting notes estimate how much of the prompt the server has read, for servers that do not
 * report it: from the speed of earlier requests, and from what the prompt shares with the previous one. One instance
 * serves all conversations of a model.
 * @param estimate returns the tokens of a text
 */
export function createPrefillEstimate(estimate: (text: string) => number): (client: ModelClient) => ModelClient {
  /** Tokens per second; undefined until it was measured. */
  let speed: number | undefined
  let last: readonly ChatMessage[] = []

  const sizeOf = (messages: readonly ChatMessage[]) =>
    messages.reduce((sum, message) => sum + estimate(JSON.stringify(message)), 0)

  /** Returns the tokens of a prompt that the previous one did not contain, and remembers the prompt. */
  function newTokens({ messages, tools }: ChatRequest): number {
    const shared = messages.findIndex((message, at) => !isSame(message, last[at]))
    const added = messages.slice(shared === -1 ? messages.length : shared)
    last = messages
    const all = shared === 0 ? estimate(toolsText(tools)) : 0
    return all + sizeOf(added)
  }

  function learn(measured: number): void {
    speed = speed === undefined ? measured : speed + weight * (measured - speed)
  }

  return (client) => ({
    ...client,
    async *stream(request): AsyncGenerator<ModelEvent, void, void> {
      const tokens = newTokens(request)
      const started = performance.now()
      const seconds = () => (performance.now() - started) / 1000
      let begun = false
      for await (const event of client.stream(request)) {
        if (event.kind === 'status') {
          yield event.note.startsWith(waitingLabel)
            ? { ...event, note: withEstimate(event.note, tokens, seconds()) }
            : event
          continue
        }
        const reported = event.kind === 'usage' ? event.usage.promptTokensPerSecond : undefined
        if (reported !== undefined) learn(reported)
        else if (!begun && tokens >= minTokens && (event.kind === 'text' || event.kind === 'reasoning'))
          learn(tokens / Math.max(0.01, seconds()))
        begun = true
        yield event
      }
    },
  })

  function withEstimate(note: string, tokens: number, seconds: number): string {
    if (speed === undefined || tokens < minTokens) return note
    const share = Math.min(maxShare, (seconds * speed) / tokens)
    return `${progressText(share, Math.round(tokens), 'about ')}${note.slice(waitingLabel.length)}`
  }
}

/** Whether two messages are equal. Compares the text first, which is most of a message and often the same object. */
function isSame(message: ChatMessage, other: ChatMessage | undefined): boolean {
  if (message === other) return true
  if (other === undefined || message.role !== other.role || message.content !== other.content) return false
  return JSON.stringify({ ...message, content: '' }) === JSON.stringify({ ...other, content: '' })
}
