import type { Endpoint, Settings } from '../../../shared/settings/settings.ts'
import { ModelError } from '../modelClient.ts'
import type { RequestRelay } from '../transport/requestRelay.ts'
import { readCredentials, writeCredentials, type Secrets } from './endpointCredentials.ts'
import type { EndpointAccess } from './endpointClient.ts'
import type { DesktopModels } from './windowComputer.ts'
import { resolveDraft, serverKey, type EndpointDraft } from './endpointDrafts.ts'

/** The members of the settings store that endpoints use. */
export interface EndpointSettingsStore {
  get(): Settings
  update(change: (stored: Settings) => Partial<Settings>): Promise<Settings>
}

/** Endpoints in the settings, with their keys in the secret store. */
export interface EndpointSettings {
  /** Also lists the endpoints on the computer of the window, with the options that are stored for them. */
  list(): Endpoint[]
  /** Returns an endpoint with access to its stored credentials. */
  withAccess(endpoint: Endpoint): EndpointAccess
  /** Returns a draft with its credentials, without storing it. @throws ToolError `invalid_arguments` */
  resolve(draft: EndpointDraft, key: string | null | undefined): Promise<EndpointAccess>
  /**
   * Adds or replaces an endpoint.
   * @param options `unlessKnown` changes nothing if an endpoint of the same kind and address is stored
   * @returns the stored endpoint
   * @throws ToolError `invalid_arguments`
   */
  save(draft: EndpointDraft, key: string | null | undefined, options?: SaveOptions): Promise<Endpoint>
  /**
   * Changes an endpoint, and other settings with it, in one update, which keeps what other processes have stored in the
   * meantime.
   * @param found the endpoint to add if none with this id is stored
   * @returns the stored endpoint
   */
  change(found: Endpoint, change: EndpointChange): Promise<Endpoint>
  /** Removes an endpoint, its credentials, and the selection of its models. */
  remove(id: string): Promise<void>
}

/** Computes new options of an endpoint's models, and other settings, from the stored ones. */
export type EndpointChange = (
  endpoint: Endpoint,
  stored: Settings,
) => { models: NonNullable<Endpoint['models']>; settings: Partial<Omit<Settings, 'endpoints'>> }

export interface SaveOptions {
  unlessKnown?: boolean | undefined
}

export function createEndpointSettings(
  settings: EndpointSettingsStore,
  secrets: Secrets,
  desktop?: DesktopModels,
): EndpointSettings {
  const stored = () => settings.get().endpoints.filter((endpoint) => endpoint.kind !== 'tour')
  function list(): Endpoint[] {
    const own = stored()
    const there = desktop?.list() ?? []
    return [
      ...own.map((endpoint) => {
        const known = endpoint.on === 'desktop' ? there.find(({ id }) => id === endpoint.id) : undefined
        return known ? { ...endpoint, name: known.name, kind: known.kind, baseUrl: known.baseUrl } : endpoint
      }),
      ...there.filter(({ id }) => !own.some((endpoint) => endpoint.id === id)),
    ]
  }
  const byRelay = (endpoint: Endpoint) =>
    endpoint.on === 'desktop' && { relay: desktop?.relay(endpoint) ?? noDesktop(endpoint) }
  const resolve = (draft: EndpointDraft, key: string | null | undefined) => {
    const before = list().find((endpoint) => endpoint.id === draft.id)
    return resolveDraft(draft, key, before, secrets)
  }
  return {
    list,
    withAccess: (endpoint) => ({
      endpoint,
      credentials: () => readCredentials(secrets, endpoint),
      ...byRelay(endpoint),
    }),
    async resolve(draft, key) {
      const { endpoint, credentials } = await resolve(draft, key)
      return { endpoint, credentials: () => Promise.resolve(credentials), ...byRelay(endpoint) }
    },
    async save(draft, key, { unlessKnown = false } = {}) {
      const { endpoint, credentials } = await resolve(draft, key)
      await writeCredentials(secrets, endpoint.id, credentials)
      let known: Endpoint | undefined
      // Decided while the settings are locked, because another process may add the same endpoint.
      await settings.update(({ endpoints }) => {
        known = unlessKnown ? endpoints.find((other) => isSameServer(other, endpoint)) : undefined
        if (known) return {}
        const at = endpoints.findIndex((candidate) => candidate.id === endpoint.id)
        return { endpoints: at === -1 ? [...endpoints, endpoint] : endpoints.with(at, endpoint) }
      })
      if (known) await writeCredentials(secrets, endpoint.id, null)
      return known ?? endpoint
    },
    async change(found, change) {
      let changed = found
      await settings.update((stored) => {
        const at = stored.endpoints.findIndex(({ id }) => id === found.id)
        const endpoint = stored.endpoints[at] ?? found
        const { models, settings: others } = change(endpoint, stored)
        changed = { ...endpoint, models }
        return {
          ...others,
          endpoints: at === -1 ? [...stored.endpoints, changed] : stored.endpoints.with(at, changed),
        }
      })
      return changed
    },
    async remove(id) {
      await settings.update(({ endpoints, model, smallModel, subAgentModel, embeddings, completion }) => ({
        endpoints: endpoints.filter((endpoint) => endpoint.id !== id),
        ...(model?.endpointId === id && { model: undefined }),
        ...(smallModel?.endpointId === id && { smallModel: null }),
        ...(subAgentModel?.endpointId === id && { subAgentModel: null }),
        ...(embeddings?.endpointId === id && { embeddings: null }),
        completion: {
          ...completion,
          ...(completion.model?.endpointId === id && { model: null }),
          ...(completion.nextEditModel?.endpointId === id && { nextEditModel: null }),
        },
      }))
      await writeCredentials(secrets, id, null)
    },
  }
}

/** Fails the requests to an endpoint that only a window on another computer can reach. */
function noDesktop({ name }: Endpoint): RequestRelay {
  return () =>
    Promise.reject(
      new ModelError(
        'unreachable',
        `${name} is on the computer of a window, and can only be used in that window.`,
        'Use another endpoint here.',
      ),
    )
}

function isSameServer(one: Endpoint, other: Endpoint): boolean {
  return one.kind === other.kind && one.on === other.on && serverKey(one) === serverKey(other)
}
