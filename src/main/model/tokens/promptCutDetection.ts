/** What a request sent by our own count, and what its server says it read. Tokens. */
export interface PromptCount {
  messages: number
  /** Of the schemas as JSON; chat templates write them anew, some in less than half of it. */
  tools: number
  /** By which share the own counts may be too high. */
  error: number
  /** The whole prompt, its cached part included. */
  reported: number
  /** As the server tells it, or as it was asked for. */
  window?: number
  /** The server may leave out what it had cached: older Ollama. */
  hidesCached: boolean
}

/** A prompt that the server did not read whole, and did not say so. Tokens. */
export interface PromptCut {
  sent: number
  read: number
}

/** Below this the chat template's own tokens weigh too much to tell anything. */
const minMessages = 2000
/** A growth that tells whether the count follows it. */
const minGrowth = 800
/** The least that a template makes of the tools' JSON. */
const toolsShare = 0.4

/**
 * Whether a server cut a prompt silently, as Ollama does from the front, with HTTP 200. It did when
 * - more was sent than its window holds, beyond the error of the count, and it answered all the same;
 * - the count ends exactly where the window does, with more sent: no prompt that fits leaves no room for an answer;
 * - it read less than the messages alone, beyond the error of the count;
 * - the conversation grew and the count did not follow (this needs no window and no exact count).
 * A count that leaves out what was cached proves nothing by being small.
 * @param before the request of the same conversation before this one
 */
export function detectPromptCut(now: PromptCount, before?: PromptCount): PromptCut | undefined {
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
  // What was cached may be missing from the count, and then it falls by far more than a cut makes it fall.
  return !now.hidesCached || now.reported > before.reported / 2
}
