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
import { createCompatStore, type TextPrompt } from '../clients/requestCompat.ts'
import { connectionOptions, probeEndpoint, createEndpointClient, type EndpointAccess } from './endpointClient.ts'
import type { TokenCounter } from '../tokens/tokenCounter.ts'

export interface EndpointsDeps {
  /** The part of the settings store that is needed here. */
  settings: {
    get(): Settings
    update(change: (stored: Settings) => Partial<Settings>): Promise<Settings>
  }
  secrets: Secrets
  /**
   * How this machine is probed; `env` is the process's own unless given. `false`, or `TIZONA_NO_DISCOVERY` in `env`: not at all.
   */
  discovery?: DiscoveryOptions | false
  timeouts?: Partial<Timeouts>
  /** Default: all. */
  features?: Partial<Features>
  /** Tells a model of tools that it cannot call natively. */
  textPrompt?: TextPrompt
}

export interface Endpoints {
  /**
   * The configured endpoints, those found on this machine, and the tour while it runs. `probe`: ask them all anew; otherwise what
   * was last known, asking only what never was.
   */
  list(options: { probe: boolean }, signal: AbortSignal): Promise<EndpointStatus[]>
  /**
   * Looks for servers that were started or ended since: this machine's ports, and configured endpoints without a usable model. Cheap
   * enough to be repeated: a port is asked for its models only when it opens or closes, or while its server still loads.
   */
  look(): Promise<void>
  /** What was last known, without asking. */
  known(): EndpointStatus[]
  get(id: string): Endpoint | undefined
  /** What was last known of a model, without asking. */
  describe(choice: ModelChoice): ModelInfo | undefined
  /** @throws ModelError `unreachable` when there is no such endpoint (any more) */
  client(id: string): ModelClient
  /** Client, window and token counter of a chosen model; the window is asked for when it is not known. @throws ModelError */
  model(
    choice: ModelChoice,
    signal?: AbortSignal,
  ): Promise<{ client: ModelClient; contextWindow?: number; tokens: TokenCounter }>
  /** The chosen model, else the first usable one that was found. */
  defaultModel(): ModelChoice | undefined
  /**
   * Stores an endpoint. `key`: text stores it, `null` or `''` forgets it; left out keeps the stored one, unless the address now
   * points to another server. @throws ToolError `invalid_arguments`
   */
  save(draft: EndpointDraft, key: string | null | undefined, signal: AbortSignal): Promise<EndpointStatus>
  remove(id: string): Promise<void>
  /** Asks an endpoint without storing it; a stored key is used only for the server it was stored for. */
  test(draft: EndpointDraft, key: string | null | undefined, signal: AbortSignal): Promise<EndpointStatus>
  /** The tour's scripted endpoint appears with a URL and is gone with `undefined`. */
  setTour(url: string | undefined): void
  /** @returns unsubscribe */
  onChanged(listener: (statuses: EndpointStatus[]) => void): () => void
  /** Ends a round of asking that is under way. */
  dispose(): void
}

export const tourEndpointId = 'tour'

/** Every model server Tizona knows of. Keys stay in here: they go into request headers and nowhere else. */
export function createEndpoints(parts: EndpointsDeps): Endpoints {
  const { settings, secrets, timeouts, features, textPrompt } = parts
  const adapter = { forms: createCompatStore(), ...(features && { features }), ...(textPrompt && { textPrompt }) }
  const statuses = new Map<string, EndpointStatus>()
  const listeners = new Set<(statuses: EndpointStatus[]) => void>()
  let discovered: EndpointStatus[] | undefined
  let tour: Endpoint | undefined
  let refreshing: Promise<void> | undefined
  let looking: Promise<void> | undefined
  /** The open ports at the last look. */
  let lastOpen: string | undefined
  const disposed = new AbortController()

  const configured = () => settings.get().endpoints.filter((endpoint) => endpoint.kind !== 'tour')
  const discovery = parts.discovery === false ? undefined : { env: process.env, ...parts.discovery }
  const get = (id: string) =>
    tour?.id === id
      ? tour
      : (configured().find((endpoint) => endpoint.id === id) ?? discoveredEndpoint(id, discovery?.ports))
  const existing = (id: string): Endpoint => {
    const endpoint = get(id)
    if (!endpoint)
      throw new ModelError(
        'unreachable',
        'The endpoint of this conversation does not exist any more.',
        'Pick another model.',
      )
    return endpoint
  }

  const storedReach = (endpoint: Endpoint): EndpointAccess => ({
    endpoint,
    credentials: () => readCredentials(secrets, endpoint),
  })
  const ask = (endpoint: Endpoint, signal: AbortSignal) => probeEndpoint(storedReach(endpoint), signal)

  const modelTracker = createModelTracker({
    endpoint: get,
    connection: (endpoint) => connectionOptions(storedReach(endpoint)),
    probe: (endpoint, signal) => ask(endpoint, AbortSignal.any([signal, disposed.signal])),
    status: (endpointId) => known().find(({ endpoint }) => endpoint.id === endpointId),
    onStatus(status) {
      const { endpoint, models } = status
      if (statuses.has(endpoint.id)) statuses.set(endpoint.id, status)
      else discovered = discovered?.map((each) => (each.endpoint.id === endpoint.id ? { ...each, models } : each))
      changed()
    },
    onWindowChanged: () => changed(),
    detectCuts: features?.cutDetection ?? true,
  })

  const known = (): EndpointStatus[] => {
    const taken = new Set(asked().flatMap((endpoint) => [endpoint.id, serverKey(endpoint)]))
    const statusOf = (endpoint: Endpoint): EndpointStatus => {
      const last = statuses.get(endpoint.id)
      if (!last) return { endpoint, reachable: false, models: [], discovered: false, problem: 'Not asked yet.' }
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
  const changed = () => {
    for (const listener of listeners) listener(known())
  }

  const mayProbe = discovery !== undefined && !discovery.env['TIZONA_NO_DISCOVERY']
  const asked = (): Endpoint[] => [...(tour ? [tour] : []), ...configured()]

  /** One round of asking at a time; a second caller waits for the first's, so no single caller's signal ends it. */
  const refresh = (all: boolean): Promise<void> => {
    refreshing ??= (async () => {
      const { signal } = disposed
      const own = asked().filter((endpoint) => all || !statuses.has(endpoint.id))
      const probing = mayProbe && (all || !discovered)
      const [found, answers] = await Promise.all([
        probing ? discover(discovery, signal) : Promise.resolve(discovered ?? []),
        Promise.all(own.map((endpoint) => ask(endpoint, signal))),
      ])
      discovered = found
      if (all) modelTracker.forget()
      else modelTracker.readAgain()
      for (const answer of answers) statuses.set(answer.endpoint.id, answer)
      if (probing || answers.length > 0) changed()
    })()
      .catch((error: unknown) => {
        // Ended by `dispose`: nobody is left to tell.
        if (!disposed.signal.aborted) throw error
      })
      .finally(() => (refreshing = undefined))
    return refreshing
  }

  /** As `refresh`, for what may have changed by itself; listeners hear only of news. */
  const look = async (): Promise<void> => {
    if (!mayProbe || refreshing) return
    const { signal } = disposed
    const before = JSON.stringify(known())
    const open = (await openPorts(discovery, signal)).join()
    const loading = discovered?.some(({ models }) => models.length === 0) ?? true
    const down = configured().filter(({ id }) => !statuses.get(id)?.models.length)
    const [found, answers] = await Promise.all([
      open !== lastOpen || loading ? discover(discovery, signal) : Promise.resolve(discovered ?? []),
      Promise.all(down.map((endpoint) => ask(endpoint, signal))),
    ])
    lastOpen = open
    discovered = found
    for (const answer of answers) statuses.set(answer.endpoint.id, answer)
    if (JSON.stringify(known()) !== before) changed()
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
      return known()
    },
    async look() {
      looking ??= look()
        .catch((error: unknown) => {
          // Ended by `dispose`: nobody is left to tell.
          if (!disposed.signal.aborted) throw error
        })
        .finally(() => (looking = undefined))
      return looking
    },
    known,
    get,
    describe: ({ endpointId, model }) =>
      findModel(known().find(({ endpoint }) => endpoint.id === endpointId)?.models ?? [], model),
    client: (id) => createEndpointClient(storedReach(existing(id)), timeouts, adapter),
    async model({ endpointId, model }, signal = disposed.signal) {
      const endpoint = existing(endpointId)
      const client = createEndpointClient(storedReach(endpoint), timeouts, adapter)
      const chosenWindow = optionsOf(endpoint, model).contextWindow ?? endpoint.contextWindow
      let models = known().find((status) => status.endpoint.id === endpointId)?.models ?? []
      if (chosenWindow === undefined && !findModel(models, model)) {
        models = (await ask(endpoint, signal)).models
      }
      // What the user chose stands in the list already; a model that is loaded with less has less.
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
      for (const { endpoint, models } of known()) {
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
      const status = await ask(endpoint, signal)
      statuses.set(endpoint.id, status)
      modelTracker.forget()
      changed()
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
      changed()
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
      changed()
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

/** What the tour's endpoint lists; it is known without asking. */
export const tourModel: ModelInfo = { id: 'tour (scripted)', contextWindow: tourWindow, tools: true, loaded: true }
