import type { ModelChoice } from '../../shared/agent/conversation.ts'
import type { EndpointStatus } from '../../shared/settings/settings.ts'

/**
 * Pure: finds a model by the name that its server uses. Only on the server of another model, or on one of this machine
 * that answers, because the name may come from a plug-in, which must not choose who else reads the work.
 * @param near a model whose server is preferred
 * @param isLocal whether a server runs on this machine
 */
export function namedModel(
  statuses: readonly EndpointStatus[],
  name: string,
  near: ModelChoice,
  isLocal: (endpointId: string) => boolean,
): ModelChoice | undefined {
  const wanted = name.toLowerCase()
  const isNear = ({ endpoint }: EndpointStatus): boolean => endpoint.id === near.endpointId
  const found = statuses
    .filter((status) => isNear(status) || (status.reachable && !status.offered && isLocal(status.endpoint.id)))
    .filter(({ endpoint }) => endpoint.kind !== 'tour')
    .toSorted((one, other) => Number(isNear(other)) - Number(isNear(one)))
    .flatMap(({ endpoint, models }) =>
      models.filter(({ id }) => id.toLowerCase() === wanted).map(({ id }) => ({ endpointId: endpoint.id, model: id })),
    )
  return found[0]
}
