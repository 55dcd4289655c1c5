import { join } from 'node:path'
import { z } from 'zod'
import { ToolError } from '../../../shared/errors.ts'
import type { Endpoint, EndpointStatus } from '../../../shared/settings/settings.ts'
import { once } from '../../../shared/async/once.ts'
import type { Keyring } from '../../appServices/platform.ts'
import { log } from '../../base/log/log.ts'
import type { DiscoveryOptions } from '../../model/endpoints/discovery.ts'
import type { EndpointDraft } from '../../model/endpoints/endpointDrafts.ts'
import { createEndpoints } from '../../model/endpoints/endpoints.ts'
import { ModelError } from '../../model/modelClient.ts'
import { isOnThisMachine, serverRoot } from '../../model/transport/localServers.ts'
import type { ServerAccess } from '../../model/transport/serverAccess.ts'
import { openJsonFile } from '../../settings/jsonFile.ts'
import { createFileSecretStore } from '../../settings/secretStore.ts'
import { createSettingsStore } from '../../settings/settingsStore.ts'

/** The model servers of this computer, for the windows that work on one host. */
export interface HostModels {
  /** Those that the host may use, as it knows them, and their addresses on this computer. */
  allowed(): Promise<{ endpoint: Endpoint; address: string }[]>
  /** Status of those that respond and that the host may not use yet. @param probe searches again */
  offers(probe: boolean, signal: AbortSignal): Promise<EndpointStatus[]>
  /** @throws ToolError if this computer has no such endpoint */
  allow(id: string): Promise<void>
  forbid(id: string): Promise<void>
  /** Calls back with the id of an endpoint that the host may no longer use. @returns ends it */
  onForbidden(listener: (id: string) => void): () => void
  /** Stores an endpoint on this computer, and lets the host use it. */
  add(draft: EndpointDraft, key: string | null | undefined, signal: AbortSignal): Promise<EndpointStatus>
  /** Tests an endpoint from this computer. */
  test(draft: EndpointDraft, key: string | null | undefined, signal: AbortSignal): Promise<EndpointStatus>
  /** Returns how to reach an endpoint. @throws ModelError unless the host may use it */
  access(id: string): Promise<ServerAccess>
}

export interface DesktopModelsOptions {
  userData: string
  keyring?: (() => Promise<Keyring | undefined>) | undefined
  /** Default: the usual ports of this computer. */
  discovery?: DiscoveryOptions | false
}

/** Prefix of the ids by which hosts know the endpoints of a desktop. */
const idPrefix = 'desktop-'
export const isDesktopId = (id: string): boolean => id.startsWith(idPrefix)

const allowedSchema = z.array(z.object({ address: z.string().max(500), id: z.string().max(200) }))
/** Maximum number of stored decisions. */
const maxAllowed = 1000

/** @returns the model servers of this computer for a host, by its address */
export function createDesktopModels(options: DesktopModelsOptions): (address: string) => HostModels {
  const opened = once(() => openStores(options))
  const listeners = new Map<string, Set<(id: string) => void>>()
  return (address) => {
    const ofHost = listeners.get(address) ?? new Set()
    listeners.set(address, ofHost)
    return hostModels(address, opened, ofHost)
  }
}

async function openStores({ userData, keyring, discovery }: DesktopModelsOptions) {
  const warn = (message: string): void => log.warn(message)
  const settings = await createSettingsStore(userData, warn)
  settings.follow()
  const secrets = await createFileSecretStore(userData, warn, keyring)
  const endpoints = createEndpoints({
    settings,
    // A window of this computer may have changed it.
    secrets: { get: (id) => secrets.get(id, true), set: secrets.set },
    ...(discovery !== undefined && { discovery }),
  })
  const allowed = await openJsonFile(join(userData, 'remote-models.json'), allowedSchema, [], warn, {
    replaceable: true,
  })
  return { endpoints, allowed }
}

/** @param forbidden listeners of all windows of the host */
function hostModels(
  address: string,
  opened: () => ReturnType<typeof openStores>,
  forbidden: Set<(id: string) => void>,
): HostModels {
  /** Returns the ids of this computer's endpoints that the host may use. */
  async function allowedIds(): Promise<ReadonlySet<string>> {
    const { allowed } = await opened()
    return new Set(allowed.value.flatMap((each) => (each.address === address ? [each.id] : [])))
  }

  async function store(id: string, isAllowed: boolean): Promise<void> {
    const { allowed } = await opened()
    await allowed.update((list) => {
      const others = list.filter((each) => each.address !== address || each.id !== id)
      return isAllowed ? [...others, { address, id }].slice(-maxAllowed) : others
    })
  }

  return {
    async allowed() {
      const { endpoints } = await opened()
      return [...(await allowedIds())].flatMap((id) => {
        const endpoint = endpoints.get(id)
        if (endpoint === undefined || !isServer(endpoint)) return []
        return [{ endpoint: asSeenThere(endpoint), address: shownAddress(endpoint) }]
      })
    },
    async offers(probe, signal) {
      const { endpoints } = await opened()
      if (!probe) await endpoints.poll()
      const [statuses, ids] = await Promise.all([endpoints.list({ probe }, signal), allowedIds()])
      return statuses
        .filter(({ endpoint, reachable }) => reachable && isServer(endpoint) && !ids.has(endpoint.id))
        .map(offer)
    },
    async allow(id) {
      const { endpoints } = await opened()
      const own = ownId(id)
      // Only what this computer has found or the user has set up here: a host chooses no port.
      if (!endpoints.cachedStatuses().some(({ endpoint }) => endpoint.id === own && isServer(endpoint)))
        throw new ToolError('not_found', 'This computer no longer has this endpoint.', 'Search again.')
      await store(own, true)
    },
    async forbid(id) {
      await store(ownId(id), false)
      for (const listener of forbidden) listener(id)
    },
    onForbidden(listener) {
      forbidden.add(listener)
      return () => forbidden.delete(listener)
    },
    async add(draft, key, signal) {
      const { endpoints } = await opened()
      const status = await endpoints.save(withoutPlace(draft), key, signal)
      await store(status.endpoint.id, true)
      return { ...status, endpoint: asSeenThere(status.endpoint) }
    },
    async test(draft, key, signal) {
      const { endpoints } = await opened()
      return endpoints.test(withoutPlace(draft), key, signal)
    },
    async access(id) {
      const { endpoints } = await opened()
      const own = ownId(id)
      if (!(await allowedIds()).has(own))
        throw new ModelError(
          'unreachable',
          'This host may not use this endpoint.',
          'Allow it in the settings of the window.',
        )
      return endpoints.access({ endpointId: own, model: '' })
    },
  }
}

const ownId = (id: string): string => (isDesktopId(id) ? id.slice(idPrefix.length) : id)

/** Model files are not served, and the tour belongs to its window. */
const isServer = ({ kind }: Endpoint): boolean => kind === 'openai' || kind === 'ollama'

/** The draft without the place, because this is it. */
const withoutPlace = (draft: EndpointDraft): EndpointDraft => ({ ...draft, on: undefined })

/** Returns the address of an endpoint. `127.0.0.1` is another machine on the host, so it names this computer. */
function shownAddress({ kind, baseUrl }: Endpoint): string {
  const url = new URL(serverRoot({ kind, baseUrl }))
  if (isOnThisMachine(baseUrl)) url.hostname = 'this-computer'
  return url.href.replace(/\/$/, '')
}

/**
 * Returns an endpoint as the host knows it: without its address and credentials, which stay here. A path can have a
 * token, and the name of a machine belongs to this network.
 */
function asSeenThere(endpoint: Endpoint): Endpoint {
  const { id, name, kind, contextWindow, parallel, patience, models } = endpoint
  return {
    id: `${idPrefix}${id}`,
    name: `${name} on this computer`,
    kind,
    baseUrl: 'http://this-computer',
    on: 'desktop',
    hasKey: false,
    ...(contextWindow !== undefined && { contextWindow }),
    ...(parallel !== undefined && { parallel }),
    ...(patience && { patience }),
    ...(models && { models }),
  }
}

function offer({ endpoint, models }: EndpointStatus): EndpointStatus {
  const names = models.slice(0, 4).map(({ id }) => id)
  return {
    endpoint: { ...asSeenThere(endpoint), baseUrl: shownAddress(endpoint) },
    reachable: true,
    models: [],
    discovered: true,
    offered: true,
    problem: `${names.length === 0 ? 'It has no models yet.' : `Its models: ${names.join(', ')}${models.length > names.length ? ', …' : ''}.`} The host may not use it yet.`,
  }
}
