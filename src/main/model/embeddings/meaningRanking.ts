import type { ModelChoice } from '../../../shared/agent/conversation.ts'
import { log } from '../../base/log/log.ts'
import { ModelError } from '../modelClient.ts'
import { embeddingPrompts } from './embeddingPrompts.ts'
import { createVectorCache } from './vectorCache.ts'
import { raceTimeout } from '../../../shared/async/raceTimeout.ts'

export interface MeaningRankingDeps {
  /** The selected embedding model, if any. */
  choice(): ModelChoice | null
  /** Returns a vector per text, in the order of the texts. @throws ModelError, AbortError */
  embed(choice: ModelChoice, texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>
  /** Maximum wait for the vectors, in milliseconds. After that, only the passages with a vector are ordered. */
  deadlineMs?: number
}

/** A passage that the search found. */
export interface ScoredPassage {
  text: string
  /** How well its words match the question. Comparable with the other passages only. */
  score: number
}

/**
 * Orders passages by a mix of their scores and how close their meaning is to a question, with the embedding model that
 * the user selected. Never rejects.
 * @param passages ordered by score
 * @returns the indexes of the passages in the new order; undefined if the present order remains
 */
export type RankByMeaning = (
  question: string,
  passages: readonly ScoredPassage[],
  signal: AbortSignal,
) => Promise<number[] | undefined>

/** Numbers in the cache: 16 MB. */
const maxCachedValues = 4 * 1024 * 1024
/** Texts per request. Vectors that are ready when the time is up are used, and cached for the next question. */
const batchSize = 8
/** After this time in milliseconds, vectors are no longer computed for the cache either. */
const maxDurationMs = 60_000
/**
 * Weight of the meaning, relative to the words. Half, because models not trained on code rank much worse than the words
 * (`npm run bench -- meaning`).
 */
const meaningWeight = 0.5

/** @returns a function that returns the ranking with the selected model; undefined if none is selected */
export function createMeaningRanking({
  choice: selected,
  embed,
  deadlineMs = 2000,
}: MeaningRankingDeps): () => RankByMeaning | undefined {
  const cache = createVectorCache(maxCachedValues)
  const reported = new Set<string>()

  /** Adds the vectors of texts, in their order: first those in the cache, then the others as they are computed. */
  async function addVectors(
    found: Map<string, Float32Array>,
    choice: ModelChoice,
    texts: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const model = JSON.stringify(choice)
    const missing = [...new Set(texts)].filter((text) => {
      const vector = cache.get(model, text)
      if (vector) found.set(text, vector)
      return !vector
    })
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
  }

  /** Logs a problem, once per model and kind. */
  function report(choice: ModelChoice, kind: string, problem: string): undefined {
    const key = JSON.stringify([choice, kind])
    if (reported.has(key)) return
    reported.add(key)
    log.warn(
      `${choice.model} did not rank all passages by meaning, so the order of the others is that of the search: ${problem}`,
    )
  }

  async function rank(
    choice: ModelChoice,
    question: string,
    passages: readonly ScoredPassage[],
    signal: AbortSignal,
  ): Promise<number[] | undefined> {
    const prompts = embeddingPrompts(choice.model)
    const texts = [prompts.question + question, ...passages.map(({ text }) => prompts.passage + text)]
    const found = new Map<string, Float32Array>()
    /** Orders the passages up to the first one without a vector. */
    const order = (): number[] | undefined => {
      const [wanted, ...vectors] = texts.map((text) => found.get(text))
      const without = vectors.findIndex((vector) => !vector)
      const ready = vectors.slice(0, without === -1 ? undefined : without).flatMap((vector) => vector ?? [])
      if (!wanted || ready.length < 2) return undefined
      const scores = passages.slice(0, ready.length).map(({ score }) => score)
      const first = fusedOrder(scores, wanted, ready)
      if (first) return passages.map((_, at) => first[at] ?? at)
      // The server now has a different model of this name.
      cache.clear()
      return report(choice, 'lengths', 'Its embeddings have different lengths.')
    }
    const limit = AbortSignal.timeout(maxDurationMs)
    const all = addVectors(found, choice, texts, AbortSignal.any([signal, limit])).then(order, (error: unknown) => {
      if (signal.aborted || limit.aborted) return undefined
      if (error instanceof ModelError) report(choice, error.code, `${error.message} ${error.hint}`)
      else log.error('Ranking by meaning failed', error)
      return order()
    })
    // The request continues after the deadline, so that the next question finds the model loaded and vectors in the
    // cache.
    const first = await raceTimeout(all, deadlineMs, 'late' as const)
    if (first !== 'late') return first
    return order() ?? report(choice, 'late', `No answer within ${deadlineMs / 1000} s.`)
  }

  return () => {
    const choice = selected()
    return choice ? (question, passages, signal) => rank(choice, question, passages, signal) : undefined
  }
}

/**
 * Mixes the scores of passages with their cosines to the question, both scaled to 0 to 1. Scores, unlike mere ranks
 * (reciprocal rank fusion), preserve how much better one passage is than the next; see Bruch et al.,
 * https://doi.org/10.1145/3596512.
 * @returns the indexes of the passages, best first, equal ones in the current order; undefined if the vectors are from
 *   different models
 */
export function fusedOrder(
  scores: readonly number[],
  question: Float32Array,
  passages: readonly Float32Array[],
): number[] | undefined {
  if (passages.some(({ length }) => length !== question.length)) return undefined
  const byWords = scaled(scores)
  const byMeaning = scaled(passages.map((passage) => cosine(question, passage)))
  const mixed = byWords.map((score, at) => score + meaningWeight * (byMeaning[at] ?? 0))
  return mixed.map((_, at) => at).toSorted((a, b) => (mixed[b] ?? 0) - (mixed[a] ?? 0))
}

/** Scales values linearly so that the lowest becomes 0 and the highest 1. Equal values become 0. */
function scaled(values: readonly number[]): number[] {
  const lowest = Math.min(...values)
  const range = Math.max(...values) - lowest
  return values.map((value) => (range > 0 ? (value - lowest) / range : 0))
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
