import { ToolError } from '../../shared/errors.ts'
import type { ModelReport } from '../../shared/modelCheck.ts'
import type { Settings } from '../../shared/settings.ts'
import { defaultToolset } from '../../shared/toolsetSuggestion.ts'
import { optionsOf } from '../model/clients/modelOptions.ts'
import type { Endpoints } from '../model/endpoints/endpoints.ts'

/** The settings store, as the check of a model uses it. */
export interface CheckSettings {
  get(): Settings
  set(patch: Partial<Settings>): Promise<Settings>
}

/**
 * Stores the recommended settings of a report: context size and temperature for the model, profile and toolset for new
 * conversations.
 * @throws ToolError `not_found` without the endpoint
 */
export async function applyRecommendation(
  { model, recommendation }: ModelReport,
  endpointId: string,
  { endpoints, settings }: { endpoints: Endpoints; settings: CheckSettings },
  signal: AbortSignal,
): Promise<void> {
  const endpoint = endpoints.get(endpointId)
  if (!endpoint)
    throw new ToolError(
      'not_found',
      'The model server of this result is no longer configured.',
      'Add it in the settings and check the model again.',
    )
  const { profile, contextWindow, temperature, toolset } = recommendation
  const before = optionsOf(endpoint, model)
  const general = settings.get()
  const options = {
    ...before,
    ...((before.temperature ?? general.temperature) !== temperature.value && { temperature: temperature.value }),
    ...(contextWindow && { contextWindow: contextWindow.value }),
  }
  await endpoints.save({ ...endpoint, models: { ...endpoint.models, [model]: options } }, undefined, signal)
  await settings.set({
    profile: profile.value,
    ...(defaultToolset(general, model) !== toolset.value && { toolset: toolset.value, suggestToolset: false }),
  })
}
