import type { Endpoint } from '../../../shared/settings.ts'
import type { CompatStore } from '../clients/compatStore.ts'
import type { ModelClient } from '../clients/modelClient.ts'
import type { ModelFiles } from '../file/modelFiles.ts'
import { createEndpointClient, type EndpointAccess } from './endpointClient.ts'
import type { EndpointsDeps } from './endpointsTypes.ts'
import type { LocalServer } from './knownServers.ts'

interface ClientFactoryDeps {
  /** What the clients learn about request formats. */
  compatStore: CompatStore
  withAccess(endpoint: Endpoint): EndpointAccess
  modelFiles: ModelFiles
  serverOf(endpointId: string): LocalServer | undefined
  /** Called when no server listens at the address of an endpoint. */
  onGone(endpoint: Endpoint): void
}

/** Returns a function that creates the client of an endpoint. */
export function createClientFactory(
  { timeouts, features, textPrompt }: Pick<EndpointsDeps, 'timeouts' | 'features' | 'textPrompt'>,
  { compatStore, withAccess, modelFiles, serverOf, onGone }: ClientFactoryDeps,
): (endpoint: Endpoint) => ModelClient {
  const options = { compatStore, ...(features && { features }), ...(textPrompt && { textPrompt }) }
  return (endpoint) =>
    endpoint.kind === 'gguf'
      ? modelFiles.client(endpoint, options)
      : createEndpointClient(withAccess(endpoint), timeouts, {
          ...options,
          server: serverOf(endpoint.id),
          onGone: () => onGone(endpoint),
        })
}
