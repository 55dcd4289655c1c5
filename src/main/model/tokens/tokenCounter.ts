import { createHash } from 'node:crypto'
import { isAbort } from '../../../shared/errors.ts'
import { ModelError } from '../clients/modelClient.ts'
import { createServerTokenizer, type Tokenize } from './serverTokenizer.ts'
import type { RequestTarget } from '../transport/modelErrors.ts'
import type { ConnectionOptions } from '../transport/http.ts'
import { estimateTokens } from './usage.ts'

/** Counts tokens of one model on one endpoint. */
export interface TokenCounter {
  /** At once: characters, corrected by what this server reported before. */
  estimate(text: string): number
  /**
   * Tokens of all texts together. Large ones are counted by the server's own tokenizer where it has one and answers within a second
   * and a half for all of them; the rest is estimated. @throws AbortError
   */
  count(texts: readonly string[], signal: AbortSignal): Promise<number>
  /**
   * Learns from an answer: what `estimate` said of what was sent, and the tokens that the server reported for it. Not to be told of a
   * prompt that was cut: `promptWatch.ts`, which tells, looks for that.
   */
  observe(estimated: number, reported: number): void
  /** Whether the server counts; undefined until it was asked. */
  readonly exact: boolean | undefined
  /** By what estimates are multiplied, and whether anything was learnt of it yet. */
  readonly ratio: number
  readonly learned: boolean
}

/** As much of an endpoint as counting needs. */
export interface CountingEndpoint {
  /** From `serverRoot`. */
  root: string
  target: RequestTarget
  /** Whether the server may have a tokenizer at all: Ollama and the tour have none. */
  tokenizer: boolean
  connection(): Promise<ConnectionOptions>
}

/** Below this an estimate's error does not matter, and a round trip would cost more than it tells. Characters. */
const worthAsking = 2000
/** All questions of one `count` together. Milliseconds. */
const budgetMs = 1500
const cacheSize = 1000
/** A server that failed is left alone for so long. Milliseconds. */
const restMs = 60_000
/** No known tokenizer is off the baseline of 3.5 characters a token by more: beyond it a report is wrong or the prompt was cut. */
const minRatio = 0.4
const maxRatio = 3
/** Of a short request the chat template's own tokens are a large part; it teaches nothing. */
const minTokens = 300
/** Weight of one more observation; the first counts whole. */
const weight = 0.3

/** @param tokenize the server's tokenizer; given in tests */
export function createTokenCounter(
  endpoint: CountingEndpoint,
  model: string,
  tokenize: Tokenize | undefined = endpoint.tokenizer ? createServerTokenizer(endpoint, model) : undefined,
): TokenCounter {
  const cache = new Map<string, number>()
  let ratio = 1
  let observed = false
  let exact: boolean | undefined = tokenize ? undefined : false
  let restUntil = 0

  const estimate = (text: string) => Math.ceil(estimateTokens(text) * ratio)

  const counted = async (text: string, signal: AbortSignal): Promise<number | undefined> => {
    if (!tokenize || exact === false || performance.now() < restUntil) return undefined
    const key = createHash('sha256').update(text).digest('base64')
    const known = cache.get(key)
    if (known !== undefined) return known
    const answer = await tokenize(text, signal)
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
        if (text.length >= worthAsking && !deadline.aborted) {
          try {
            tokens = await counted(text, deadline)
          } catch (error) {
            signal.throwIfAborted()
            // A tokenizer that is slow or fails must not hold up a turn: the estimate stands in for it.
            if (!(error instanceof ModelError) && !isAbort(error)) throw error
            restUntil = performance.now() + restMs
          }
        }
        sum += tokens ?? estimate(text)
      }
      return sum
    },
    observe(estimated, reported) {
      if (estimated < minTokens || reported <= 0) return
      const seen = (ratio * reported) / estimated
      if (seen < minRatio || seen > maxRatio) return
      ratio = observed ? ratio + weight * (seen - ratio) : seen
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
