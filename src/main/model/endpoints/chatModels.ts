/**
 * Models that answer no chat: embedding models and rerankers, by the names that their makers give them (nomic-embed-text,
 * Qwen3-Embedding, text-embedding-3, bge-m3, gte-large, e5-mistral, all-MiniLM, jina-reranker, mxbai-rerank, colbert).
 */
const otherNames =
  /(^|[^a-z0-9])(embedding|(embed|embedder|rerank|reranker|reranking|bge|gte|minilm|colbert(v\d)?|splade|e5-(small|base|large|mistral)|multilingual-e5)(?![a-z]))/i

/** What servers call a model's kind or abilities that is not for chat. */
const otherKinds = /^(embeddings?|rerank(er|ing)?|score|classify|pooling)$/i

/**
 * Whether a model can be offered for chat. What its server says of it counts before its name.
 * @param entry of a server's list of models
 */
export function isChatModel(id: string, entry: Readonly<Record<string, unknown>> = {}): boolean {
  const { capabilities, type, task } = entry
  if ([type, task].some((kind) => typeof kind === 'string' && otherKinds.test(kind))) return false
  if (Array.isArray(capabilities) && capabilities.length > 0) {
    const named: unknown[] = capabilities
    if (named.some((each) => ['completion', 'chat', 'chat_completion', 'text-generation'].includes(String(each))))
      return true
    if (named.every((each) => otherKinds.test(String(each)))) return false
  }
  return !otherNames.test(id)
}
