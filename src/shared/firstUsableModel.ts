import type { ModelChoice } from './conversation.ts'
import type { EndpointStatus } from './settings.ts'

/**
 * Returns the model of new conversations if none is chosen in the settings, preferably a loaded one; undefined if no
 * endpoint has a usable one. The tour's model is never returned.
 */
export function firstUsableModel(statuses: readonly EndpointStatus[]): ModelChoice | undefined {
  for (const { endpoint, models } of statuses) {
    if (endpoint.kind === 'tour') continue
    const usable = models.filter((model) => model.tools !== false)
    const best = usable.find((model) => model.loaded) ?? usable[0]
    if (best) return { endpointId: endpoint.id, model: best.id }
  }
  return undefined
}
