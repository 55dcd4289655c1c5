import { contextShares } from '../../../shared/agent/contextAllocation.ts'
import { rememberObjects } from '../../base/rememberObjects.ts'
import type { ChatMessage, ChatTool } from '../../model/clients/modelClient.ts'
import type { TokenCounter } from '../../model/tokens/tokenCounter.ts'
import { toolsText } from '../../model/tokens/usage.ts'
import type { SourcedMessage } from '../sourcedMessage.ts'

/** Estimated tokens of an image. The real number depends on the model. */
const imageTokens = 1000
/** Estimated tokens that a chat template adds to each message. */
const templateTokens = 8

/** Counts the tokens of requests. Estimates are corrected by the server's tokenizer and its rejections. */
export interface RequestSize {
  /** Returns the tokens of a text. */
  text(text: string): number
  /** Returns the tokens of the tools. */
  tools(tools: readonly ChatTool[]): number
  message(message: SourcedMessage): number
  messages(messages: readonly SourcedMessage[]): number
  /** Returns the tokens of a whole request. */
  request(messages: readonly SourcedMessage[], tools: readonly ChatTool[]): number
  /**
   * Like `request`, but uses the server's tokenizer if the request fills much of the window, and corrects later
   * estimates.
   */
  measure(messages: readonly SourcedMessage[], tools: readonly ChatTool[], window: number): Promise<number>
  /** Multiplies all later counts, for a server that counted more tokens in a request than we did. */
  correct(factor: number): void
  /** All corrections together. */
  readonly correction: Correction
  /** Whether the server's tokenizer counts the tokens. */
  readonly exact: boolean
}

/** What a server's rejection of a request taught about our counts. */
export interface Correction {
  factor: number
  /** The ratio of estimates (`TokenCounter.ratio`) that the factor multiplies. */
  ratio: number
}

/** @param correction the earlier corrections */
export function createRequestSize(
  tokens: TokenCounter,
  signal: AbortSignal,
  correction: Correction = { factor: 1, ratio: tokens.ratio },
): RequestSize {
  /** The server's count divided by the estimate. */
  let scale = 1
  /** Whether `scale` is the result of a count, on which the ratio of estimates has no effect. */
  let isCounted = false
  /** Estimates also learn from the reports after a rejection, which must not be corrected twice. */
  const factor = () =>
    isCounted ? correction.factor : Math.max(1, (correction.factor * correction.ratio) / tokens.ratio)
  const size: RequestSize = {
    text: (text) => Math.ceil(tokens.estimate(text) * scale * factor()),
    tools: (tools) => size.text(toolsText(tools)),
    message: ({ message }) => size.text(messageText(message)) + fixedTokens([message]),
    messages: (messages) => messages.reduce((sum, message) => sum + size.message(message), 0),
    request: (messages, tools) => size.tools(tools) + size.messages(messages),
    async measure(messages, tools, window) {
      const texts = [...messages.map(({ message }) => messageText(message)), toolsText(tools)]
      const estimated = texts.reduce((sum, text) => sum + tokens.estimate(text), 0)
      const fixed = fixedTokens(messages.map(({ message }) => message))
      const isLarge = estimated > window * contextShares.estimated
      const request = { messages: messages.map(({ message }) => message), tools: [...tools] }
      const whole = isLarge ? await tokens.countRequest?.(request, estimated + fixed, signal) : undefined
      if (whole !== undefined) {
        isCounted = true
        scale = Math.max(1, whole - fixed) / Math.max(1, estimated)
        return Math.ceil(whole * factor())
      }
      const counted = isLarge ? await tokens.count(texts, signal) : estimated
      isCounted = isLarge && tokens.exact === true
      scale = counted / Math.max(1, estimated)
      return Math.ceil(counted * factor()) + fixed
    },
    correct(by) {
      correction = { factor: factor() * by, ratio: tokens.ratio }
    },
    get correction() {
      return correction
    },
    get exact() {
      return tokens.exact === true
    },
  }
  return size
}

/** Returns all text of a message, including reasoning and calls. */
const messageText = rememberObjects((message: ChatMessage): string => {
  // The content itself, whose estimate is remembered.
  if (message.role !== 'assistant') return message.content
  const calls = message.toolCalls ?? []
  const reasoning = message.reasoning ? [message.reasoning] : []
  return [message.content, ...reasoning, ...calls.map(({ name, arguments: args }) => `${name} ${args}`)].join('\n')
})

/** Returns the tokens of the chat template and of images. */
function fixedTokens(messages: readonly ChatMessage[]): number {
  const images = messages.reduce(
    (sum, message) => sum + (message.role === 'user' ? (message.images?.length ?? 0) : 0),
    0,
  )
  return messages.length * templateTokens + images * imageTokens
}
