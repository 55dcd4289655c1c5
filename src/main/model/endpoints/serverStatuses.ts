import type { Endpoint, EndpointStatus } from '../../../shared/settings/settings.ts'
import { isSameServer, type EndpointStatuses } from './endpointStatuses.ts'

export interface ServerStatusesDeps {
  /** Returns the last known status of an endpoint that was listed. */
  listed: EndpointStatuses['find']
  /** Requests a status. @throws AbortError */
  probe(endpoint: Endpoint, signal: AbortSignal): Promise<EndpointStatus>
  /** Called when the server of an endpoint is not the one that was known (`isSameServer`). */
  onServerChanged(endpoint: Endpoint): void
  /** Aborts queries. */
  closed: AbortSignal
}

/**
 * What is known about the servers of endpoints, also of those that were queried for a model before they were listed: a
 * host without a window lists none.
 */
export interface ServerStatuses {
  find(endpointId: string): EndpointStatus | undefined
  /** Queries an endpoint and remembers the answer. One query of an endpoint runs at a time. @throws AbortError */
  query(endpoint: Endpoint): Promise<EndpointStatus>
  /** Remembers the status of an endpoint, whether it was listed or not. */
  remember(status: EndpointStatus): void
  /** Forgets the answers of queries, of one endpoint or of all. */
  forget(endpointId?: string): void
}

export function createServerStatuses({ listed, probe, onServerChanged, closed }: ServerStatusesDeps): ServerStatuses {
  const queried = new Map<string, EndpointStatus>()
  const running = new Map<string, Promise<EndpointStatus>>()

  function find(endpointId: string): EndpointStatus | undefined {
    const status = listed(endpointId)
    return status?.reachable ? status : (queried.get(endpointId) ?? status)
  }

  function remember(status: EndpointStatus): void {
    const before = find(status.endpoint.id)
    if (before && !isSameServer(before, status)) onServerChanged(status.endpoint)
    queried.set(status.endpoint.id, status)
  }

  async function run(endpoint: Endpoint): Promise<EndpointStatus> {
    try {
      const status = await probe(endpoint, closed)
      remember(status)
      return status
    } finally {
      running.delete(endpoint.id)
    }
  }

  return {
    find,
    query(endpoint) {
      const query = running.get(endpoint.id) ?? run(endpoint)
      running.set(endpoint.id, query)
      return query
    },
    remember,
    forget(endpointId) {
      if (endpointId === undefined) queried.clear()
      else queried.delete(endpointId)
    },
  }
}
