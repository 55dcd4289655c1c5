import type { Handlers } from '../core/coreContract.ts'
import type { ModelChecks } from './modelChecks.ts'

/** Handles requests of the page "Check my model". */
export function createModelCheckHandlers(
  checks: ModelChecks,
): Pick<
  Handlers,
  | 'modelCheck.start'
  | 'modelCheck.cancel'
  | 'modelCheck.state'
  | 'modelCheck.apply'
  | 'modelCheck.export'
  | 'modelCheck.remove'
> {
  return {
    'modelCheck.start': ({ steps, minutes, ...choice }) =>
      checks.start({ choice, ...(steps && { steps }), ...(minutes !== undefined && { minutes }) }),
    'modelCheck.cancel': () => checks.cancel(),
    'modelCheck.state': () => checks.state(),
    'modelCheck.apply': ({ id, endpointId }, signal) => checks.apply(id, endpointId, signal),
    'modelCheck.export': ({ id, format }) => checks.export(id, format),
    'modelCheck.remove': ({ id }) => checks.remove(id),
  }
}
