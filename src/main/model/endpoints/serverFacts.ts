import type { Endpoint, EndpointStatus } from '../../../shared/settings/settings.ts'
import { createCompatStore, type CompatStore } from '../clients/compatStore.ts'
import type { ModelClient } from '../modelClient.ts'
import { findModel } from '../clients/modelOptions.ts'
import type { ModelFiles } from '../file/modelFiles.ts'
import { createContextSizes, type ContextSizes } from './contextSize.ts'
import { connectionOptions, createEndpointClient, type EndpointAccess } from './endpointClient.ts'
import type { EndpointSettings } from './endpointSettings.ts'
import {
  createListedStatuses,
  type ListedStatuses,
  type ListedStatusesDeps,
  createQueriedStatuses,
  type QueriedStatuses,
} from './endpointStatuses.ts'
import type { Endpoints, EndpointsDeps } from './endpointsTypes.ts'
import { serverByName } from '../transport/localServers.ts'
import { createModelTracker, type ModelTracker } from './modelTracker.ts'

export interface ServerFactsDeps
  extends
    Pick<ListedStatusesDeps, 'discovery' | 'tour' | 'probe'>,
    Pick<EndpointsDeps, 'timeouts' | 'features' | 'textPrompt'> {
  store: EndpointSettings
  get(endpointId: string): Endpoint | undefined
  modelFiles: ModelFiles
  /** Aborts when the endpoints are closed, which ends all requests. */
  closed: AbortSignal
}

/** Facts about the servers of endpoints, and the clients that use them. */
export interface ServerFacts extends Pick<Endpoints, 'onForgotten'> {
  statuses: ListedStatuses
  servers: QueriedStatuses
  contextSizes: ContextSizes
  tracker: ModelTracker
  clientOf(endpoint: Endpoint): ModelClient
  /**
   * Discards what was learned about the server of an endpoint, or about all servers: request formats, token counts,
   * slots, sizes.
   */
  forget(endpoint?: Endpoint): void
}

export function createServerFacts(deps: ServerFactsDeps): ServerFacts {
  const { store, get, tour, discovery, modelFiles, closed } = deps
  const probe = (endpoint: Endpoint, signal: AbortSignal): Promise<EndpointStatus> =>
    deps.probe(endpoint, AbortSignal.any([signal, closed]))
  const listeners = new Set<(endpointId?: string) => void>()
  const contextSizes = createContextSizes({
    endpoint: get,
    probe,
    models: (endpointId) => servers.find(endpointId)?.models ?? [],
    onStatus(status) {
      servers.remember(status)
      statuses.replace(status)
    },
    onReported: () => statuses.notify(),
  })
  const statuses = createListedStatuses({
    configured: store.list,
    tour,
    discovery,
    probe,
    adjustModels: contextSizes.limitToReported,
    onRefreshed: (all) => (all ? forget() : contextSizes.expireLoaded()),
    onServerChanged: forget,
    signal: closed,
  })
  const servers = createQueriedStatuses({ listed: statuses.find, probe, onServerChanged: forget, closed })
  const compatStore = createCompatStore()
  const clientOf = createClientFactory(deps, {
    compatStore,
    withAccess: store.withAccess,
    modelFiles,
    status: servers.find,
    onGone: forget,
  })
  const tracker = createModelTracker({
    endpoint: get,
    client: clientOf,
    connection: (endpoint) => connectionOptions(store.withAccess(endpoint)),
    status: servers.find,
    contextSizes,
    fileTokenizer: modelFiles.tokenizer,
    closed,
    detectCuts: deps.features?.cutDetection ?? true,
  })

  function forget(endpoint?: Endpoint): void {
    compatStore.forget(endpoint?.baseUrl)
    tracker.forget(endpoint)
    servers.forget(endpoint?.id)
    contextSizes.reset(endpoint?.id)
    for (const listener of listeners) listener(endpoint?.id)
  }

  return {
    statuses,
    servers,
    contextSizes,
    tracker,
    clientOf,
    forget,
    onForgotten(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

interface ClientFactoryDeps {
  /** Request formats that the clients learned. */
  compatStore: CompatStore
  withAccess(endpoint: Endpoint): EndpointAccess
  modelFiles: ModelFiles
  /** The last known status of an endpoint. */
  status(endpointId: string): EndpointStatus | undefined
  /** Called when no server listens at the address of an endpoint. */
  onGone(endpoint: Endpoint): void
}

/** Returns a function that creates the client of an endpoint. */
function createClientFactory(
  { timeouts, features, textPrompt }: Pick<EndpointsDeps, 'timeouts' | 'features' | 'textPrompt'>,
  { compatStore, withAccess, modelFiles, status, onGone }: ClientFactoryDeps,
): (endpoint: Endpoint) => ModelClient {
  const options = { compatStore, ...(features && { features }), ...(textPrompt && { textPrompt }) }
  return (endpoint) => {
    if (endpoint.kind === 'gguf') return modelFiles.client(endpoint, options)
    // A client keeps what is known now, so that all requests of a turn have the same format.
    const { server, slots, models = [] } = status(endpoint.id) ?? {}
    return createEndpointClient(withAccess(endpoint), timeouts, {
      ...options,
      server: serverByName(server),
      slots,
      infoOf: (model) => findModel(models, model),
      onGone: () => onGone(endpoint),
    })
  }
}
