import { isNonChatName } from '../../../shared/models/modelName.ts'

/** Model types and capabilities that servers report for models that do not chat. */
const nonChatKinds = /^(embeddings?|rerank(er|ing)?|score|classify|pooling)$/i

/**
 * Whether a model can be offered for chat. The server's metadata takes precedence over the name.
 * @param entry the model's entry in the server's list
 */
export function isChatModel(id: string, entry: Readonly<Record<string, unknown>> = {}): boolean {
  const { capabilities, type, task } = entry
  if ([type, task].some((kind) => typeof kind === 'string' && nonChatKinds.test(kind))) return false
  if (Array.isArray(capabilities) && capabilities.length > 0) {
    const named: unknown[] = capabilities
    if (named.some((each) => ['completion', 'chat', 'chat_completion', 'text-generation'].includes(String(each))))
      return true
    if (named.every((each) => nonChatKinds.test(String(each)))) return false
  }
  return !isNonChatName(id)
}

/** Names of models that do not chat and do not compute embeddings either. */
const rerankerNames = /rerank|colbert|splade/i

/**
 * Whether a model computes embeddings. Models that do both are chat models.
 * @param entry the model's entry in the server's list
 */
export function isEmbeddingModel(id: string, entry: Readonly<Record<string, unknown>> = {}): boolean {
  if (isChatModel(id, entry)) return false
  const { capabilities, type, task } = entry
  const named: unknown[] = [type, task, ...(Array.isArray(capabilities) ? capabilities : [])]
  const kinds = named.filter((kind) => typeof kind === 'string' && nonChatKinds.test(kind))
  return kinds.length > 0 ? kinds.some((kind) => /^embeddings?$/i.test(String(kind))) : !rerankerNames.test(id)
}
