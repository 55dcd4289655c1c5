import type { Endpoint, EndpointStatus } from '../../../shared/settings/settings.ts'
import type { CompatStore } from '../clients/compatStore.ts'
import type { ModelClient } from '../clients/modelClient.ts'
import { findModel } from '../clients/modelOptions.ts'
import type { ModelFiles } from '../file/modelFiles.ts'
import { createEndpointClient, type EndpointAccess } from './endpointClient.ts'
import type { EndpointsDeps } from './endpointsTypes.ts'
import { serverByName } from './knownServers.ts'

interface ClientFactoryDeps {
  /** What the clients learn about request formats. */
  compatStore: CompatStore
  withAccess(endpoint: Endpoint): EndpointAccess
  modelFiles: ModelFiles
  /** The last known status of an endpoint. */
  status(endpointId: string): EndpointStatus | undefined
  /** Called when no server listens at the address of an endpoint. */
  onGone(endpoint: Endpoint): void
}

/** Returns a function that creates the client of an endpoint. */
export function createClientFactory(
  { timeouts, features, textPrompt }: Pick<EndpointsDeps, 'timeouts' | 'features' | 'textPrompt'>,
  { compatStore, withAccess, modelFiles, status, onGone }: ClientFactoryDeps,
): (endpoint: Endpoint) => ModelClient {
  const options = { compatStore, ...(features && { features }), ...(textPrompt && { textPrompt }) }
  return (endpoint) => {
    if (endpoint.kind === 'gguf') return modelFiles.client(endpoint, options)
    // A client keeps what is known now, so that the requests of a turn have one form.
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
