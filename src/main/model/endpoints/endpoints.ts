import { tourWindow } from '../../../shared/contextAllocation.ts'
import type { Features } from '../../../shared/features.ts'
import type { ModelChoice } from '../../../shared/conversation.ts'
import type { Endpoint, EndpointStatus, ModelInfo, Settings } from '../../../shared/settings.ts'
import { ModelError, type ModelClient } from '../clients/modelClient.ts'
import { readCredentials, writeCredentials, type Secrets } from './credentials.ts'
import { discover, discoveredEndpoint, openPorts, type DiscoveryOptions } from './discovery.ts'
import { serverKey, resolveDraft, type EndpointDraft } from './endpointDrafts.ts'
import { abortError } from '../transport/http.ts'
import { findModel, optionsOf } from '../clients/modelOptions.ts'
import { createModelTracker } from './modelTracker.ts'
import type { Timeouts } from '../transport/openStream.ts'
import type { TextPrompt } from '../clients/compatMessages.ts'
import { createCompatStore } from '../clients/compatStore.ts'
import { connectionOptions, probeEndpoint, createEndpointClient, type EndpointAccess } from './endpointClient.ts'
import type { TokenCounter } from '../tokens/tokenCounter.ts'

export interface EndpointsDeps {
  /** The part of the settings store that endpoints use. */
  settings: {
    get(): Settings
    update(change: (stored: Settings) => Partial<Settings>): Promise<Settings>
  }
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
   * Returns the client, context size and token counter of a model. Requests the context size if it is unknown. @throws
   * ModelError
   */
  model(
    choice: ModelChoice,
    signal?: AbortSignal,
  ): Promise<{ client: ModelClient; contextWindow?: number; tokens: TokenCounter }>
  /** The selected model, otherwise the first usable one. */
  defaultModel(): ModelChoice | undefined
  /**
   * Stores an endpoint.
   * @param key text stores it, `null` or `''` deletes it; undefined keeps the stored one, unless the address changed to
   *   another server
   * @throws ToolError `invalid_arguments`
   */
  save(draft: EndpointDraft, key: string | null | undefined, signal: AbortSignal): Promise<EndpointStatus>
  remove(id: string): Promise<void>
  /** Queries an endpoint without storing it. Uses a stored key only for the server it was stored for. */
  test(draft: EndpointDraft, key: string | null | undefined, signal: AbortSignal): Promise<EndpointStatus>
  /** Adds the tour's scripted endpoint; `undefined` removes it. */
  setTour(url: string | undefined): void
  /** @returns a function that unsubscribes */
  onChanged(listener: (statuses: EndpointStatus[]) => void): () => void
  /** Aborts requests in progress. */
  dispose(): void
}

export const tourEndpointId = 'tour'

/** Creates the registry of all model servers. Keys stay inside it and are sent only in request headers. */
export function createEndpoints(deps: EndpointsDeps): Endpoints {
  const { settings, secrets, timeouts, features, textPrompt } = deps
  const clientOptions = {
    compatStore: createCompatStore(),
    ...(features && { features }),
    ...(textPrompt && { textPrompt }),
  }
  const statuses = new Map<string, EndpointStatus>()
  const listeners = new Set<(statuses: EndpointStatus[]) => void>()
  let discovered: EndpointStatus[] | undefined
  let tour: Endpoint | undefined
  let refreshing: Promise<void> | undefined
  let polling: Promise<void> | undefined
  /** The open ports at the last check. */
  let lastOpenPorts: string | undefined
  const disposed = new AbortController()

  const configured = () => settings.get().endpoints.filter((endpoint) => endpoint.kind !== 'tour')
  const discovery = deps.discovery === false ? undefined : { env: process.env, ...deps.discovery }
  const get = (id: string) =>
    tour?.id === id
      ? tour
      : (configured().find((endpoint) => endpoint.id === id) ?? discoveredEndpoint(id, discovery?.ports))
  const existing = (id: string): Endpoint => {
    const endpoint = get(id)
    if (!endpoint)
      throw new ModelError(
        'unreachable',
        'The endpoint of this conversation no longer exists.',
        'Select another model.',
      )
    return endpoint
  }

  const storedAccess = (endpoint: Endpoint): EndpointAccess => ({
    endpoint,
    credentials: () => readCredentials(secrets, endpoint),
  })
  const probeStored = (endpoint: Endpoint, signal: AbortSignal) => probeEndpoint(storedAccess(endpoint), signal)

  const modelTracker = createModelTracker({
    endpoint: get,
    connection: (endpoint) => connectionOptions(storedAccess(endpoint)),
    probe: (endpoint, signal) => probeStored(endpoint, AbortSignal.any([signal, disposed.signal])),
    status: (endpointId) => cachedStatuses().find(({ endpoint }) => endpoint.id === endpointId),
    onStatus(status) {
      const { endpoint, models } = status
      if (statuses.has(endpoint.id)) statuses.set(endpoint.id, status)
      else discovered = discovered?.map((each) => (each.endpoint.id === endpoint.id ? { ...each, models } : each))
      notify()
    },
    onWindowChanged: () => notify(),
    detectCuts: features?.cutDetection ?? true,
  })

  const cachedStatuses = (): EndpointStatus[] => {
    const taken = new Set(queriedEndpoints().flatMap((endpoint) => [endpoint.id, serverKey(endpoint)]))
    const statusOf = (endpoint: Endpoint): EndpointStatus => {
      const last = statuses.get(endpoint.id)
      if (!last) return { endpoint, reachable: false, models: [], discovered: false, problem: 'Not checked yet.' }
      return { ...last, endpoint, models: modelTracker.withReportedWindows(endpoint, last.models) }
    }
    const found = (discovered ?? []).filter(
      ({ endpoint }) => !taken.has(endpoint.id) && !taken.has(serverKey(endpoint)),
    )
    return [
      ...configured().map(statusOf),
      ...found.map((status) => ({
        ...status,
        models: modelTracker.withReportedWindows(status.endpoint, status.models),
      })),
      ...(tour ? [statusOf(tour)] : []),
    ]
  }
  const notify = () => {
    for (const listener of listeners) listener(cachedStatuses())
  }

  const mayProbe = discovery !== undefined && !discovery.env['TIZONA_NO_DISCOVERY']
  const queriedEndpoints = (): Endpoint[] => [...(tour ? [tour] : []), ...configured()]

  /** Runs one refresh at a time. Other callers wait for it, so no single caller's signal aborts it. */
  const refresh = (all: boolean): Promise<void> => {
    refreshing ??= (async () => {
      const { signal } = disposed
      const own = queriedEndpoints().filter((endpoint) => all || !statuses.has(endpoint.id))
      const probing = mayProbe && (all || !discovered)
      const [found, answers] = await Promise.all([
        probing ? discover(discovery, signal) : Promise.resolve(discovered ?? []),
        Promise.all(own.map((endpoint) => probeStored(endpoint, signal))),
      ])
      discovered = found
      if (all) modelTracker.reset()
      else modelTracker.expireWindows()
      for (const answer of answers) statuses.set(answer.endpoint.id, answer)
      if (probing || answers.length > 0) notify()
    })()
      .catch((error: unknown) => {
        // Aborted by `dispose`.
        if (!disposed.signal.aborted) throw error
      })
      .finally(() => (refreshing = undefined))
    return refreshing
  }

  /** Like `refresh`, for changes that happen without the user. Notifies listeners only of a changed status. */
  const poll = async (): Promise<void> => {
    if (!mayProbe || refreshing) return
    const { signal } = disposed
    const before = JSON.stringify(cachedStatuses())
    const open = (await openPorts(discovery, signal)).join()
    const loading = discovered?.some(({ models }) => models.length === 0) ?? true
    const down = configured().filter(({ id }) => !statuses.get(id)?.models.length)
    const [found, answers] = await Promise.all([
      open !== lastOpenPorts || loading ? discover(discovery, signal) : Promise.resolve(discovered ?? []),
      Promise.all(down.map((endpoint) => probeStored(endpoint, signal))),
    ])
    lastOpenPorts = open
    discovered = found
    for (const answer of answers) statuses.set(answer.endpoint.id, answer)
    if (JSON.stringify(cachedStatuses()) !== before) notify()
  }

  const settle = (draft: EndpointDraft, key: string | null | undefined) =>
    resolveDraft(
      draft,
      key,
      configured().find((endpoint) => endpoint.id === draft.id),
      secrets,
    )

  return {
    async list({ probe }, signal) {
      if (probe || !discovered || configured().some((endpoint) => !statuses.has(endpoint.id)))
        await unlessAborted(refresh(probe), signal)
      return cachedStatuses()
    },
    async poll() {
      polling ??= poll()
        .catch((error: unknown) => {
          // Aborted by `dispose`.
          if (!disposed.signal.aborted) throw error
        })
        .finally(() => (polling = undefined))
      return polling
    },
    cachedStatuses: cachedStatuses,
    get,
    modelInfo: ({ endpointId, model }) =>
      findModel(cachedStatuses().find(({ endpoint }) => endpoint.id === endpointId)?.models ?? [], model),
    client: (id) => createEndpointClient(storedAccess(existing(id)), timeouts, clientOptions),
    async model({ endpointId, model }, signal = disposed.signal) {
      const endpoint = existing(endpointId)
      const client = createEndpointClient(storedAccess(endpoint), timeouts, clientOptions)
      const chosenWindow = optionsOf(endpoint, model).contextWindow ?? endpoint.contextWindow
      let models = cachedStatuses().find((status) => status.endpoint.id === endpointId)?.models ?? []
      if (chosenWindow === undefined && !findModel(models, model)) {
        models = (await probeStored(endpoint, signal)).models
      }
      // The list already includes the user's settings. A model may be loaded with a smaller context.
      const listed =
        models.find((candidate) => candidate.id === model)?.contextWindow ??
        chosenWindow ??
        findModel(models, model)?.contextWindow
      const { tokens, watchPrompts: watch, reportedWindow: namedWindow } = modelTracker.model(endpoint, model)
      const contextWindow = Math.min(listed ?? Infinity, namedWindow ?? Infinity)
      return { client: watch(client), tokens, ...(Number.isFinite(contextWindow) && { contextWindow }) }
    },
    defaultModel() {
      const chosen = settings.get().model
      if (chosen && get(chosen.endpointId)) return chosen
      for (const { endpoint, models } of cachedStatuses()) {
        if (endpoint.kind === 'tour') continue
        const usable = models.filter((model) => model.tools !== false)
        const best = usable.find((model) => model.loaded) ?? usable[0]
        if (best) return { endpointId: endpoint.id, model: best.id }
      }
      return undefined
    },
    async save(draft, key, signal) {
      const { endpoint, credentials } = await settle(draft, key)
      await writeCredentials(secrets, endpoint.id, credentials)
      await settings.update(({ endpoints }) => {
        const at = endpoints.findIndex((candidate) => candidate.id === endpoint.id)
        return { endpoints: at === -1 ? [...endpoints, endpoint] : endpoints.with(at, endpoint) }
      })
      const status = await probeStored(endpoint, signal)
      statuses.set(endpoint.id, status)
      modelTracker.reset()
      notify()
      return status
    },
    async remove(id) {
      await settings.update(({ endpoints, model, smallModel }) => ({
        endpoints: endpoints.filter((endpoint) => endpoint.id !== id),
        ...(model?.endpointId === id && { model: undefined }),
        ...(smallModel?.endpointId === id && { smallModel: null }),
      }))
      await writeCredentials(secrets, id, null)
      statuses.delete(id)
      notify()
    },
    async test(draft, key, signal) {
      const { endpoint, credentials } = await settle(draft, key)
      return probeEndpoint({ endpoint, credentials: () => Promise.resolve(credentials) }, signal)
    },
    setTour(url) {
      tour =
        url === undefined
          ? undefined
          : { id: tourEndpointId, name: 'Tour (scripted)', kind: 'tour', baseUrl: url, hasKey: false }
      statuses.delete(tourEndpointId)
      if (tour)
        statuses.set(tourEndpointId, { endpoint: tour, reachable: true, models: [tourModel], discovered: false })
      notify()
    },
    onChanged(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    dispose: () => disposed.abort(),
  }
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(abortError())
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

/** The model of the tour, known without a request. */
export const tourModel: ModelInfo = { id: 'tour (scripted)', contextWindow: tourWindow, tools: true, loaded: true }
