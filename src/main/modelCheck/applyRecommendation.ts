import { ToolError } from '../../shared/errors.ts'
import type { ModelReport } from '../../shared/models/modelCheck.ts'
import { defaultToolset } from '../../shared/tools/toolsetSuggestion.ts'
import { optionsOf } from '../model/clients/modelOptions.ts'
import type { Endpoints } from '../model/endpoints/endpoints.ts'

/**
 * Stores the recommended settings of a report: context size and temperature for the model, profile and toolset for new
 * conversations.
 * @throws ToolError `not_found` without the endpoint
 */
export async function applyRecommendation(
  { model, recommendation }: ModelReport,
  endpointId: string,
  endpoints: Endpoints,
  signal: AbortSignal,
): Promise<void> {
  if (!endpoints.get(endpointId))
    throw new ToolError(
      'not_found',
      'The model server of this result is no longer configured.',
      'Add it in the settings and check the model again.',
    )
  const { profile, contextWindow, temperature, toolset, calls } = recommendation
  // Decided while the settings are locked: another process may store options of another model of this server.
  await endpoints.change(
    endpointId,
    (endpoint, stored) => {
      const before = optionsOf(endpoint, model)
      const options = {
        ...before,
        ...((before.temperature ?? stored.temperature) !== temperature.value && { temperature: temperature.value }),
        ...(contextWindow && { contextWindow: contextWindow.value }),
        ...(calls && { calls: calls.value }),
      }
      return {
        models: { ...endpoint.models, [model]: options },
        settings: {
          profile: profile.value,
          ...(defaultToolset(stored, model) !== toolset.value && { toolset: toolset.value, suggestToolset: false }),
        },
      }
    },
    signal,
  )
}
