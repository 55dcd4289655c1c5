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
    'git.discard': ({ repository, paths, group }) => git().discard(repository, paths, group),
    'git.undoDiscard': ({ repository, backup }) => git().undoDiscard(repository, backup),
    'git.applyLines': ({ repository, path, action, changes }) => git().applyLines(repository, path, action, changes),
    'git.fileAt': ({ repository, path, at }, signal) => git().fileAt(repository, path, at, signal),
    'git.resolve': ({ repository, path, take }) => git().resolve(repository, path, take),
    'git.operation': ({ repository, operation, step }) => git().step(repository, operation, step),
    'git.references': ({ repository }) => git().references(repository),
    'git.createBranch': ({ repository, ...options }) => git().createBranch(repository, options),
    'git.switch': ({ repository, operation, ...options }) => git().switchTo(repository, operation, options),
    'git.deleteBranch': ({ repository, name, force }) => git().deleteBranch(repository, name, force),
    'git.merge': ({ repository, operation, branch }) => git().merge(repository, operation, branch),
    'git.createTag': ({ repository, ...options }) => git().createTag(repository, options),
    'git.deleteTag': ({ repository, name }) => git().deleteTag(repository, name),
    'git.stashes': ({ repository }) => git().stashes(repository),
    'git.stash': ({ repository, operation, ...options }) => git().stash(repository, operation, options),
    'git.applyStash': ({ repository, operation, hash, pop }) => git().applyStash(repository, operation, hash, pop),
    'git.dropStash': ({ repository, hash }) => git().dropStash(repository, hash),
    'git.restoreStash': ({ repository, hash, message }) => git().restoreStash(repository, hash, message),
    'git.log': ({ repository, ...query }) => git().log(repository, query),
    'git.fileHistory': ({ repository, path, ...page }) => git().fileHistory(repository, path, page),
    'git.commitDetails': ({ repository, commit }) => git().commitDetails(repository, commit),
    'git.compare': ({ repository, from, to }) => git().compare(repository, from, to),
    'git.blame': ({ repository, path }) => git().blame(repository, path),
    'git.cancel': ({ operation }) => git().cancel(operation),
  }
}
