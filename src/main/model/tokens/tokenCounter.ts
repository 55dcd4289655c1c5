import { createHash } from 'node:crypto'
import { isAbort } from '../../../shared/errors.ts'
import { ModelError, type ChatMessage, type PromptRequest } from '../modelClient.ts'
import { createRequestCounter } from './requestCounter.ts'
import { createServerTokenizer, type Tokenize } from './serverTokenizer.ts'
import type { RequestTarget } from '../transport/modelErrors.ts'
import type { ConnectionOptions } from '../transport/http.ts'
import { estimateTokens } from './usage.ts'

/** Counts tokens for one model on one endpoint. */
export interface TokenCounter {
  /** Estimates from the number of characters, corrected by the counts that this server reported. */
  estimate(text: string): number
  /**
   * Counts the tokens of all texts. The server's own tokenizer counts large texts if it has one and responds within 1.5
   * seconds for all of them; the rest is estimated.
   * @throws AbortError
   */
  count(texts: readonly string[], signal: AbortSignal): Promise<number>
  /**
   * Counts the tokens of a whole request with its chat template, if the server can and answers plausibly.
   * @param estimated our estimate
   * @returns undefined if the server cannot
   * @throws AbortError
   */
  countRequest?(
    request: Omit<PromptRequest, 'model'>,
    estimated: number,
    signal: AbortSignal,
  ): Promise<number | undefined>
  /**
   * Learns from the tokens that a server reports for a request. Must not be called for a truncated prompt
   * (promptTruncationWatch.ts detects those).
   */
  observe(estimated: number, reported: number): void
  /** Whether the server counts tokens; undefined until it is known. */
  readonly exact: boolean | undefined
  /** The correction factor of estimates. 1 until it was learned. */
  readonly ratio: number
  /** Whether the correction factor was learned. */
  readonly learned: boolean
}

/** The fields of an endpoint that token counting needs. */
export interface CountingEndpoint {
  /** The base URL from `serverRoot`. */
  root: string
  target: RequestTarget
  /** Whether the server may have a tokenizer. Ollama and the tour have none. */
  tokenizer: boolean
  /** See `ModelClient.promptFields`. Absent: the server counts no requests. */
  promptFields?(request: PromptRequest): Record<string, unknown>
  connection(): Promise<ConnectionOptions>
}

/**
 * Minimum text length for a request to the tokenizer, in characters. For shorter texts, the error of an estimate does
 * not matter.
 */
const minServerCountLength = 2000
/** Time limit for all requests of one `count` call, in milliseconds. */
const budgetMs = 1500
const cacheSize = 1000
/** Pause after a failed request, in milliseconds. */
const retryAfterMs = 60_000
/** Range of plausible correction factors. Beyond it, a reported count is wrong or the prompt was truncated. */
const minRatio = 0.4
const maxRatio = 3
/** Minimum tokens of a request to learn from. In shorter ones, the chat template's own tokens are a large part. */
const minTokens = 300
/** Weight of a new observation. The first one counts fully. */
const observationWeight = 0.3

/** Range of a plausible count of a request, relative to the estimate. */
const minCountRatio = 0.3
const maxCountRatio = 3

/** @param tokenize replaces the server's tokenizer in tests */
export function createTokenCounter(
  endpoint: CountingEndpoint,
  model: string,
  tokenize: Tokenize | undefined = endpoint.tokenizer ? createServerTokenizer(endpoint, model) : undefined,
): TokenCounter {
  const cache = new Map<string, number>()
  let ratio = 1
  let observed = false
  let exact: boolean | undefined = tokenize ? undefined : false
  let pausedUntil = 0
  /** Undefined once the server could not count a request or returned an implausible count. */
  let countWhole =
    endpoint.tokenizer && endpoint.promptFields
      ? createRequestCounter(endpoint, model, endpoint.promptFields)
      : undefined

  const estimate = (text: string) => Math.ceil(estimateTokens(text) * ratio)

  const counted = async (text: string, signal: AbortSignal): Promise<number | undefined> => {
    if (!tokenize || exact === false || performance.now() < pausedUntil) return undefined
    const key = createHash('sha256').update(text).digest('base64')
    const known = cache.get(key)
    if (known !== undefined) return known
    const answer = possibleCount(text, await tokenize(text, signal))
    exact = answer !== undefined
    if (answer === undefined) return undefined
    const oldest = cache.keys().next()
    if (cache.size >= cacheSize && !oldest.done) cache.delete(oldest.value)
    cache.set(key, answer)
    return answer
  }

  return {
    estimate,
    async count(texts, signal) {
      signal.throwIfAborted()
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(budgetMs)])
      let sum = 0
      for (const text of texts) {
        let tokens: number | undefined
        if (text.length >= minServerCountLength && !deadline.aborted) {
          try {
            tokens = await counted(text, deadline)
          } catch (error) {
            signal.throwIfAborted()
            // A slow or failing tokenizer must not delay a turn: use the estimate.
            if (!(error instanceof ModelError) && !isAbort(error)) throw error
            pausedUntil = performance.now() + retryAfterMs
          }
        }
        sum += tokens ?? estimate(text)
      }
      return sum
    },
    async countRequest(request, estimated, signal) {
      if (!countWhole || performance.now() < pausedUntil || request.messages.some(hasImages)) return undefined
      try {
        const tokens = await countWhole(request, AbortSignal.any([signal, AbortSignal.timeout(budgetMs)]))
        if (tokens !== undefined && tokens >= estimated * minCountRatio && tokens <= estimated * maxCountRatio) {
          exact = true
          return tokens
        }
        countWhole = undefined
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof ModelError) && !isAbort(error)) throw error
        pausedUntil = performance.now() + retryAfterMs
      }
      return undefined
    },
    observe(estimated, reported) {
      if (estimated < minTokens || reported <= 0) return
      const seen = (ratio * reported) / estimated
      if (seen < minRatio || seen > maxRatio) return
      ratio = observed ? ratio + observationWeight * (seen - ratio) : seen
      observed = true
    },
    get exact() {
      return exact
    },
    get ratio() {
      return ratio
    },
    get learned() {
      return observed
    },
  }
}

/** Tokens that a tokenizer may add to a text, such as the space that SentencePiece puts before it. */
const maxAdded = 8

/** Returns the count of a long text, unless it is implausible: a token has at least one byte. */
function possibleCount(text: string, count: number | undefined): number | undefined {
  return count !== undefined && count > 0 && count <= Buffer.byteLength(text) + maxAdded ? count : undefined
}

/** Whether a message has images, which only chat requests load. */
function hasImages(message: ChatMessage): boolean {
  return message.role === 'user' && message.images !== undefined
}
