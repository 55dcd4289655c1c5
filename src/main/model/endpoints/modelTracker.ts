import type { Endpoint, EndpointStatus } from '../../../shared/settings/settings.ts'
import { endpointRoot } from '../clients/clientOptions.ts'
import type { ModelClient, PromptRequest } from '../modelClient.ts'
import { promptTruncationWarning } from '../tokens/promptTruncationWarning.ts'
import { createPromptTruncationWatch } from '../tokens/promptTruncationWatch.ts'
import { createPrefillEstimate } from '../tokens/prefillEstimate.ts'
import { createPromptCache, type PromptCache } from '../slots/promptCache.ts'
import { requestQueueOf } from '../slots/requestQueue.ts'
import type { Tokenize } from '../tokens/serverTokenizer.ts'
import { createTokenCounter, type TokenCounter } from '../tokens/tokenCounter.ts'
import type { ConnectionOptions } from '../transport/http.ts'
import { isOfEndpoint, modelKey, type ContextSizes } from './contextSize.ts'
import { knownTarget, requestTarget } from './endpointClient.ts'

export interface ModelTrackerDeps {
  /** The endpoint as currently configured. */
  endpoint(id: string): Endpoint | undefined
  connection(endpoint: Endpoint): Promise<ConnectionOptions>
  client(endpoint: Endpoint): ModelClient
  /** The last known status of an endpoint. */
  status(endpointId: string): EndpointStatus | undefined
  contextSizes: ContextSizes
  /** Returns the tokenizer of a model file. */
  fileTokenizer(endpoint: Endpoint): Tokenize
  /** Aborted when the application ends. */
  closed: AbortSignal
  /** Whether to warn about prompts that a server truncated silently. */
  detectCuts: boolean
}

/** Token counting of one model, which improves while the model is used. */
export interface TrackedModel {
  tokens: TokenCounter
  /**
   * Wraps a client so that its requests wait for a busy server, to compare reported prompt tokens and caches with what
   * was sent, and to estimate the waiting time.
   */
  watchPrompts(client: ModelClient): ModelClient
  cache: PromptCache
  hasPrompt: PromptCache['hasPrompt']
}

type CountedModel = Pick<TrackedModel, 'tokens' | 'watchPrompts'>

/** Maximum number of models to keep state for. Beyond it, all state is discarded and learned again. */
const maxModels = 64

/** State of the models in use and of their servers' prompt caches. */
export interface ModelTracker {
  /** Returns the state of a model on a server. All conversations with the model share it. */
  track(endpoint: Endpoint, model: string): TrackedModel
  /** Discards the state of one endpoint's models and server, or of all. */
  forget(endpoint?: Endpoint): void
}

export function createModelTracker(deps: ModelTrackerDeps): ModelTracker {
  const models = new Map<string, CountedModel>()
  const caches = new Map<string, PromptCache>()
  /** The endpoint that last used a server. Several endpoints can have one address. */
  const users = new Map<string, Endpoint>()

  function cacheOf(key: string, endpoint: Endpoint, model: string): PromptCache {
    users.set(key, endpoint)
    const cache = caches.get(key) ?? createCache(deps, () => users.get(key) ?? endpoint, model)
    caches.set(key, cache)
    return cache
  }

  return {
    track(endpoint, model) {
      if (models.size >= maxModels) {
        models.clear()
        caches.clear()
        users.clear()
      }
      const key = modelKey(endpoint, model)
      const tracked = models.get(key) ?? trackModel(deps, endpoint, model)
      models.set(key, tracked)
      const server = serverKey(endpoint, model, deps.status(endpoint.id))
      const cache = cacheOf(server, endpoint, model)
      const capacity = (): number | undefined => {
        const current = users.get(server) ?? endpoint
        return deps.endpoint(current.id)?.parallel ?? slotsOf(deps, current)
      }
      return {
        tokens: tracked.tokens,
        watchPrompts: (client) =>
          requestQueueOf(server).schedule(cache.watch(tracked.watchPrompts(client)), { ...cache, capacity }),
        cache,
        hasPrompt: cache.hasPrompt,
      }
    },
    forget(endpoint) {
      for (const key of models.keys()) if (endpoint === undefined || isOfEndpoint(key, endpoint.id)) models.delete(key)
      // Running turns keep using the caches.
      for (const [key, cache] of caches)
        if (endpoint === undefined || users.get(key)?.baseUrl === endpoint.baseUrl) {
          cache.forget()
          requestQueueOf(key).forget()
        }
    },
  }
}

/**
 * Identifies the server in which a model runs. A llama-server serves one model in the same slots under any name. One
 * that lists several models starts a server for each.
 */
function serverKey(endpoint: Endpoint, model: string, status: EndpointStatus | undefined): string {
  const root = endpointRoot(endpoint.baseUrl, requestTarget(endpoint, model))
  const isRouter = (status?.models.length ?? 0) > 1
  return isRouter ? `${root} ${model}` : root
}

/** Returns the number of slots of llama-server, or of a model file. */
function slotsOf(deps: ModelTrackerDeps, { id, kind }: Endpoint): number | undefined {
  return kind === 'gguf' ? 1 : deps.status(id)?.slots
}

/** @param current returns the endpoint that now uses the server */
function createCache(deps: ModelTrackerDeps, current: () => Endpoint, model: string): PromptCache {
  const endpoint = current()
  const { kind } = endpoint
  const target = requestTarget(endpoint, model)
  return createPromptCache({
    root: endpointRoot(endpoint.baseUrl, target),
    target,
    connection: () => deps.connection(deps.endpoint(current().id) ?? current()),
    slots: () => slotsOf(deps, current()),
    ...(kind === 'gguf' && { keepsPrompts: true }),
    closed: deps.closed,
  })
}

function trackModel(deps: ModelTrackerDeps, endpoint: Endpoint, model: string): CountedModel {
  const { id, name, kind } = endpoint
  const target = requestTarget(endpoint, model)
  const root = endpointRoot(endpoint.baseUrl, target)
  const current = () => deps.endpoint(id) ?? endpoint
  const connection = () => deps.connection(current())
  // The client is created again, because the user may have changed the options of the model.
  const promptFields = (request: PromptRequest) => deps.client(current()).promptFields?.(request) ?? {}
  const counting = { root, target, tokenizer: kind === 'openai', connection, promptFields }
  const tokens =
    kind === 'gguf'
      ? createTokenCounter(counting, model, deps.fileTokenizer(endpoint))
      : createTokenCounter(counting, model)
  const watchPrompts = createPromptTruncationWatch({
    tokens,
    contextSize: (signal) => deps.contextSizes.afterAnswer(id, model, signal),
    hidesCached: kind === 'ollama',
    warning: (counts) => promptTruncationWarning(name, counts, knownTarget(current(), model, deps.status(id))),
    onReportedContextSize: (size) => deps.contextSizes.setReported(endpoint, model, size),
    // Model files reject prompts that are too long.
    detect: deps.detectCuts && kind !== 'gguf',
  })
  const estimatePrefill = createPrefillEstimate({ estimate: tokens.estimate, countsCached: kind === 'ollama' })
  return { tokens, watchPrompts: (client) => estimatePrefill(watchPrompts(client)) }
}
