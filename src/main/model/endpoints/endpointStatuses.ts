import type { Endpoint, EndpointStatus, ModelInfo } from '../../../shared/settings/settings.ts'
import { discover, findOpenPorts, type DiscoveryOptions } from './discovery.ts'
import { serverKey } from './endpointDrafts.ts'
import { hasGuidedCalls } from './guidedCalls.ts'
import { serverByName } from '../transport/localServers.ts'

export interface ListedStatusesDeps {
  /** The endpoints in the settings. */
  configured(): Endpoint[]
  /** The tour's endpoint while the tour runs. */
  tour(): Endpoint | undefined
  /** Undefined disables probing of this machine. */
  discovery: DiscoveryOptions | undefined
  /** Requests an endpoint's models. @throws AbortError */
  probe(endpoint: Endpoint, signal: AbortSignal): Promise<EndpointStatus>
  /** Adjusts the context sizes in a list of models. */
  adjustModels(endpoint: Endpoint, models: ModelInfo[]): ModelInfo[]
  /** Called after endpoints were queried; `all`: not only those without a known status. */
  onRefreshed(all: boolean): void
  /** Called when the server of an endpoint was replaced (`isSameServer`) or is gone. */
  onServerChanged(endpoint: Endpoint): void
  /** Ends requests in progress. */
  signal: AbortSignal
}

/** The last known status of every endpoint: in the settings, discovered on this machine, and the tour's. */
export interface ListedStatuses {
  /** Returns the last known statuses, without a request. */
  cached(): EndpointStatus[]
  /** Returns the last known status of an endpoint; undefined if it was not queried yet. */
  find(endpointId: string): EndpointStatus | undefined
  /** Whether an endpoint has no known status, or this machine was not probed yet. */
  isIncomplete(): boolean
  /** Stores the status of an endpoint from the settings or of the tour. */
  set(status: EndpointStatus): void
  /** Replaces the status of any known endpoint, and notifies listeners. */
  replace(status: EndpointStatus): void
  delete(endpointId: string): void
  /**
   * Queries endpoints and notifies listeners. Runs one refresh at a time: other callers wait for it, so no caller's
   * signal aborts it.
   * @param all query all endpoints; otherwise only those without a known status
   */
  refresh(all: boolean): Promise<void>
  /** See `Endpoints.poll`. */
  poll(): Promise<void>
  notify(): void
  /** @returns a function that unsubscribes */
  onChanged(listener: (statuses: EndpointStatus[]) => void): () => void
}

/** Creates an empty cache of statuses. Sends no request. */
export function createListedStatuses(deps: ListedStatusesDeps): ListedStatuses {
  const { configured, tour, discovery, signal } = deps
  const statuses = new Map<string, EndpointStatus>()
  const listeners = new Set<(statuses: EndpointStatus[]) => void>()
  let discovered: EndpointStatus[] | undefined
  let refreshing: Promise<void> | undefined
  let polling: Promise<void> | undefined
  /** The open ports at the last poll. */
  let lastOpenPorts: string | undefined

  const queriedEndpoints = (): Endpoint[] => {
    const tourEndpoint = tour()
    return [...(tourEndpoint ? [tourEndpoint] : []), ...configured()]
  }

  function statusOf(endpoint: Endpoint): EndpointStatus {
    const last = statuses.get(endpoint.id)
    if (!last) return { endpoint, reachable: false, models: [], discovered: false, problem: 'Not checked yet.' }
    return { ...last, endpoint, models: deps.adjustModels(endpoint, last.models) }
  }

  function cached(): EndpointStatus[] {
    const adjusted = (status: EndpointStatus) => ({
      ...status,
      models: deps.adjustModels(status.endpoint, status.models),
    })
    return inOrder(queriedEndpoints().map(statusOf), (discovered ?? []).map(adjusted)).map(withGuided)
  }

  function notify(): void {
    for (const listener of listeners) listener(cached())
  }

  function adopt(found: EndpointStatus[], answers: readonly EndpointStatus[]): void {
    const before = [...(discovered ?? []), ...answers.flatMap(({ endpoint }) => statuses.get(endpoint.id) ?? [])]
    for (const endpoint of changedServers(before, [...found, ...answers])) deps.onServerChanged(endpoint)
    discovered = found
    for (const answer of answers) statuses.set(answer.endpoint.id, answer)
  }

  async function probeAll(endpoints: readonly Endpoint[]): Promise<EndpointStatus[]> {
    return Promise.all(endpoints.map((endpoint) => deps.probe(endpoint, signal)))
  }

  async function runRefresh(all: boolean): Promise<void> {
    const queried = queriedEndpoints().filter((endpoint) => all || !statuses.has(endpoint.id))
    const probing = discovery !== undefined && (all || !discovered)
    const [found, answers] = await Promise.all([
      probing ? discover(discovery, signal) : (discovered ?? []),
      probeAll(queried),
    ])
    deps.onRefreshed(all)
    adopt(found, answers)
    if (probing || answers.length > 0) notify()
  }

  /** Like `runRefresh`, for changes that the user did not request. Notifies listeners only of changed statuses. */
  async function runPoll(): Promise<void> {
    if (!discovery || refreshing) return
    const before = JSON.stringify(cached())
    const open = (await findOpenPorts(discovery, signal)).join()
    const isLoading = discovered?.some(({ models }) => models.length === 0) ?? true
    const withoutModels = configured().filter(({ id }) => !statuses.get(id)?.models.length)
    const [found, answers] = await Promise.all([
      open !== lastOpenPorts || isLoading ? discover(discovery, signal) : (discovered ?? []),
      probeAll(withoutModels),
    ])
    lastOpenPorts = open
    adopt(found, answers)
    if (JSON.stringify(cached()) !== before) notify()
  }

  function ignoreAbort(error: unknown): void {
    if (!signal.aborted) throw error
  }

  return {
    cached,
    find(endpointId) {
      // Looked up for each request, so it does not build all statuses.
      const queried = queriedEndpoints().find(({ id }) => id === endpointId)
      if (queried) return statuses.has(endpointId) ? statusOf(queried) : undefined
      return cached().find(({ endpoint }) => endpoint.id === endpointId)
    },
    isIncomplete: () => !discovered || configured().some((endpoint) => !statuses.has(endpoint.id)),
    set: (status) => void statuses.set(status.endpoint.id, status),
    replace(status) {
      const { endpoint, models } = status
      if (statuses.has(endpoint.id)) statuses.set(endpoint.id, status)
      else discovered = discovered?.map((each) => (each.endpoint.id === endpoint.id ? { ...each, models } : each))
      notify()
    },
    delete: (endpointId) => void statuses.delete(endpointId),
    refresh(all) {
      refreshing ??= runRefresh(all)
        .catch(ignoreAbort)
        .finally(() => (refreshing = undefined))
      return refreshing
    },
    poll() {
      polling ??= runPoll()
        .catch(ignoreAbort)
        .finally(() => (polling = undefined))
      return polling
    },
    notify,
    onChanged(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Marks the models that work in guided turns, for the window. */
function withGuided(status: EndpointStatus): EndpointStatus {
  const server = serverByName(status.server)
  return {
    ...status,
    models: status.models.map((model) =>
      hasGuidedCalls(status.endpoint, server, model.id, model) ? { ...model, guided: true } : model,
    ),
  }
}

/** Sorts the statuses: configured endpoints, then discovered ones, then the tour. */
function inOrder(queried: EndpointStatus[], discovered: EndpointStatus[]): EndpointStatus[] {
  const known = new Set(queried.flatMap(({ endpoint }) => [endpoint.id, serverKey(endpoint)]))
  const others = discovered.filter(({ endpoint }) => !known.has(endpoint.id) && !known.has(serverKey(endpoint)))
  const isTour = ({ endpoint }: EndpointStatus) => endpoint.kind === 'tour'
  return [...queried.filter((status) => !isTour(status)), ...others, ...queried.filter(isTour)]
}

/** Returns the endpoints whose server is gone or was replaced. */
function changedServers(before: readonly EndpointStatus[], after: readonly EndpointStatus[]): Endpoint[] {
  const isGone = (status: EndpointStatus) => {
    const now = after.find(({ endpoint }) => endpoint.id === status.endpoint.id)
    return !now || !isSameServer(status, now)
  }
  return before.filter(isGone).map(({ endpoint }) => endpoint)
}

/**
 * Whether two statuses of an endpoint are from one server with the same models. A server that was unreachable may have
 * been restarted with different options.
 */
function isSameServer(before: EndpointStatus, after: EndpointStatus): boolean {
  const identity = ({ reachable, server, slots, models }: EndpointStatus) =>
    JSON.stringify([reachable, server, slots, models.map(({ id }) => id).toSorted()])
  return identity(before) === identity(after)
}

interface QueriedStatusesDeps {
  /** Returns the last known status of an endpoint that was listed. */
  listed: ListedStatuses['find']
  /** Requests a status. @throws AbortError */
  probe(endpoint: Endpoint, signal: AbortSignal): Promise<EndpointStatus>
  /** Called when the server of an endpoint was replaced (`isSameServer`). */
  onServerChanged(endpoint: Endpoint): void
  /** Aborts queries. */
  closed: AbortSignal
}

/**
 * Statuses of endpoints, including those queried for a model before they were listed. A host without a window lists
 * none.
 */
export interface QueriedStatuses {
  find(endpointId: string): EndpointStatus | undefined
  /** Queries an endpoint and stores its status. Runs one query per endpoint at a time. @throws AbortError */
  query(endpoint: Endpoint): Promise<EndpointStatus>
  /** Stores the status of an endpoint, whether it was listed or not. */
  remember(status: EndpointStatus): void
  /** Forgets the queried statuses of one endpoint, or of all. */
  forget(endpointId?: string): void
}

export function createQueriedStatuses({
  listed,
  probe,
  onServerChanged,
  closed,
}: QueriedStatusesDeps): QueriedStatuses {
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
