import type { Endpoint, EndpointStatus } from '../../../shared/settings.ts'
import { endpointRoot } from '../clients/clientOptions.ts'
import type { ModelClient, PromptRequest } from '../clients/modelClient.ts'
import { createPromptTruncationWatch } from '../tokens/promptTruncationWatch.ts'
import { createPrefillEstimate } from '../tokens/prefillEstimate.ts'
import { createPromptSlots, type PromptSlots } from '../slots/promptSlots.ts'
import type { Tokenize } from '../tokens/serverTokenizer.ts'
import { createTokenCounter, type TokenCounter } from '../tokens/tokenCounter.ts'
import { promptTruncationWarning } from '../transport/errorHints.ts'
import type { ConnectionOptions } from '../transport/http.ts'
import { isOfEndpoint, modelKey, type ContextSizes } from './contextSize.ts'
import { requestTarget } from './endpointClient.ts'
import { serverByName } from './knownServers.ts'

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
  /** Wraps a client to compare reported prompt tokens and caches with what was sent, and to estimate the waiting time. */
  watchPrompts(client: ModelClient): ModelClient
  slots: PromptSlots
  /** Whether a conversation has sent a prompt, which the server may keep in its cache. */
  hasPrompt(): boolean
}

/** Maximum number of models to keep state for. Beyond it, all state is discarded and learned again. */
const maxModels = 64

/** The state of the models that are used. */
export interface ModelTracker {
  /** Returns the state of a model on a server. All conversations with the model share it. */
  track(endpoint: Endpoint, model: string): TrackedModel
  /** Discards the state of the models of one endpoint, or of all. Turns that run keep theirs. */
  forget(endpointId?: string): void
}

export function createModelTracker(deps: ModelTrackerDeps): ModelTracker {
  const trackedModels = new Map<string, TrackedModel>()
  return {
    track(endpoint, model) {
      const key = modelKey(endpoint, model)
      const known = trackedModels.get(key)
      if (known) return known
      if (trackedModels.size >= maxModels) trackedModels.clear()
      const created = trackModel(deps, endpoint, model)
      trackedModels.set(key, created)
      return created
    },
    forget(endpointId) {
      for (const key of trackedModels.keys())
        if (endpointId === undefined || isOfEndpoint(key, endpointId)) trackedModels.delete(key)
    },
  }
}

function trackModel(deps: ModelTrackerDeps, endpoint: Endpoint, model: string): TrackedModel {
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
    warning: (counts) =>
      promptTruncationWarning(name, counts, { ...target, server: serverByName(deps.status(id)?.server) }),
    onReportedContextSize: (size) => deps.contextSizes.setReported(endpoint, model, size),
    // A model file refuses a prompt that is too long.
    detect: deps.detectCuts && kind !== 'gguf',
  })
  const slots = createPromptSlots({
    root,
    target,
    connection,
    // The context of a model file holds one prompt.
    slots: () => (kind === 'gguf' ? 1 : deps.status(id)?.slots),
    canSave: kind !== 'gguf',
    closed: deps.closed,
  })
  const estimatePrefill = createPrefillEstimate({ estimate: tokens.estimate, countsCached: kind === 'ollama' })
  let hasPrompt = false
  return {
    tokens,
    watchPrompts(client) {
      const watched = slots.watch(estimatePrefill(watchPrompts(client)))
      return {
        ...watched,
        stream(request) {
          hasPrompt ||= !request.isAside
          return watched.stream(request)
        },
      }
    },
    slots,
    hasPrompt: () => hasPrompt,
  }
}
