import { isAbort } from '../../../shared/errors.ts'
import type { Endpoint, EndpointStatus, ModelInfo } from '../../../shared/settings.ts'
import type { ModelClient } from '../clients/modelClient.ts'
import type { Access } from '../transport/http.ts'
import { asLoaded, findModel, optionsOf } from '../clients/modelOptions.ts'
import { rootOf } from '../clients/openAiClient.ts'
import { createPromptWatch } from '../tokens/promptCutWatch.ts'
import { whereOf } from './endpointClient.ts'
import { cutRemedy } from '../transport/errorHints.ts'
import { serverNamed } from './knownServers.ts'
import { createTokenCounter, type TokenCounter } from '../tokens/tokenCounter.ts'

export interface ModelUseParts {
  /** As it is configured now. */
  endpoint(id: string): Endpoint | undefined
  access(endpoint: Endpoint): Promise<Access>
  /** Asks an endpoint for its models. @throws AbortError */
  ask(endpoint: Endpoint, signal: AbortSignal): Promise<EndpointStatus>
  /** What was last known of an endpoint. */
  status(endpointId: string): EndpointStatus | undefined
  /** Told of news of a loaded model. */
  found(status: EndpointStatus): void
  /** Called when a server named a model's window. */
  changed(): void
  detectCuts: boolean
}

/** What is found out about a model while it is used. */
export interface UsedModel {
  tokens: TokenCounter
  /** A client whose answers are held against what was sent. */
  watch(client: ModelClient): ModelClient
  /** What its server named when it refused a prompt as too long, in tokens. Counts before what is listed or set, where it is less. */
  readonly namedWindow: number | undefined
}

export interface ModelUse {
  /** One for each model of each server, so that what a conversation taught it serves the next. */
  of(endpoint: Endpoint, model: string): UsedModel
  /** Models with the windows that their server named. */
  asNamed(endpoint: Endpoint, models: ModelInfo[]): ModelInfo[]
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

export function createModelUse(parts: ModelUseParts): ModelUse {
  const used = new Map<string, UsedModel>()
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
        const status = await parts.ask(endpoint, AbortSignal.any([signal, AbortSignal.timeout(askMs)]))
        const { models } = status
        const loaded = models.map((each) => (each.id === model || models.length === 1 ? asLoaded(each) : each))
        if (status.reachable) parts.found({ ...status, models: loaded })
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
    of(endpoint, model) {
      const { id, name, kind } = endpoint
      const where = whereOf(endpoint, model)
      const root = rootOf(endpoint.baseUrl, where)
      const key = keyOf(endpoint, model)
      const known = used.get(key)
      if (known) return known
      if (used.size >= cap) used.clear()
      const access = () => parts.access(parts.endpoint(id) ?? endpoint)
      const tokens = createTokenCounter({ root, where, tokenizer: kind === 'openai', access }, model)
      const watch = createPromptWatch({
        tokens,
        window: (signal) => loadedWindow(id, model, signal),
        hidesCached: kind === 'ollama',
        explain: (cut) => cutRemedy(name, cut, { ...where, server: serverNamed(parts.status(id)?.server) }),
        named(window) {
          named.set(key, window)
          parts.changed()
        },
        detect: parts.detectCuts,
      })
      const made: UsedModel = {
        tokens,
        watch,
        get namedWindow() {
          return named.get(key)
        },
      }
      used.set(key, made)
      return made
    },
    asNamed(endpoint, models) {
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
  return `${endpoint.id} ${rootOf(endpoint.baseUrl, whereOf(endpoint, model))} ${model}`
}
