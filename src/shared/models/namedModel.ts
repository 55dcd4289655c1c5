import type { ModelChoice } from '../agent/conversation.ts'
import type { EndpointStatus } from '../settings/settings.ts'

/**
 * Pure: finds a model by the name that its server uses; undefined if no server offers it.
 * @param near a model whose server is preferred
 */
export function namedModel(
  statuses: readonly EndpointStatus[],
  name: string,
  near?: ModelChoice,
): ModelChoice | undefined {
  const wanted = name.toLowerCase()
  const found = statuses.flatMap(({ endpoint, models }) =>
    endpoint.kind === 'tour'
      ? []
      : models
          .filter(({ id }) => id.toLowerCase() === wanted)
          .map(({ id }) => ({ endpointId: endpoint.id, model: id })),
  )
  return found.find(({ endpointId }) => endpointId === near?.endpointId) ?? found[0]
}
