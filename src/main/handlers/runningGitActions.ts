import { gitActions, type GitAction, type GitRunningAction } from '../../shared/git.ts'
import type { Handlers } from './handlers.ts'

type Action = (params: { operation: string; repository?: string | undefined }, signal: AbortSignal) => unknown

/** The actions of the user that run, so that a window that connects can show and cancel them. */
export interface RunningGitActions {
  list(): GitRunningAction[]
  /** Returns handlers that are listed while they run. */
  follow<H extends Pick<Handlers, GitAction>>(handlers: H): H
}

export function createRunningGitActions(onEnded: (operation: string) => void): RunningGitActions {
  const running = new Map<string, GitRunningAction>()
  return {
    list: () => [...running.values()],
    follow(handlers) {
      const followed = gitActions.map((action) => {
        // All these requests have an operation, which a test checks.
        const handle = handlers[action] as Action
        const run: Action = async (params, signal) => {
          const { operation, repository = null } = params
          // The operations refuse a second action with the same id.
          if (running.has(operation)) return handle(params, signal)
          running.set(operation, { operation, repository, action })
          try {
            return await handle(params, signal)
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
