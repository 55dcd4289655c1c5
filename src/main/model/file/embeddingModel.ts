import { openInLlama } from './openInLlama.ts'
import type { ModelFileOptions } from './modelFileMessages.ts'

/** Returns a vector per text, in the order of the texts. @throws AbortError */
export type EmbedInProcess = (texts: readonly string[], signal: AbortSignal) => Promise<number[][]>

/** Tokens that llama.cpp adds to a text, and one that its limit excludes. */
const addedTokens = 3

/** Loads a model that computes embeddings. @throws ModelError `no_model`, as for a model that chats */
export async function loadEmbeddingModel(options: ModelFileOptions): Promise<EmbedInProcess> {
  const { contextSize } = options
  const { model, refuse } = await openInLlama(options, () => undefined)
  // A model that reads a text in both directions needs all of it in one batch.
  const context = await model.createEmbeddingContext({ contextSize, batchSize: contextSize }).catch(refuse)
  return async (texts, signal) => {
    const vectors: number[][] = []
    for (const text of texts) {
      signal.throwIfAborted()
      const input =
        context.calculateInputLength(text) < contextSize
          ? text
          : model.tokenize(text).slice(0, contextSize - addedTokens)
      vectors.push([...(await context.getEmbeddingFor(input)).vector])
    }
    return vectors
  }
}
