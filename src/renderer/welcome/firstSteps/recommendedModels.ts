/** A model in Ollama's library that calls tools well for its size. */
export interface RecommendedModel {
  /** Its name in the library. */
  id: string
  /** Size of the download in bytes. */
  size: number
  suits: string
}

const gigabyte = 1e9

/** From small to large. Sizes as listed at ollama.com/library. */
export const recommendedModels: readonly RecommendedModel[] = [
  { id: 'qwen3:4b', size: 2.5 * gigabyte, suits: 'Small tasks on any laptop' },
  { id: 'qwen3:8b', size: 5.2 * gigabyte, suits: 'Questions and small edits' },
  { id: 'qwen3:14b', size: 9.3 * gigabyte, suits: 'Edits across a few files' },
  { id: 'gpt-oss:20b', size: 14 * gigabyte, suits: 'Longer tasks, fast for its size' },
  { id: 'qwen3-coder:30b', size: 19 * gigabyte, suits: 'Programming, fast for its size' },
]

/** Memory besides the model: its share for the context of a conversation, and bytes for the system and its programs. */
const besidesModel = { context: 0.15, system: 3 * gigabyte }

/** Estimates the memory in bytes that a machine needs to run a model with a 16k context. */
export function memoryNeeded(size: number): number {
  return Math.ceil(size * (1 + besidesModel.context) + besidesModel.system)
}

/** Maximum share of the memory that a recommended model may need, so that an editor and a browser can run beside it. */
const comfortable = 0.8

/** Returns the largest model that leaves memory for other programs; the smallest if none does. */
export function bestFit(memory: number): RecommendedModel | undefined {
  return recommendedModels.findLast(({ size }) => memoryNeeded(size) <= memory * comfortable) ?? recommendedModels[0]
}
