import type { Endpoint, EndpointStatus } from '../../../shared/settings/settings.ts'
import type { ModelFiles } from '../file/modelFiles.ts'
import type { Endpoints } from './endpointsTypes.ts'
import type { EndpointStatuses } from './endpointStatuses.ts'
import type { EndpointStore } from './endpointStore.ts'

interface StoredEndpointsDeps {
  /** @throws ModelError */
  existing(endpointId: string): Endpoint
  store: EndpointStore
  probe(endpoint: Endpoint, signal: AbortSignal): Promise<EndpointStatus>
  modelFiles: ModelFiles
  statuses: EndpointStatuses
  forget(endpoint: Endpoint): void
}

/** Changes the endpoints in the settings, and what is known about their servers. */
export function createStoredEndpoints({
  existing,
  store,
  probe,
  modelFiles,
  statuses,
  forget,
}: StoredEndpointsDeps): Pick<Endpoints, 'save' | 'change' | 'remove'> {
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
