import { setTimeout as delay } from 'node:timers/promises'
import type { ModelChoice } from '../../../shared/conversation.ts'
import { log } from '../../base/log/log.ts'
import { ModelError } from '../clients/modelClient.ts'
import { embeddingPrompts } from './embeddingPrompts.ts'
import { createVectorCache } from './vectorCache.ts'

export interface MeaningRankingDeps {
  /** The selected embedding model, if any. */
  choice(): ModelChoice | null
  /** Returns a vector per text, in the order of the texts. @throws ModelError, AbortError */
  embed(choice: ModelChoice, texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>
  /** Maximum wait for the vectors, in milliseconds. */
  deadlineMs?: number
}

/**
 * Orders passages by a mix of their present order and how close their meaning is to a question, with the embedding
 * model that the user selected. Never rejects.
 * @returns the indexes of the passages in the new order; undefined if the present order remains
 */
export type RankByMeaning = (
  question: string,
  passages: readonly string[],
  signal: AbortSignal,
) => Promise<number[] | undefined>

/** Numbers in the cache: 16 MB. */
const maxCachedValues = 4 * 1024 * 1024
/** Texts in a request. What is ready when time is up, is not computed again for the next question. */
const batchSize = 16
/** After this time, vectors are no longer computed for the next question either. Milliseconds. */
const maxDurationMs = 60_000
/** The constant of reciprocal rank fusion: https://doi.org/10.1145/1571941.1572114. */
const fusionConstant = 60

/** @returns a function that returns the ranking with the selected model; undefined if none is selected */
export function createMeaningRanking({
  choice: selected,
  embed,
  deadlineMs = 2000,
}: MeaningRankingDeps): () => RankByMeaning | undefined {
  const cache = createVectorCache(maxCachedValues)
  const reported = new Set<string>()

  /** Computes the vectors that are not in the cache. */
  async function vectorsOf(
    choice: ModelChoice,
    texts: readonly string[],
    signal: AbortSignal,
  ): Promise<Float32Array[]> {
    const model = JSON.stringify(choice)
    const found = new Map(texts.map((text) => [text, cache.get(model, text)]))
    const missing = [...found].flatMap(([text, vector]) => (vector ? [] : [text]))
    for (let at = 0; at < missing.length; at += batchSize) {
      const batch = missing.slice(at, at + batchSize)
      const vectors = await embed(choice, batch, signal)
      for (const [index, text] of batch.entries()) {
        const vector = vectors[index]
        if (!vector) throw new Error('An embedding is missing.')
        found.set(text, vector)
        cache.set(model, text, vector)
      }
    }
    return texts.flatMap((text) => found.get(text) ?? [])
  }

  /** Logs a problem, once per model and kind. */
  function report(choice: ModelChoice, kind: string, problem: string): undefined {
    const key = JSON.stringify([choice, kind])
    if (reported.has(key)) return
    reported.add(key)
    log.warn(`${choice.model} did not rank passages by meaning, so their order is that of the search: ${problem}`)
  }

  async function rank(
    choice: ModelChoice,
    question: string,
    passages: readonly string[],
    signal: AbortSignal,
  ): Promise<number[] | undefined> {
    const prompts = embeddingPrompts(choice.model)
    const texts = [prompts.question + question, ...passages.map((passage) => prompts.passage + passage)]
    const limit = AbortSignal.timeout(maxDurationMs)
    const done = new AbortController()
    const order = vectorsOf(choice, texts, AbortSignal.any([signal, limit])).then(
      ([wanted, ...vectors]) => {
        const order = wanted && fusedOrder(wanted, vectors)
        if (order) return order
        // The server has another model of the same name now.
        cache.clear()
        return report(choice, 'lengths', 'Its embeddings have different lengths.')
      },
      (error: unknown) => {
        if (signal.aborted || limit.aborted) return undefined
        if (error instanceof ModelError) return report(choice, error.code, `${error.message} ${error.hint}`)
        log.error('Ranking by meaning failed', error)
        return undefined
      },
    )
    // After the deadline the request goes on, so that the next question finds the model loaded and vectors in the cache.
    const late = delay(deadlineMs, 'late' as const, { signal: AbortSignal.any([signal, done.signal]) }).catch(
      () => undefined,
    )
    const first = await Promise.race([order, late])
    done.abort()
    return first === 'late' ? report(choice, 'late', `No answer within ${deadlineMs / 1000} s.`) : first
  }

  return () => {
    const choice = selected()
    return choice ? (question, passages, signal) => rank(choice, question, passages, signal) : undefined
  }
}

/**
 * Mixes two orders of passages by reciprocal rank fusion: the present one, and that by the cosine to the question.
 * Pure. @returns undefined if the vectors are of different models
 */
export function fusedOrder(question: Float32Array, passages: readonly Float32Array[]): number[] | undefined {
  if (passages.some(({ length }) => length !== question.length)) return undefined
  const cosines = passages.map((passage) => cosine(question, passage))
  const byMeaning = passages.map((_, at) => at).toSorted((a, b) => (cosines[b] ?? 0) - (cosines[a] ?? 0))
  const scores = passages.map((_, at) => 1 / (fusionConstant + at))
  for (const [rank, at] of byMeaning.entries()) scores[at] = (scores[at] ?? 0) + 1 / (fusionConstant + rank)
  return passages.map((_, at) => at).toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))
}

function cosine(one: Float32Array, other: Float32Array): number {
  let product = 0
  let lengths = 0
  let otherLengths = 0
  for (const [at, value] of one.entries()) {
    const second = other[at] ?? 0
    product += value * second
    lengths += value * value
    otherLengths += second * second
  }
  const length = Math.sqrt(lengths * otherLengths)
  return length > 0 ? product / length : 0
}
