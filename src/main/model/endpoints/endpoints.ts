import { tourWindow } from '../../../shared/agent/contextAllocation.ts'
import { firstUsableModel } from '../../../shared/models/firstUsableModel.ts'
import type { Endpoint, ModelInfo, EndpointStatus } from '../../../shared/settings/settings.ts'
import { ModelError } from '../modelClient.ts'
import { findModel } from '../clients/modelOptions.ts'
import { createModelFiles, type ModelFiles } from '../file/modelFiles.ts'
import { unlessAborted } from '../transport/http.ts'
import { createDirectRequests } from './directRequests.ts'
import { discoveredEndpoint } from './discovery.ts'
import { knownTarget, probeEndpoint, testEndpoint } from './endpointClient.ts'
import { createEndpointSettings, type EndpointSettings } from './endpointSettings.ts'
import type { ListedStatuses } from './endpointStatuses.ts'
import type { Endpoints, EndpointsDeps } from './endpointsTypes.ts'
import { isOnThisMachine } from '../transport/localServers.ts'
import { createReadyModels } from './readyModels.ts'
import { createServerFacts } from './serverFacts.ts'

export type { Endpoints, EndpointsDeps } from './endpointsTypes.ts'

export const tourEndpointId = 'tour'

/** The model of the tour, known without a request. */
export const tourModel: ModelInfo = { id: 'tour (scripted)', contextWindow: tourWindow, tools: true, loaded: true }

/** Creates the registry of all model servers. Keys stay inside it and are sent only in request headers. */
export function createEndpoints(deps: EndpointsDeps): Endpoints {
  const { settings, secrets } = deps
  const disposed = new AbortController()
  const store = createEndpointSettings(settings, secrets, deps.desktop)
  const discovery = deps.discovery === false ? undefined : { env: process.env, ...deps.discovery }
  let tour: Endpoint | undefined

  const get = (id: string) =>
    tour?.id === id
      ? tour
      : (store.list().find((endpoint) => endpoint.id === id) ?? discoveredEndpoint(id, discovery?.ports))
  const modelFiles = createModelFiles(disposed.signal, deps.modelFiles)
  const probe = async (endpoint: Endpoint, signal: AbortSignal) =>
    endpoint.kind === 'gguf' ? modelFiles.probe(endpoint) : probeEndpoint(store.withAccess(endpoint), signal)
  const { statuses, servers, contextSizes, clientOf, tracker, forget, onForgotten } = createServerFacts({
    ...deps,
    store,
    get,
    tour: () => tour,
    discovery: discovery?.env['TIZONA_NO_DISCOVERY'] ? undefined : discovery,
    probe,
    modelFiles,
    closed: disposed.signal,
  })
  const stopFollowing = deps.desktop?.onChanged(() => {
    for (const { id, on } of store.list()) if (on === 'desktop') statuses.delete(id)
    // A refresh that runs already may not include the new ones.
    void statuses
      .refresh(false)
      .then(() => (statuses.isIncomplete() ? statuses.refresh(false) : undefined))
      .then(statuses.notify)
  })
  const modelsOf = (endpointId: string) => servers.find(endpointId)?.models ?? []
  const existing = (id: string) => get(id) ?? throwMissing()

  return {
    async list({ probe: all }, signal) {
      if (all || statuses.isIncomplete()) await unlessAborted(statuses.refresh(all), signal)
      return statuses.cached()
    },
    poll: statuses.poll,
    cachedStatuses: statuses.cached,
    get,
    modelInfo: ({ endpointId, model }) => findModel(modelsOf(endpointId), model),
    hintTarget: ({ endpointId, model }) => knownTarget(existing(endpointId), model, servers.find(endpointId)),
    client: (id) => clientOf(existing(id)),
    ...createReadyModels({
      get,
      existing,
      servers,
      contextSizes,
      clientOf,
      trackModel: tracker.track,
      calibrations: deps.calibrations,
      closed: disposed.signal,
    }),
    ...createDirectRequests({
      existing,
      withAccess: store.withAccess,
      contextSizeOf: (endpoint, model) => contextSizes.forRequest(endpoint, model, modelsOf(endpoint.id)),
      modelFiles,
      closed: disposed.signal,
    }),
    server: (id) => ({ known: !!servers.find(id)?.server, local: runsHere(get(id)) }),
    defaultModel() {
      const chosen = settings.get().model
      return chosen && get(chosen.endpointId) ? chosen : firstUsableModel(statuses.cached())
    },
    ...createEndpointChanges({ existing, store, probe, modelFiles, statuses, forget }),
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
    onForgotten,
    closed: disposed.signal,
    dispose() {
      stopFollowing?.()
      disposed.abort()
    },
  }
}

/** Whether this machine runs the models of an endpoint. Addresses of the window's computer mean that one. */
function runsHere(endpoint: Endpoint | undefined): boolean {
  if (endpoint === undefined || endpoint.on === 'desktop') return false
  return endpoint.kind === 'gguf' || isOnThisMachine(endpoint.baseUrl)
}

function throwMissing(): never {
  throw new ModelError('unreachable', 'The endpoint of this conversation no longer exists.', 'Select another model.')
}

function tourEndpoint(url: string): Endpoint {
  return { id: tourEndpointId, name: 'Tour (scripted)', kind: 'tour', baseUrl: url, hasKey: false }
}

interface EndpointChangesDeps {
  /** @throws ModelError */
  existing(endpointId: string): Endpoint
  store: EndpointSettings
  probe(endpoint: Endpoint, signal: AbortSignal): Promise<EndpointStatus>
  modelFiles: ModelFiles
  statuses: ListedStatuses
  forget(endpoint: Endpoint): void
}

/** Changes the endpoints in the settings, and what is known about their servers. */
function createEndpointChanges({
  existing,
  store,
  probe,
  modelFiles,
  statuses,
  forget,
}: EndpointChangesDeps): Pick<Endpoints, 'save' | 'change' | 'remove'> {
  async function queryStored(endpoint: Endpoint, signal: AbortSignal): Promise<EndpointStatus> {
    const status = await probe(endpoint, signal)
    modelFiles.keepOnly(store.list())
    forget(endpoint)
    statuses.set(status)
    statuses.notify()
    return status
  }
  return {
    save: async (draft, key, signal, options) => queryStored(await store.save(draft, key, options), signal),
    change: async (id, change, signal) => queryStored(await store.change(existing(id), change), signal),
    async remove(id) {
      const removed = store.list().find((endpoint) => endpoint.id === id)
      await store.remove(id)
      if (removed) forget(removed)
      modelFiles.keepOnly(store.list())
      statuses.delete(id)
      statuses.notify()
    },
  }
}
