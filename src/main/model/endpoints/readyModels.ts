import type { Endpoint } from '../../../shared/settings/settings.ts'
import { isSameModel } from '../../../shared/models/modelName.ts'
import { ModelError, type ModelClient } from '../modelClient.ts'
import { findModel } from '../clients/modelOptions.ts'
import { unlessAborted } from '../transport/http.ts'
import { baseModelHint, baseModelText } from './discovery.ts'
import { configuredContextSize, type ContextSizes } from './contextSize.ts'
import {
  constrainsAnswers,
  guidedCalibration,
  hasGuidedCalls,
  type CalibrationFile,
  type GuidedCalibration,
} from './guidedCalls.ts'
import { serverByName } from '../transport/localServers.ts'
import type { Endpoints } from './endpointsTypes.ts'
import type { TrackedModel } from './modelTracker.ts'
import type { QueriedStatuses } from './endpointStatuses.ts'

export interface ReadyModelsDeps {
  get(endpointId: string): Endpoint | undefined
  /** @throws ModelError */
  existing(endpointId: string): Endpoint
  servers: QueriedStatuses
  contextSizes: ContextSizes
  clientOf(endpoint: Endpoint): ModelClient
  trackModel(endpoint: Endpoint, model: string): TrackedModel
  calibrations: CalibrationFile | undefined
  closed: AbortSignal
}

/** Finds the client, context size and token counter of a model, and queries its server if needed. */
export function createReadyModels({
  get,
  existing,
  servers,
  contextSizes,
  clientOf,
  trackModel,
  calibrations,
  closed,
}: ReadyModelsDeps): Pick<Endpoints, 'model' | 'prepare'> {
  const modelsOf = (endpointId: string) => servers.find(endpointId)?.models ?? []
  const hasSize = (endpoint: Endpoint, model: string) =>
    configuredContextSize(endpoint, model) !== undefined || findModel(modelsOf(endpoint.id), model) !== undefined
  const isKnown = ({ id, kind }: Endpoint) => kind === 'gguf' || kind === 'tour' || servers.find(id)?.reachable === true

  const guided = new Map<string, GuidedCalibration>()
  const calibrationOf = (endpointId: string, model: string): GuidedCalibration => {
    const key = JSON.stringify([endpointId, model, findModel(modelsOf(endpointId), model)?.parameters])
    const known = guided.get(key) ?? guidedCalibration(calibrations, key)
    guided.set(key, known)
    return known
  }

  return {
    async model({ endpointId, model }, signal = closed) {
      const endpoint = existing(endpointId)
      const query = hasSize(endpoint, model) && isKnown(endpoint) ? undefined : servers.query(endpoint)
      if (query && !hasSize(endpoint, model)) await unlessAborted(query, signal)
      // If the size is set, the first request does not wait for the query. The next turn uses its result.
      else query?.catch(() => undefined)
      if (servers.find(endpointId)?.baseModels?.some((id) => isSameModel(id, model)))
        throw new ModelError('no_model', baseModelText(model), baseModelHint)
      const client = clientOf(endpoint)
      const { tokens, watchPrompts, cache, hasPrompt } = trackModel(endpoint, model)
      const server = serverByName(servers.find(endpointId)?.server)
      const contextWindow = contextSizes.forRequest(endpoint, model, modelsOf(endpointId))
      return {
        client: watchPrompts(client),
        tokens,
        hasPrompt,
        ...(isKnown(endpoint) && { cache }),
        ...(contextWindow !== undefined && { contextWindow }),
        canGuide: constrainsAnswers(endpoint, server),
        ...(hasGuidedCalls(endpoint, server, model, findModel(modelsOf(endpointId), model)) && {
          guided: calibrationOf(endpoint.id, model),
        }),
      }
    },
    async prepare({ endpointId, model }) {
      const endpoint = get(endpointId)
      if (!endpoint || (hasSize(endpoint, model) && isKnown(endpoint))) return
      // The turn's request reports problems of the server.
      await servers.query(endpoint).catch(() => undefined)
    },
  }
}
