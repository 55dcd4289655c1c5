import { toFailure } from '../../../shared/errors.ts'
import type { FileChange } from '../../../shared/files.ts'
import type { GitProgress, GitRepository, GitStatusSummary } from '../../../shared/git.ts'
import type { Workspace } from '../../workspace/containment.ts'
import { commit, type CommitOptions } from './committing.ts'
import { createGitAccess } from './gitAccess.ts'
import { createOperations } from './operations.ts'
import { createRepositories, type Repositories } from './repositories.ts'
import { createStaging, type Staging } from './staging.ts'

/** The service behind the git view: background reads, and what the user clicks. */
export interface SourceControl extends Staging {
  readonly repositories: Pick<Repositories, 'list' | 'filesChanged' | 'trustChanged'>
  /** @param refresh runs git first; otherwise returns the latest status */
  status(id: string, refresh: boolean): Promise<GitStatusSummary>
  commit(id: string, operation: string, options: CommitOptions): Promise<{ hash: string; status: GitStatusSummary }>
  /** Cancels a running action. */
  cancel(operation: string): void
  /** Ends all actions and reads. */
  close(): Promise<void>
}

export interface SourceControlDeps {
  workspace: Workspace
  /** Whether the user trusts a folder. @param folder real path */
  isTrusted(folder: string): boolean
  onRepositories(repositories: GitRepository[]): void
  onStatus(status: GitStatusSummary): void
  onProgress(progress: GitProgress): void
  /** Receives a message when a background refresh fails. */
  onProblem(message: string): void
  /** Environment of this process. */
  environment?: NodeJS.ProcessEnv
}

export function createSourceControl(deps: SourceControlDeps): SourceControl {
  const { workspace, isTrusted, environment } = deps
  const closed = new AbortController()
  const access = createGitAccess({ workspace, isTrusted, environment })
  const operations = createOperations(deps.onProgress)
  let lastProblem = ''
  const repositories = createRepositories({
    root: workspace.root,
    access,
    lookAbove: () => isTrusted(workspace.root),
    onRepositories: deps.onRepositories,
    onStatus: deps.onStatus,
    onProblem(error) {
      const { message } = toFailure(error)
      if (message !== lastProblem) deps.onProblem(message)
      lastProblem = message
    },
  })
  return {
    repositories: {
      list: repositories.list,
      filesChanged: (changes: readonly FileChange[], overflow: boolean) => repositories.filesChanged(changes, overflow),
      trustChanged: repositories.trustChanged,
    },
    async status(id, refresh) {
      const { status } = await repositories.get(id)
      return refresh ? status.now() : status.latest()
    },
    ...createStaging(access, repositories, closed.signal),
    commit: (id, operation, options) =>
      operations.run(operation, (running) => commit(access, repositories, id, options, running)),
    cancel: operations.cancel,
    async close() {
      closed.abort()
      await operations.close()
      await repositories.close()
    },
  }
}
