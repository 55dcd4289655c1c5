import type { RequestName, RequestParams } from '../../../shared/bridge/protocol.ts'
import type { EndpointStatus } from '../../../shared/settings/settings.ts'
import { log } from '../../base/log/log.ts'
import type { Handlers } from '../../core/coreContract.ts'
import { isDesktopId, type HostModels } from '../../core/remoteModels/desktopModels.ts'
import type { ModelAnswer } from '../../core/remoteModels/modelMessages.ts'
import { createModelRequests } from '../../core/remoteModels/modelRequests.ts'
import { hostStatusesSchema } from './remoteProtocol.ts'

/** The endpoints of a window on a host: those of the host, and those of this computer that the host may use. */
export interface RemoteEndpoints {
  handlers: Pick<
    Handlers,
    'endpoints.list' | 'endpoints.look' | 'endpoints.allow' | 'endpoints.remove' | 'endpoints.save' | 'endpoints.test'
  >
  /** Shows the endpoints that the host has sent. @throws ZodError for a list that no host of this build sends */
  receive(statuses: unknown): void
  /** Accepts a request to a model server of this computer. @throws ZodError as `receive` */
  acceptRequest(message: unknown): void
  /** Ends these requests, because messages were lost. */
  cancelRequests(): void
  /** Tells the host which endpoints of this computer it may use. @param isNew the host may have lost what it knew */
  sendAllowed(isNew?: boolean): Promise<void>
  dispose(): void
}

interface RemoteEndpointsDeps {
  models: HostModels
  /** Sends a request of the window to the host. */
  request(name: RequestName, params: unknown, signal: AbortSignal): Promise<unknown>
  send(message: ModelAnswer): void
  show(statuses: EndpointStatus[]): void
  /** Aborts when the window is closed. */
  leaving: AbortSignal
}

export function createRemoteEndpoints({ models, request, send, show, leaving }: RemoteEndpointsDeps): RemoteEndpoints {
  const modelRequests = createModelRequests({ send, access: models.access })
  let hostStatuses: EndpointStatus[] = []
  let allowed: Awaited<ReturnType<HostModels['allowed']>> = []
  let offers: EndpointStatus[] = []

  /** The window shows the endpoints of this computer as this computer knows them. */
  function statusesOfHost(received: unknown): EndpointStatus[] {
    // The window checks what it shows.
    return (hostStatusesSchema.parse(received) as unknown as EndpointStatus[])
      .filter(({ offered }) => offered === undefined)
      .map((status) => {
        const known = allowed.find(({ endpoint }) => endpoint.id === status.endpoint.id)
        if (known === undefined) return status
        const { name, kind } = known.endpoint
        return { ...status, endpoint: { ...status.endpoint, name, kind, baseUrl: known.address } }
      })
  }

  const statuses = (): EndpointStatus[] => [
    ...hostStatuses,
    ...offers.filter(({ endpoint }) => !allowed.some((each) => each.endpoint.id === endpoint.id)),
  ]

  /** The draft of an endpoint without what stays on this computer: the host has options for it only. */
  function forHost({ endpoint, ...others }: RequestParams<'endpoints.save'>): RequestParams<'endpoints.save'> {
    const known = allowed.find((each) => each.endpoint.id === endpoint.id)
    if (known === undefined) return { endpoint, ...others }
    const { name, kind, baseUrl } = known.endpoint
    const { headers: _headers, headerValues: _values, caFile: _file, ...options } = endpoint
    return { endpoint: { ...options, name, kind, baseUrl } }
  }

  async function findOffers(probe: boolean): Promise<void> {
    try {
      offers = await models.offers(probe, leaving)
    } catch (error) {
      log.warn('The model servers of this computer could not be listed', error)
    }
  }

  async function sendAllowed(isNew = false): Promise<void> {
    const before = JSON.stringify(allowed)
    allowed = await models.allowed()
    if (!isNew && JSON.stringify(allowed) === before) return
    send({ kind: 'model', step: 'endpoints', endpoints: allowed.map(({ endpoint }) => endpoint) })
  }

  const ignoreForbidden = models.onForbidden((id) => {
    modelRequests.cancel(id)
    void sendAllowed().catch((error: unknown) => log.warn('A host could not be told what it may no longer use', error))
  })

  const handlers: RemoteEndpoints['handlers'] = {
    async 'endpoints.list'(params, signal) {
      // What was changed in another window of this computer.
      if (params.probe) await sendAllowed()
      const [received] = await Promise.all([request('endpoints.list', params, signal), findOffers(params.probe)])
      hostStatuses = statusesOfHost(received)
      return statuses()
    },
    async 'endpoints.look'(params, signal) {
      const before = JSON.stringify(offers)
      await Promise.all([request('endpoints.look', params, signal), findOffers(false)])
      if (JSON.stringify(offers) !== before) show(statuses())
    },
    async 'endpoints.allow'({ id }) {
      await models.allow(id)
      await sendAllowed()
    },
    async 'endpoints.remove'(params, signal) {
      // First here: it must not depend on the answer of the host.
      if (isDesktopId(params.id)) await models.forbid(params.id)
      await request('endpoints.remove', params, signal)
    },
    async 'endpoints.save'(params, signal) {
      const { endpoint, key } = params
      // Options of a known one are stored on the host, as those of servers that it discovers.
      if (endpoint.on !== 'desktop' || endpoint.id !== undefined)
        return (await request('endpoints.save', forHost(params), signal)) as EndpointStatus
      const status = await models.add(endpoint, key, signal)
      await sendAllowed()
      return status
    },
    'endpoints.test': async (params, signal) =>
      params.endpoint.on === 'desktop' && params.endpoint.id === undefined
        ? models.test(params.endpoint, params.key, signal)
        : ((await request('endpoints.test', forHost(params), signal)) as EndpointStatus),
  }

  return {
    handlers,
    receive(received) {
      hostStatuses = statusesOfHost(received)
      show(statuses())
    },
    acceptRequest: (message) => modelRequests.accept(message),
    cancelRequests: () => modelRequests.cancel(),
    sendAllowed,
    dispose() {
      ignoreForbidden()
      modelRequests.cancel()
    },
  }
}
