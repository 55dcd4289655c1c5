import { toFailure } from '../../shared/errors.ts'
import { gitActions, type GitAction, type GitRunningAction } from '../../shared/git/git.ts'
import type { Handlers } from './handlers.ts'

type Action = (params: { operation: string; repository?: string | undefined }, signal: AbortSignal) => unknown

/** The actions of the user that run, so that a window that connects can show and cancel them. */
export interface RunningGitActions {
  /** Returns the running actions, and, once, the finished ones whose result no window received. */
  list(): GitRunningAction[]
  /** Returns handlers that are listed while they run. */
  follow<H extends Pick<Handlers, GitAction>>(handlers: H): H
}

/** Maximum number of results that are kept for the next window. */
const maxUnreported = 20

export function createRunningGitActions(onEnded: (operation: string) => void): RunningGitActions {
  const running = new Map<string, GitRunningAction>()
  let unreported: GitRunningAction[] = []
  return {
    list() {
      const ended = unreported
      unreported = []
      return [...running.values(), ...ended]
    },
    follow(handlers) {
      const followed = gitActions.map((action) => {
        // All these requests have an operation, which a test checks.
        const handle = handlers[action] as Action
        const run: Action = async (params, signal) => {
          const { operation, repository = null } = params
          // The operations refuse a second action with the same id.
          if (running.has(operation)) return handle(params, signal)
          running.set(operation, { operation, repository, action })
          const report = (ended: GitRunningAction['ended'] = {}) => {
            if (signal.aborted)
              unreported = [...unreported, { operation, repository, action, ended }].slice(-maxUnreported)
          }
          try {
            const result = await handle(params, signal)
            report()
            return result
          } catch (error) {
            report({ failure: toFailure(error) })
            throw error
          } finally {
            running.delete(operation)
            onEnded(operation)
          }
        }
        return [action, run]
      })
      return { ...handlers, ...Object.fromEntries(followed) }
    },
  }
}
