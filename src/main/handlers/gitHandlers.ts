import type { WorkspaceSession } from '../workspaceServices/workspaceServices.ts'
import type { Handlers } from './handlers.ts'

type GitRequestName = Extract<keyof Handlers, `git.${string}`>

/** Handles requests of the git view. @param current throws ToolError no_workspace */
export function createGitHandlers(
  current: () => Pick<WorkspaceSession, 'sourceControl'>,
): Pick<Handlers, GitRequestName> {
  const git = () => current().sourceControl
  return {
    'git.repositories': ({ again }) => git().repositories.list(again),
    'git.status': ({ repository, refresh }) => git().status(repository, refresh),
    'git.stage': ({ repository, paths }) => git().stage(repository, paths),
    'git.unstage': ({ repository, paths }) => git().unstage(repository, paths),
    'git.commit': ({ repository, operation, ...options }) => git().commit(repository, operation, options),
    'git.cancel': ({ operation }) => git().cancel(operation),
  }
}
