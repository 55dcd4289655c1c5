import { isAbort } from '../../../shared/errors.ts'
import type { Endpoint, EndpointStatus, ModelInfo } from '../../../shared/settings.ts'
import type { ModelClient } from '../clients/modelClient.ts'
import type { ConnectionOptions } from '../transport/http.ts'
import { asLoaded, findModel, optionsOf } from '../clients/modelOptions.ts'
import { endpointRoot } from '../clients/clientOptions.ts'
import { createPromptWatch } from '../tokens/promptCutWatch.ts'
import { requestTarget } from './endpointClient.ts'
import { promptCutWarning } from '../transport/errorHints.ts'
import { serverByName } from './knownServers.ts'
import { createTokenCounter, type TokenCounter } from '../tokens/tokenCounter.ts'

export interface ModelTrackerDeps {
  /** The endpoint as currently configured. */
  endpoint(id: string): Endpoint | undefined
  connection(endpoint: Endpoint): Promise<ConnectionOptions>
  /** Requests an endpoint's models. @throws AbortError */
  probe(endpoint: Endpoint, signal: AbortSignal): Promise<EndpointStatus>
  /** The last known status of an endpoint. */
  status(endpointId: string): EndpointStatus | undefined
  /** Receives the new status after a model was loaded. */
  onStatus(status: EndpointStatus): void
  /** Called when a server reports a model's context size in an error. */
  onWindowChanged(): void
  detectCuts: boolean
}

/** State of one model, learned while it is used. */
export interface TrackedModel {
  tokens: TokenCounter
  /** Wraps a client to compare reported prompt tokens with what was sent. */
  watchPrompts(client: ModelClient): ModelClient
  /**
   * The context size in the server's error about a prompt that was too long, in tokens. Overrides larger listed or
   * configured sizes.
   */
  readonly reportedWindow: number | undefined
}

export interface ModelTracker {
  /** Returns the state of a model on a server. Conversations share it. */
  model(endpoint: Endpoint, model: string): TrackedModel
  /** Applies reported context sizes to a list of models. */
  withReportedWindows(endpoint: Endpoint, models: ModelInfo[]): ModelInfo[]
  /** The models were listed again: context sizes of loaded models must be read after their next answer. */
  expireWindows(): void
  /** The user changed an endpoint or refreshed: servers may have restarted with other context sizes. */
  reset(): void
}

/** Maximum number of models to keep state for. Beyond it, all state is discarded and learned again. */
const maxModels = 64
/** Maximum delay of an answer for reading the context size, in milliseconds. */
const windowProbeMs = 1500
/**
 * Interval for reading the context size again, in milliseconds. Servers unload idle models (Ollama after five minutes)
 * and may load them with another size.
 */
const windowMaxAgeMs = 300_000

export function createModelTracker(deps: ModelTrackerDeps): ModelTracker {
  const used = new Map<string, TrackedModel>()
  const named = new Map<string, number>()
  /** When the context size of a model was last read. */
  const read = new Map<string, number>()

  /**
   * Returns the context size of a model that has just answered. Servers that load models on demand (LM Studio, Ollama,
   * llama-server as a router) may load one with a smaller size than they listed.
   */
  const loadedWindow = async (endpointId: string, model: string, signal: AbortSignal): Promise<number | undefined> => {
    const endpoint = deps.endpoint(endpointId)
    if (!endpoint) return undefined
    const key = `${endpointId} ${model}`
    if (performance.now() - (read.get(key) ?? -Infinity) > windowMaxAgeMs && endpoint.kind !== 'tour') {
      read.set(key, performance.now())
      try {
        const status = await deps.probe(endpoint, AbortSignal.any([signal, AbortSignal.timeout(windowProbeMs)]))
        const { models } = status
        const loaded = models.map((each) => (each.id === model || models.length === 1 ? asLoaded(each) : each))
        if (status.reachable) deps.onStatus({ ...status, models: loaded })
      } catch (error) {
        signal.throwIfAborted()
        // Keeps the last known size.
        if (!isAbort(error)) throw error
      }
    }
    const { models = [] } = deps.status(endpointId) ?? {}
    const own =
      models.find(({ id }) => id === model)?.contextWindow ??
      optionsOf(endpoint, model).contextWindow ??
      endpoint.contextWindow
    return own ?? findModel(models, model)?.contextWindow
  }

  return {
    model(endpoint, model) {
      const { id, name, kind } = endpoint
      const target = requestTarget(endpoint, model)
      const root = endpointRoot(endpoint.baseUrl, target)
      const key = keyOf(endpoint, model)
      const known = used.get(key)
      if (known) return known
      if (used.size >= maxModels) used.clear()
      const connection = () => deps.connection(deps.endpoint(id) ?? endpoint)
      const tokens = createTokenCounter({ root, target, tokenizer: kind === 'openai', connection }, model)
      const watch = createPromptWatch({
        tokens,
        window: (signal) => loadedWindow(id, model, signal),
        hidesCached: kind === 'ollama',
        warning: (cut) => promptCutWarning(name, cut, { ...target, server: serverByName(deps.status(id)?.server) }),
        onReportedWindow(window) {
          named.set(key, window)
          deps.onWindowChanged()
        },
        detect: deps.detectCuts,
      })
      const made: TrackedModel = {
        tokens,
        watchPrompts: watch,
        get reportedWindow() {
          return named.get(key)
        },
      }
      used.set(key, made)
      return made
    },
    withReportedWindows(endpoint, models) {
      if (named.size === 0) return models
      return models.map((model) => {
        const window = named.get(keyOf(endpoint, model.id))
        return window === undefined
          ? model
          : { ...model, contextWindow: Math.min(window, model.contextWindow ?? window) }
      })
    },
    expireWindows: () => read.clear(),
    reset() {
      read.clear()
      named.clear()
    },
  }
}

/** Identifies a model on a server. An endpoint with a changed address is another server. */
function keyOf(endpoint: Endpoint, model: string): string {
  return `${endpoint.id} ${endpointRoot(endpoint.baseUrl, requestTarget(endpoint, model))} ${model}`
}
