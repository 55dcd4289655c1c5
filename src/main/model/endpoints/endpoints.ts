import { tourWindow } from '../../../shared/contextAllocation.ts'
import type { Features } from '../../../shared/features.ts'
import type { ModelChoice } from '../../../shared/conversation.ts'
import { firstUsableModel } from '../../../shared/firstUsableModel.ts'
import type { Endpoint, EndpointStatus, ModelInfo } from '../../../shared/settings.ts'
import { ModelError, type ModelClient } from '../clients/modelClient.ts'
import type { Secrets } from './endpointCredentials.ts'
import { discoveredEndpoint, type DiscoveryOptions } from './discovery.ts'
import type { EndpointDraft } from './endpointDrafts.ts'
import { unlessAborted } from '../transport/unlessAborted.ts'
import { findModel } from '../clients/modelOptions.ts'
import { configuredContextSize, createContextSizes, type ContextSizes } from './contextSize.ts'
import { createEndpointStatuses, type EndpointStatuses } from './endpointStatuses.ts'
import {
  createEndpointStore,
  type EndpointChange,
  type EndpointSettings,
  type EndpointStore,
  type SaveOptions,
} from './endpointStore.ts'
import { createModelTracker } from './modelTracker.ts'
import { createModelFiles, type ModelFiles, type ModelFilesDeps } from '../file/modelFiles.ts'
import type { Timeouts } from '../transport/openStream.ts'
import type { TextPrompt } from '../clients/requestCompat.ts'
import { createCompatStore } from '../clients/compatStore.ts'
import { endpointRoot } from '../clients/clientOptions.ts'
import {
  connectionOptions,
  createEndpointClient,
  probeEndpoint,
  testEndpoint,
  requestTarget,
  type EndpointAccess,
  type ServerAccess,
} from './endpointClient.ts'
import { embedAtServer, toVector } from '../embeddings/serverEmbeddings.ts'
import type { TokenCounter } from '../tokens/tokenCounter.ts'
import type { PromptSlots } from '../slots/promptSlots.ts'
import { isOnThisMachine, serverByName, type LocalServer } from './knownServers.ts'

export interface EndpointsDeps {
  settings: EndpointSettings
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
  /** How model files are run. */
  modelFiles?: ModelFilesDeps
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
  /** @throws ModelError `unreachable` if the endpoint does not exist */
  client(id: string): ModelClient
  /**
   * Returns the client, context size (contextSize.ts), token counter and slots of a model. Requests the context size if it is
   * unknown.
   * @throws ModelError
   */
  model(
    choice: ModelChoice,
    signal?: AbortSignal,
  ): Promise<{ client: ModelClient; contextWindow?: number; tokens: TokenCounter; slots: PromptSlots }>
  /** Requests what the next `model` with this choice needs, for a host that knows the model before there is a turn. */
  prepare(choice: ModelChoice): void
  /** Returns how to reach the server of a model without a chat client. @throws ModelError */
  access(choice: ModelChoice): Promise<ServerAccess>
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
   * Changes the options of an endpoint's models, and other settings with them, in one update: what another process
   * stored in the meantime stays. Stores a discovered endpoint.
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
  /** Aborted by `dispose`. */
  readonly closed: AbortSignal
  /** Aborts requests in progress. */
  dispose(): void
}

export const tourEndpointId = 'tour'

/** The model of the tour, known without a request. */
export const tourModel: ModelInfo = { id: 'tour (scripted)', contextWindow: tourWindow, tools: true, loaded: true }

/** Creates the registry of all model servers. Keys stay inside it and are sent only in request headers. */
export function createEndpoints(deps: EndpointsDeps): Endpoints {
  const { settings, secrets, features } = deps
  const disposed = new AbortController()
  const store = createEndpointStore(settings, secrets)
  const discovery = deps.discovery === false ? undefined : { env: process.env, ...deps.discovery }
  let tour: Endpoint | undefined

  const get = (id: string) =>
    tour?.id === id
      ? tour
      : (store.list().find((endpoint) => endpoint.id === id) ?? discoveredEndpoint(id, discovery?.ports))
  const modelFiles = createModelFiles(disposed.signal, deps.modelFiles)
  const probe = async (endpoint: Endpoint, signal: AbortSignal) =>
    endpoint.kind === 'gguf' ? modelFiles.probe(endpoint) : probeEndpoint(store.withAccess(endpoint), signal)
  const modelsOf = (endpointId: string) => statuses.find(endpointId)?.models ?? []
  const contextSizes: ContextSizes = createContextSizes({
    endpoint: get,
    probe: (endpoint, signal) => probe(endpoint, AbortSignal.any([signal, disposed.signal])),
    models: modelsOf,
    onStatus: (status) => statuses.replace(status),
    onReported: () => statuses.notify(),
  })
  const statuses: EndpointStatuses = createEndpointStatuses({
    configured: store.list,
    tour: () => tour,
    discovery: discovery?.env['TIZONA_NO_DISCOVERY'] ? undefined : discovery,
    probe,
    adjustModels: contextSizes.limitToReported,
    onRefreshed(all) {
      if (all) forgetServers()
      else contextSizes.expireLoaded()
    },
    onReachableAgain: () => tracker.forgetSlots(),
    signal: disposed.signal,
  })
  const { statusOf, remember } = withUnlisted(statuses.find)
  const tracker = createModelTracker({
    endpoint: get,
    connection: (endpoint) => connectionOptions(store.withAccess(endpoint)),
    status: statusOf,
    contextSizes,
    fileTokenizer: modelFiles.tokenizer,
    closed: disposed.signal,
    detectCuts: features?.cutDetection ?? true,
  })
  const forgetServers = (): void => {
    contextSizes.reset()
    tracker.forgetSlots()
  }
  const clientOf = clientFactory(deps, store.withAccess, modelFiles, (id) => serverByName(statusOf(id)?.server))
  const existing = (id: string) => get(id) ?? throwMissing()
  const queries = createModelQueries({ get, models: modelsOf, probe, closed: disposed.signal })

  return {
    async list({ probe: all }, signal) {
      if (all || statuses.isIncomplete()) await unlessAborted(statuses.refresh(all), signal)
      return statuses.cached()
    },
    poll: statuses.poll,
    cachedStatuses: statuses.cached,
    get,
    modelInfo: ({ endpointId, model }) => findModel(modelsOf(endpointId), model),
    client: (id) => clientOf(existing(id)),
    async model({ endpointId, model }, signal = disposed.signal) {
      const endpoint = existing(endpointId)
      let models = modelsOf(endpointId)
      if (queries.areNeeded(endpoint, model)) {
        const status = await queries.take(endpoint, signal)
        models = status.models
        remember(status)
      }
      const client = clientOf(endpoint)
      const { tokens, watchPrompts, slots } = tracker.track(endpoint, model)
      const contextWindow = contextSizes.forRequest(endpoint, model, models)
      return { client: watchPrompts(client), tokens, slots, ...(contextWindow !== undefined && { contextWindow }) }
    },
    prepare: queries.prepare,
    ...directRequests(existing, store.withAccess, modelFiles, disposed.signal),
    server: (id) => ({ known: !!statusOf(id)?.server, local: isOnThisMachine(get(id)?.baseUrl ?? '') }),
    defaultModel() {
      const chosen = settings.get().model
      return chosen && get(chosen.endpointId) ? chosen : firstUsableModel(statuses.cached())
    },
    ...storedEndpoints({ existing, store, probe, modelFiles, statuses, forgetServers }),
    async test(draft, key, signal) {
      const access = await store.resolve(draft, key)
      return access.endpoint.kind === 'gguf' ? modelFiles.probe(access.endpoint) : testEndpoint(access, signal)
    },
    setTour(url) {
      tour = url === undefined ? undefined : tourEndpoint(url)
      statuses.delete(tourEndpointId)
      if (tour) statuses.set({ endpoint: tour, reachable: true, models: [tourModel], discovered: false })
      statuses.notify()
    },
    onChanged: statuses.onChanged,
    closed: disposed.signal,
    dispose: () => disposed.abort(),
  }
}

interface StoredEndpointsDeps {
  /** @throws ModelError */
  existing(endpointId: string): Endpoint
  store: EndpointStore
  probe(endpoint: Endpoint, signal: AbortSignal): Promise<EndpointStatus>
  modelFiles: ModelFiles
  statuses: EndpointStatuses
  /** Forgets what is learned from servers, because they may have been started again. */
  forgetServers(): void
}

/** Changes the endpoints in the settings, and what is known about their servers. */
function storedEndpoints({
  existing,
  store,
  probe,
  modelFiles,
  statuses,
  forgetServers,
}: StoredEndpointsDeps): Pick<Endpoints, 'save' | 'change' | 'remove'> {
  async function queryStored(endpoint: Endpoint, signal: AbortSignal): Promise<EndpointStatus> {
    const status = await probe(endpoint, signal)
    modelFiles.keepOnly(store.list())
    statuses.set(status)
    forgetServers()
    statuses.notify()
    return status
  }
  return {
    save: async (draft, key, signal, options) => queryStored(await store.save(draft, key, options), signal),
    change: async (id, change, signal) => queryStored(await store.change(existing(id), change), signal),
    async remove(id) {
      await store.remove(id)
      modelFiles.keepOnly(store.list())
      statuses.delete(id)
      statuses.notify()
    },
  }
}

interface ModelQueryDeps {
  get(endpointId: string): Endpoint | undefined
  /** The last known models of an endpoint. */
  models(endpointId: string): readonly ModelInfo[]
  probe(endpoint: Endpoint, signal: AbortSignal): Promise<EndpointStatus>
  /** Aborts queries that began before they were needed. */
  closed: AbortSignal
}

/** Queries endpoints for the context size of a model if it is unknown. */
function createModelQueries({ get, models, probe, closed }: ModelQueryDeps) {
  const begun = new Map<string, Promise<EndpointStatus>>()
  const areNeeded = (endpoint: Endpoint, model: string): boolean =>
    configuredContextSize(endpoint, model) === undefined && !findModel(models(endpoint.id), model)
  return {
    areNeeded,
    prepare({ endpointId, model }: ModelChoice): void {
      const endpoint = get(endpointId)
      if (!endpoint || !areNeeded(endpoint, model)) return
      const query = probe(endpoint, closed)
      query.catch(() => begun.delete(endpointId))
      begun.set(endpointId, query)
    },
    /** Returns the answer to the query that `prepare` began, once, otherwise to a new one. */
    take(endpoint: Endpoint, signal: AbortSignal): Promise<EndpointStatus> {
      const query = begun.get(endpoint.id)
      begun.delete(endpoint.id)
      return query ? unlessAborted(query, signal) : probe(endpoint, signal)
    },
  }
}

/** Requests that need no chat client. @param closed aborts them */
function directRequests(
  existing: (id: string) => Endpoint,
  withAccess: (endpoint: Endpoint) => EndpointAccess,
  modelFiles: ModelFiles,
  closed: AbortSignal,
): Pick<Endpoints, 'access' | 'embed'> {
  return {
    async access({ endpointId, model }) {
      const endpoint = existing(endpointId)
      if (endpoint.kind === 'gguf') throw notForSuggestions(endpoint)
      return serverAccess(withAccess(endpoint), model)
    },
    async embed({ endpointId, model }, texts, given) {
      const endpoint = existing(endpointId)
      const signal = AbortSignal.any([given, closed])
      if (endpoint.kind !== 'gguf') return embedAtServer(await serverAccess(withAccess(endpoint), model), texts, signal)
      return (await modelFiles.embed(endpoint, texts, signal)).map((vector) => toVector(vector, endpoint))
    },
  }
}

function notForSuggestions({ name }: Endpoint): ModelError {
  return new ModelError(
    'bad_request',
    `${name} is a model file, which inline suggestions cannot use.`,
    'Select a model on a server for inline suggestions.',
  )
}

/** @throws ModelError */
async function serverAccess(access: EndpointAccess, model: string): Promise<ServerAccess> {
  const { endpoint } = access
  const target = requestTarget(endpoint, model)
  const connection = await connectionOptions(access)
  return { root: endpointRoot(endpoint.baseUrl, target), connection, target }
}

/** Adds the statuses of endpoints that were queried for a model before they were listed. */
function withUnlisted(find: EndpointStatuses['find']): {
  statusOf: EndpointStatuses['find']
  remember(status: EndpointStatus): void
} {
  const unlisted = new Map<string, EndpointStatus>()
  return {
    statusOf(id) {
      const listed = find(id)
      return listed?.reachable ? listed : (unlisted.get(id) ?? listed)
    },
    remember: (status) => void unlisted.set(status.endpoint.id, status),
  }
}

/** Returns a function that creates the client of an endpoint. Clients share what they learn about request formats. */
function clientFactory(
  { timeouts, features, textPrompt }: EndpointsDeps,
  withAccess: (endpoint: Endpoint) => EndpointAccess,
  modelFiles: ModelFiles,
  serverOf: (endpointId: string) => LocalServer | undefined,
): (endpoint: Endpoint) => ModelClient {
  const options = {
    compatStore: createCompatStore(),
    ...(features && { features }),
    ...(textPrompt && { textPrompt }),
  }
  return (endpoint) =>
    endpoint.kind === 'gguf'
      ? modelFiles.client(endpoint, options)
      : createEndpointClient(withAccess(endpoint), timeouts, { ...options, server: serverOf(endpoint.id) })
}

function throwMissing(): never {
  throw new ModelError('unreachable', 'The endpoint of this conversation no longer exists.', 'Select another model.')
}

function tourEndpoint(url: string): Endpoint {
  return { id: tourEndpointId, name: 'Tour (scripted)', kind: 'tour', baseUrl: url, hasKey: false }
}
