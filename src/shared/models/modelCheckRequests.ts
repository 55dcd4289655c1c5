import { z } from 'zod'
import { request, noParams, id, modelOfEndpoint } from '../requestType.ts'
import { checkSteps, modelReportFormats, type ModelChecksState } from './modelCheck.ts'

export const modelCheckRequests = {
  /**
   * Starts "Check my model". The check continues if the window closes. Its progress arrives as `modelCheck.changed`.
   * @throws conflict if a check is already running
   */
  'modelCheck.start': request<void>()(() =>
    modelOfEndpoint.extend({
      steps: z.array(z.enum(checkSteps)).min(1).optional(),
      /** Time limit of the whole check. */
      minutes: z.number().positive().max(1440).optional(),
    }),
  ),
  'modelCheck.cancel': request<void>()(() => noParams),
  'modelCheck.state': request<ModelChecksState>()(() => noParams),
  /**
   * Stores a report's recommended settings. `endpointId`: the endpoint to change. Default: the checked one.
   * @throws not_found if the report or the endpoint no longer exists, conflict if the check ended early
   */
  'modelCheck.apply': request<void>()(() => z.object({ id, endpointId: id.optional() })),
  /** Exports a report as a file to share, without anything about this machine. */
  'modelCheck.export': request<{ name: string; text: string }>()(() =>
    z.object({ id, format: z.enum(modelReportFormats) }),
  ),
  'modelCheck.remove': request<void>()(() => z.object({ id })),
} as const
