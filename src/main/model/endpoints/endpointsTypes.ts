import type { Features } from '../../base/features.ts'
import type { ModelChoice } from '../../../shared/agent/conversation.ts'
import type { Endpoint, EndpointStatus, ModelInfo } from '../../../shared/settings/settings.ts'
import type { ModelClient } from '../modelClient.ts'
import type { TextPrompt } from '../clients/requestCompat.ts'
import type { ModelFilesDeps } from '../file/modelFiles.ts'
import type { PromptCache } from '../slots/promptCache.ts'
import type { TokenCounter } from '../tokens/tokenCounter.ts'
import type { HintTarget } from '../transport/errorHints.ts'
import type { Timeouts } from '../transport/busyServerRetries.ts'
import type { DiscoveryOptions } from './discovery.ts'
import type { ServerAccess } from '../transport/serverAccess.ts'
import type { CalibrationFile, GuidedCalibration } from './guidedCalls.ts'
import type { Secrets } from './endpointCredentials.ts'
import type { EndpointDraft } from './endpointDrafts.ts'
import type { DesktopModels } from './windowComputer.ts'
import type { EndpointChange, EndpointSettingsStore, SaveOptions } from './endpointSettings.ts'
import type { TrackedModel } from './modelTracker.ts'

export interface EndpointsDeps {
  settings: EndpointSettingsStore
  secrets: Secrets
  /**
   * Options for probing this machine. `env` defaults to the environment of the process. `false`, or
   * `TIZONA_NO_DISCOVERY` in `env`, disables probing.
   */
  discovery?: DiscoveryOptions | false
  timeouts?: Partial<Timeouts>
  /** Default: all enabled. */
  features?: Partial<Features>
  /** Describes the tools to a model without native tool calls. */
  textPrompt?: TextPrompt
  /** Default: none. */
  desktop?: DesktopModels | undefined
  /** How model files are run. */
  modelFiles?: ModelFilesDeps
  /** Keeps what is learned for guided turns. Default: it is learned again after each start. */
  calibrations?: CalibrationFile
}

export interface Endpoints {
  /**
   * Lists the configured endpoints, those discovered on this machine, and the tour while it runs.
   * @param options `probe` queries all of them again; otherwise only those without a known status
   */
  list(options: { probe: boolean }, signal: AbortSignal): Promise<EndpointStatus[]>
  /**
   * Checks for servers that started or stopped: on the local ports, and configured endpoints without a usable model.
   * Cheap to repeat: it lists the models of a port only after the port opened or closed, or while its server is
   * loading.
   */
  poll(): Promise<void>
  /** The last known statuses, without a request. */
  cachedStatuses(): EndpointStatus[]
  get(id: string): Endpoint | undefined
  /** The last known details of a model, without a request. */
  modelInfo(choice: ModelChoice): ModelInfo | undefined
  /**
   * Returns the facts that hints about a model depend on. @throws ModelError `unreachable` if the endpoint does not
   * exist
   */
  hintTarget(choice: ModelChoice): HintTarget
  /** @throws ModelError `unreachable` if the endpoint does not exist */
  client(id: string): ModelClient
  /**
   * Returns the client, context size (contextSize.ts), token counter and prompt cache of a model. Queries the server if the
   * context size is unknown. The client's format is fixed for a turn, because changing it would lose the prompt
   * cache.
   * @throws ModelError
   */
  model(
    choice: ModelChoice,
    signal?: AbortSignal,
  ): Promise<{
    client: ModelClient
    contextWindow?: number
    tokens: TokenCounter
    cache?: PromptCache
    hasPrompt: TrackedModel['hasPrompt']
    /** Calibration of a model that works in guided turns. Absent: it calls tools itself. */
    guided?: GuidedCalibration
    /** Whether guided turns are possible. */
    canGuide: boolean
  }>
  /**
   * Queries the server of a model if nothing is known about it, for hosts that know the model before the first turn.
   * Resolves when the server has answered or failed to.
   */
  prepare(choice: ModelChoice): Promise<void>
  /** Returns how to reach the server of a model without a chat client. @throws ModelError */
  access(choice: ModelChoice): Promise<ServerAccess>
  /** Same as `access`, for suggestions, with Ollama's parameters for loading the model. @throws ModelError */
  suggestionAccess(choice: ModelChoice): Promise<ServerAccess>
  /**
   * Computes the embeddings of texts with an embedding model.
   * @returns a vector per text, in the order of the texts
   * @throws ModelError, AbortError
   */
  embed(choice: ModelChoice, texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>
  /** Returns whether the server of an endpoint is known software, and whether it runs on this machine. */
  server(endpointId: string): { known: boolean; local: boolean }
  /** The selected model, otherwise the first usable one. */
  defaultModel(): ModelChoice | undefined
  /**
   * Stores an endpoint.
   * @param key text stores it, `null` or `''` deletes it; undefined keeps the stored one, unless the address changed to
   *   another server
   * @param options `unlessKnown` changes nothing if an endpoint of the same kind and address is stored
   * @returns the status of the stored endpoint
   * @throws ToolError `invalid_arguments`
   */
  save(
    draft: EndpointDraft,
    key: string | null | undefined,
    signal: AbortSignal,
    options?: SaveOptions,
  ): Promise<EndpointStatus>
  /**
   * Changes the options of an endpoint's models, and other settings with them, in one update, which keeps what other
   * processes have stored in the meantime. Stores a discovered endpoint.
   * @throws ModelError `unreachable` if the endpoint does not exist
   */
  change(id: string, change: EndpointChange, signal: AbortSignal): Promise<EndpointStatus>
  remove(id: string): Promise<void>
  /** Queries an endpoint without storing it. Uses a stored key only for the server it was stored for. */
  test(draft: EndpointDraft, key: string | null | undefined, signal: AbortSignal): Promise<EndpointStatus>
  /** Adds the tour's scripted endpoint; `undefined` removes it. */
  setTour(url: string | undefined): void
  /** @returns a function that unsubscribes */
  onChanged(listener: (statuses: EndpointStatus[]) => void): () => void
  /**
   * Calls `listener` when the facts learned about the server of an endpoint are outdated, because the user changed or
   * refreshed it, or because the server was gone, was replaced or has different models. No id: all endpoints.
   * @returns a function that unsubscribes
   */
  onForgotten(listener: (endpointId?: string) => void): () => void
  /** Aborted by `dispose`. */
  readonly closed: AbortSignal
  /** Aborts requests in progress. */
  dispose(): void
}
