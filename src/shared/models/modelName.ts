/** Whether two names mean the same model. Ollama adds `:latest` to a name without a tag. */
export function isSameModel(name: string, other: string): boolean {
  return name === other || `${name}:latest` === other || name === `${other}:latest`
}

/**
 * Returns the display name of a model. Some servers use the path of the model file as its id: llama-cpp-python's
 * server, and llama-server without `--alias`.
 */
export function modelDisplayName(model: string): string {
  return /\.gguf$/i.test(model) ? (model.split(/[\\/]/).at(-1) ?? model) : model
}

/** Returns the names that reveal a model's family: that of the model behind an alias, and the alias. */
export function modelNames(model: string, originalName: string | undefined): string {
  return originalName === undefined ? model : `${originalName} ${model}`
}

/** Below this number of parameters, a model works in guided turns: it changes single lines, and calls no tools. */
export const smallModel = 1e9

/** Parses the number of parameters from a model name: "qwen2.5-coder:0.5b", "SmolLM2-135M-Instruct". */
export function parametersInName(model: string): number | undefined {
  const size = /(?:^|[^a-z0-9.])(\d{1,4}(?:\.\d{1,3})?)(m|b)(?![a-z0-9])/i.exec(model)
  const [, number, unit] = size ?? []
  return number === undefined ? undefined : Number(number) * (unit?.toLowerCase() === 'b' ? 1e9 : 1e6)
}

/**
 * Names of models that do not chat: embedding models and rerankers (nomic-embed-text, Qwen3-Embedding,
 * text-embedding-3, bge-m3, gte-large, e5-mistral, all-MiniLM, jina-reranker, mxbai-rerank, colbert).
 */
const nonChatNames =
  /(^|[^a-z0-9])(embedding|(embed|embedder|rerank|reranker|reranking|bge|gte|minilm|colbert(v\d)?|splade|e5-(small|base|large|mistral)|multilingual-e5)(?![a-z]))/i

/** Whether the name of a model is that of an embedding model or a reranker. */
export function isNonChatName(model: string): boolean {
  return nonChatNames.test(model)
}
