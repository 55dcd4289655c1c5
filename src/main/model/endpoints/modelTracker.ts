import { isAbort } from '../../../shared/errors.ts'
import type { Endpoint, EndpointStatus, ModelInfo } from '../../../shared/settings.ts'
import type { ModelClient } from '../clients/modelClient.ts'
import type { ConnectionOptions } from '../transport/http.ts'
import { asLoaded, findModel, optionsOf } from '../clients/modelOptions.ts'
import { endpointRoot } from '../clients/openAiClient.ts'
import { createPromptWatch } from '../tokens/promptCutWatch.ts'
import { requestTarget } from './endpointClient.ts'
import { promptCutWarning } from '../transport/errorHints.ts'
import { serverByName } from './knownServers.ts'
import { createTokenCounter, type TokenCounter } from '../tokens/tokenCounter.ts'

export interface ModelTrackerDeps {
  /** As it is configured now. */
  endpoint(id: string): Endpoint | undefined
  connection(endpoint: Endpoint): Promise<ConnectionOptions>
  /** Asks an endpoint for its models. @throws AbortError */
  probe(endpoint: Endpoint, signal: AbortSignal): Promise<EndpointStatus>
  /** What was last known of an endpoint. */
  status(endpointId: string): EndpointStatus | undefined
  /** Told of news of a loaded model. */
  onStatus(status: EndpointStatus): void
  /** Called when a server named a model's window. */
  onWindowChanged(): void
  detectCuts: boolean
}

/** What is found out about a model while it is used. */
export interface TrackedModel {
  tokens: TokenCounter
  /** A client whose answers are held against what was sent. */
  watchPrompts(client: ModelClient): ModelClient
  /** What its server named when it refused a prompt as too long, in tokens. Counts before what is listed or set, where it is less. */
  readonly reportedWindow: number | undefined
}

export interface ModelTracker {
  /** One for each model of each server, so that what a conversation taught it serves the next. */
  model(endpoint: Endpoint, model: string): TrackedModel
  /** Models with the windows that their server named. */
  withReportedWindows(endpoint: Endpoint, models: ModelInfo[]): ModelInfo[]
  /** The lists were asked for anew: what models are loaded with has to be read again after their next answer. */
  readAgain(): void
  /** The user changed an endpoint or looks again: a server may have been started anew with another window. */
  forget(): void
}

/** More models than anybody changes between; what was learnt of them is learnt again. */
const cap = 64
/** An answer waits no longer for news of the window. Milliseconds. */
const askMs = 1500
/** Servers unload a model that is not used, Ollama after five minutes, and may load it differently the next time. Milliseconds. */
const freshMs = 300_000

export function createModelTracker(parts: ModelTrackerDeps): ModelTracker {
  const used = new Map<string, TrackedModel>()
  const named = new Map<string, number>()
  /** When a model's window was read after an answer of it. */
  const read = new Map<string, number>()

  /**
   * The window of a model that has just answered. Servers that load a model when it is asked (LM Studio, Ollama, llama-server as a
   * router) may load it with less than they said before, so its answer is a reason to ask again.
   */
  const loadedWindow = async (endpointId: string, model: string, signal: AbortSignal): Promise<number | undefined> => {
    const endpoint = parts.endpoint(endpointId)
    if (!endpoint) return undefined
    const key = `${endpointId} ${model}`
    if (performance.now() - (read.get(key) ?? -Infinity) > freshMs && endpoint.kind !== 'tour') {
      read.set(key, performance.now())
      try {
        const status = await parts.probe(endpoint, AbortSignal.any([signal, AbortSignal.timeout(askMs)]))
        const { models } = status
        const loaded = models.map((each) => (each.id === model || models.length === 1 ? asLoaded(each) : each))
        if (status.reachable) parts.onStatus({ ...status, models: loaded })
      } catch (error) {
        signal.throwIfAborted()
        // What was known before has to do: nobody waits for a list longer than this.
        if (!isAbort(error)) throw error
      }
    }
    const { models = [] } = parts.status(endpointId) ?? {}
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
      if (used.size >= cap) used.clear()
      const connection = () => parts.connection(parts.endpoint(id) ?? endpoint)
      const tokens = createTokenCounter({ root, target, tokenizer: kind === 'openai', connection }, model)
      const watch = createPromptWatch({
        tokens,
        window: (signal) => loadedWindow(id, model, signal),
        hidesCached: kind === 'ollama',
        warning: (cut) => promptCutWarning(name, cut, { ...target, server: serverByName(parts.status(id)?.server) }),
        onReportedWindow(window) {
          named.set(key, window)
          parts.onWindowChanged()
        },
        detect: parts.detectCuts,
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
    readAgain: () => read.clear(),
    forget() {
      read.clear()
      named.clear()
    },
  }
}

/** One model of one server: an endpoint whose address changes is another server. */
function keyOf(endpoint: Endpoint, model: string): string {
  return `${endpoint.id} ${endpointRoot(endpoint.baseUrl, requestTarget(endpoint, model))} ${model}`
}
