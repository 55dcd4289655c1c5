import type { RequestName } from '../../shared/bridge/protocol.ts'
import type { Review } from '../review/reviewTypes.ts'
import type { Handlers } from './handlers.ts'

/** Requests with which the user changes files of the workspace. Saves report themselves. */
const changingRequests = [
  'files.create',
  'files.move',
  'files.copy',
  'files.finishUpload',
  'files.delete',
  'files.trash',
  'files.restoreDeleted',
  'git.discard',
  'git.undoDiscard',
  'git.applyLines',
  'git.resolve',
  'git.unresolve',
  'git.operation',
  'git.createBranch',
  'git.switch',
  'git.merge',
  'git.applyCommit',
  'git.stash',
  'git.applyStash',
  'git.restoreStash',
  'git.pull',
  'git.sync',
] as const satisfies readonly RequestName[]

/** Reports to the review what the user changes with requests, so that it does not count as a change of the agent. */
export function reportUserChanges(handlers: Handlers, review: () => Pick<Review, 'changing'> | undefined): Handlers {
  const reported = changingRequests.map((name) => {
    // One type for the handlers of all these requests.
    const handler = handlers[name] as (params: unknown, signal: AbortSignal) => unknown
    const changing = async (params: unknown, signal: AbortSignal): Promise<unknown> => {
      const ended = review()?.changing()
      try {
        return await handler(params, signal)
      } finally {
        ended?.()
      }
    }
    return [name, changing]
  })
  // Each handler was replaced by one that takes and returns the same.
  return { ...handlers, ...(Object.fromEntries(reported) as Partial<Handlers>) }
}
