import type { Endpoint, EndpointStatus } from '../../../shared/settings/settings.ts'
import { createCompatStore } from '../clients/compatStore.ts'
import type { ModelClient } from '../clients/modelClient.ts'
import type { ModelFiles } from '../file/modelFiles.ts'
import { createClientFactory } from './clientFactory.ts'
import { createContextSizes, type ContextSizes } from './contextSize.ts'
import { connectionOptions } from './endpointClient.ts'
import type { Endpoints, EndpointsDeps } from './endpointsTypes.ts'
import { createEndpointStatuses, type EndpointStatuses, type EndpointStatusesDeps } from './endpointStatuses.ts'
import type { EndpointStore } from './endpointStore.ts'
import { createModelTracker, type ModelTracker } from './modelTracker.ts'
import { createServerStatuses, type ServerStatuses } from './serverStatuses.ts'

export interface ServerKnowledgeDeps
  extends
    Pick<EndpointStatusesDeps, 'discovery' | 'tour' | 'probe'>,
    Pick<EndpointsDeps, 'timeouts' | 'features' | 'textPrompt'> {
  store: EndpointStore
  get(endpointId: string): Endpoint | undefined
  modelFiles: ModelFiles
  /** Ends requests. */
  closed: AbortSignal
}

/** What is known about the servers of endpoints, and the clients that use it. */
export interface ServerKnowledge extends Pick<Endpoints, 'onForgotten'> {
  statuses: EndpointStatuses
  servers: ServerStatuses
  contextSizes: ContextSizes
  tracker: ModelTracker
  clientOf(endpoint: Endpoint): ModelClient
  /**
   * Discards what was learned about the server of an endpoint, or about all servers: request formats, token counts,
   * slots, sizes.
   */
  forget(endpoint?: Endpoint): void
}

export function createServerKnowledge(deps: ServerKnowledgeDeps): ServerKnowledge {
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
  const statuses = createEndpointStatuses({
    configured: store.list,
    tour,
    discovery,
    probe,
    adjustModels: contextSizes.limitToReported,
    onRefreshed: (all) => (all ? forget() : contextSizes.expireLoaded()),
    onServerChanged: forget,
    signal: closed,
  })
  const servers = createServerStatuses({ listed: statuses.find, probe, onServerChanged: forget, closed })
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
