import { isAbort } from '../../../shared/errors.ts'
import { isSameModel } from '../../../shared/models/modelName.ts'
import type { Endpoint, EndpointStatus, ModelInfo } from '../../../shared/settings/settings.ts'
import { endpointRoot } from '../clients/clientOptions.ts'
import { findModel, optionsOf } from '../clients/modelOptions.ts'
import { requestTarget } from './endpointClient.ts'

// Decides the context size of a model, in tokens. In order of precedence:
// 1. the size in a server's error about a prompt that was too long, if it is smaller than the others
// 2. the size that the model is loaded with, if it is smaller than the next two
// 3. the user's setting for the model, otherwise for the endpoint
// 4. the size in the server's list of models (openAiListing.ts, modelListing.ts)
// If all are unknown, the agent assumes a size (`assumedWindow` in shared/agent/contextAllocation.ts).

/** Returns the context size that the user set for a model or for its endpoint; undefined if neither is set. */
export function configuredContextSize(endpoint: Endpoint, model: string): number | undefined {
  return optionsOf(endpoint, model).contextWindow ?? endpoint.contextWindow
}

/**
 * Returns the context size of a model without reported sizes; undefined if it is unknown.
 * @param models the endpoint's models. Their sizes already include the user's settings (`withOptions`)
 */
function listedContextSize(endpoint: Endpoint, model: string, models: readonly ModelInfo[]): number | undefined {
  return (
    models.find(({ id }) => isSameModel(id, model))?.contextWindow ??
    configuredContextSize(endpoint, model) ??
    findModel(models, model)?.contextWindow
  )
}

/** Limits a model's context size to the size that it is loaded with. */
function limitedToLoaded(model: ModelInfo): ModelInfo {
  const { loadedWindow } = model
  return loadedWindow === undefined ? model : limitedTo(model, loadedWindow)
}

function limitedTo(model: ModelInfo, size: number): ModelInfo {
  return size < (model.contextWindow ?? Infinity) ? { ...model, contextWindow: size } : model
}

export interface ContextSizesDeps {
  /** The endpoint as currently configured. */
  endpoint(id: string): Endpoint | undefined
  /** Requests an endpoint's models. @throws AbortError */
  probe(endpoint: Endpoint, signal: AbortSignal): Promise<EndpointStatus>
  /** The last known models of an endpoint. */
  models(endpointId: string): readonly ModelInfo[]
  /** Receives the status with the size that a model is loaded with. */
  onStatus(status: EndpointStatus): void
  /** Called when a server reports a context size in an error. */
  onReported(): void
}

/** Context sizes that become known while models are used. */
export interface ContextSizes {
  /** Returns the context size for the next request; undefined if it is unknown. */
  forRequest(endpoint: Endpoint, model: string, models: readonly ModelInfo[]): number | undefined
  /**
   * Returns the context size of a model that has just answered, and so is loaded. Servers that load models on demand
   * (LM Studio, Ollama, llama-server as a router) may load one with a smaller size than they listed.
   * @throws AbortError
   */
  afterAnswer(endpointId: string, model: string, signal: AbortSignal): Promise<number | undefined>
  /** Stores the size in a server's error about a prompt that was too long. */
  setReported(endpoint: Endpoint, model: string, size: number): void
  /** Limits a list of models to the reported sizes. */
  limitToReported(endpoint: Endpoint, models: ModelInfo[]): ModelInfo[]
  /** Marks the sizes of loaded models as outdated. Called after the models were listed again. */
  expireLoaded(): void
  /** Forgets the sizes of one endpoint, or of all, because their servers may have restarted. */
  reset(endpointId?: string): void
}

/** Time limit for reading the size of a loaded model, which delays the answer. Milliseconds. */
const probeMs = 1500
/**
 * Interval for reading the size of a loaded model again, in milliseconds. Servers unload idle models (Ollama after five
 * minutes) and may load them with a different size.
 */
const maxAgeMs = 300_000

export function createContextSizes(deps: ContextSizesDeps): ContextSizes {
  const reported = new Map<string, number>()
  /** When the size of a loaded model was last read, by endpoint and model. */
  const readAt = new Map<string, number>()

  async function readLoaded(endpoint: Endpoint, model: string, signal: AbortSignal): Promise<void> {
    const key = `${endpoint.id} ${model}`
    if (endpoint.kind === 'tour' || performance.now() - (readAt.get(key) ?? -Infinity) <= maxAgeMs) return
    readAt.set(key, performance.now())
    try {
      const status = await deps.probe(endpoint, AbortSignal.any([signal, AbortSignal.timeout(probeMs)]))
      const { models } = status
      const loaded = models.map((each) =>
        isSameModel(each.id, model) || models.length === 1 ? limitedToLoaded(each) : each,
      )
      if (status.reachable) deps.onStatus({ ...status, models: loaded })
    } catch (error) {
      signal.throwIfAborted()
      // After a timeout, the last known size remains.
      if (!isAbort(error)) throw error
    }
  }

  return {
    forRequest(endpoint, model, models) {
      const listed = listedContextSize(endpoint, model, models)
      const size = Math.min(listed ?? Infinity, reported.get(modelKey(endpoint, model)) ?? Infinity)
      return Number.isFinite(size) ? size : undefined
    },
    async afterAnswer(endpointId, model, signal) {
      const endpoint = deps.endpoint(endpointId)
      if (!endpoint) return undefined
      await readLoaded(endpoint, model, signal)
      return listedContextSize(endpoint, model, deps.models(endpointId))
    },
    setReported(endpoint, model, size) {
      reported.set(modelKey(endpoint, model), size)
      deps.onReported()
    },
    limitToReported(endpoint, models) {
      // An endpoint with an invalid address has no key.
      if (reported.size === 0) return models
      return models.map((model) => limitedTo(model, reported.get(modelKey(endpoint, model.id)) ?? Infinity))
    },
    expireLoaded: () => readAt.clear(),
    reset(endpointId) {
      for (const sizes of [readAt, reported])
        for (const key of sizes.keys()) if (endpointId === undefined || isOfEndpoint(key, endpointId)) sizes.delete(key)
    },
  }
}

/** Whether a key belongs to a model of an endpoint. */
export function isOfEndpoint(key: string, endpointId: string): boolean {
  return key.startsWith(`${endpointId} `)
}

/**
 * Identifies a model on a server. An endpoint with a changed address is another server.
 * @throws ModelError if the address is invalid
 */
export function modelKey(endpoint: Endpoint, model: string): string {
  return `${endpoint.id} ${endpointRoot(endpoint.baseUrl, requestTarget(endpoint, model))} ${model}`
}
