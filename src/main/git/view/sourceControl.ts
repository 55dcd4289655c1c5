import { toFailure } from '../../../shared/errors.ts'
import type { FileChange } from '../../../shared/files/files.ts'
import type {
  GitBlame,
  GitDiscardResult,
  GitFileVersion,
  GitIdentity,
  GitLineChange,
  GitLock,
  GitProgress,
  GitRepository,
  GitStatusSummary,
  GitVersion,
} from '../../../shared/git/git.ts'
import { folderOrFirst, folderPaths } from '../../base/workspaceRoots.ts'
import type { Workspace } from '../../workspace/containment.ts'
import { diffOf, type DiffOptions, type DiffSource, type GitDiff } from '../gitDiff.ts'
import { createActions, type WorkingFiles } from './actions.ts'
import { createApplyLines, type LineAction } from './applyLines.ts'
import { createBlame } from './blame.ts'
import { createBranching, type Branching } from './branching.ts'
import { createConflicts, type Conflicts, createResolvedConflicts } from './conflicts.ts'
import { createStashing, type Stashing } from './stashing.ts'
import { initializeRepository } from './cloning.ts'
import { commit, type CommitOptions, setIdentity } from './committing.ts'
import type { Credentials } from './gitCredentials.ts'
import { createDiscarding, type Discarding } from './discarding.ts'
import { createFileVersions } from './fileVersions.ts'
import type { FoundRepository } from './findRepositories.ts'
import { createGitAccess, type GitAccess } from './gitAccess.ts'
import { createHistory, type History } from './history.ts'
import { readLock, removeLock } from './indexLock.ts'
import { createOperations } from './operations.ts'
import { createRepositories, type Repositories } from './repositories.ts'
import { createStaging, type Staging } from './staging.ts'
import { createTransfers, type Transfers } from './remoteTransfers.ts'

/** The service behind the git view: background reads and user actions. */
export interface SourceControl
  extends Staging, Branching, Conflicts, Stashing, Transfers, History, Omit<Discarding, 'overwrite' | 'restore'> {
  readonly repositories: Pick<Repositories, 'list' | 'filesChanged' | 'trustChanged'>
  /**
   * Creates a repository in a folder of the workspace.
   * @param folder its workspace path
   * @throws ToolError `already_exists`
   */
  initialize(folder: string): Promise<GitRepository[]>
  /** @param refresh runs git first; otherwise returns the latest status */
  status(id: string, refresh: boolean): Promise<GitStatusSummary>
  commit(id: string, operation: string, options: CommitOptions): Promise<{ hash: string; status: GitStatusSummary }>
  setIdentity(id: string, identity: GitIdentity): Promise<void>
  /** Stages, unstages or discards hunks and lines. @throws ToolError `conflict` if the lines have changed */
  applyLines(
    id: string,
    path: string,
    action: LineAction,
    changes: readonly GitLineChange[],
    operation?: string,
  ): Promise<GitDiscardResult>
  fileAt(id: string, path: string, version: GitVersion, signal: AbortSignal): Promise<GitFileVersion>
  /** Compares staged or all changes, without secret files and files outside the open folder. */
  diff(id: string, options: Pick<DiffOptions, 'staged'>, cancelled: AbortSignal): Promise<GitDiff>
  /** Finds who last changed each line of a file's current text. */
  blame(id: string, path: string, cancelled?: AbortSignal): Promise<GitBlame>
  /** Returns the index lock and the processes that may hold it. */
  lock(id: string): Promise<GitLock>
  /** Removes a stale lock. @throws ToolError `conflict` if a git process may hold it */
  removeLock(id: string): Promise<GitStatusSummary>
  /** Cancels a running action. */
  cancel(operation: string): void
  /** Ends all actions and reads. */
  close(): Promise<void>
}

export interface SourceControlDeps {
  workspace: Workspace
  files: WorkingFiles
  /** Whether the user trusts a folder. @param folder real path */
  isTrusted(folder: string): boolean
  isWithoutHooks?(commit: string): Promise<boolean>
  /** Whether a file may contain secrets, so that diffs for the model omit it. */
  isSecret(path: string): boolean
  onRepositories(repositories: GitRepository[]): void
  onStatus(status: GitStatusSummary): void
  onProgress(progress: GitProgress): void
  /** Receives a message when a background refresh fails. */
  onProblem(message: string): void
  /** Prompts from git and ssh. Absent if there is nobody to reply. */
  credentials?: Pick<Credentials, 'open' | 'close' | 'accepted'>
  environment?: NodeJS.ProcessEnv
}

export function createSourceControl(deps: SourceControlDeps): SourceControl {
  const { workspace, files, isTrusted, isWithoutHooks, environment } = deps
  const closed = new AbortController()
  const access = createGitAccess({ workspace, isTrusted, environment, ...(isWithoutHooks && { isWithoutHooks }) })
  const operations = createOperations(deps.onProgress, deps.credentials)
  let lastProblem = ''
  const repositories = createRepositories({
    workspace,
    access,
    lookAbove: () => folderPaths(workspace).every(isTrusted),
    onRepositories: deps.onRepositories,
    onStatus: deps.onStatus,
    onProblem(error) {
      const { message } = toFailure(error)
      if (message !== lastProblem) deps.onProblem(message)
      lastProblem = message
    },
  })
  const { signal } = closed
  const actions = createActions(access, repositories, operations, signal)
  const versions = createFileVersions({ access, workspace, decode: files.decode })
  const resolved = createResolvedConflicts()
  const discarding = createDiscarding(actions, { workspace, ...files })
  return {
    repositories: {
      list: repositories.list,
      filesChanged: (changes: readonly FileChange[], overflow: boolean) => repositories.filesChanged(changes, overflow),
      trustChanged: repositories.trustChanged,
    },
    async initialize(folder: string) {
      await initializeRepository(folderOrFirst(workspace, folder).absolute, signal, environment)
      return repositories.list(true)
    },
    async status(id, refresh) {
      const { status } = await repositories.get(id)
      return refresh ? status.now() : status.latest()
    },
    ...createStaging(actions, resolved),
    ...createBranching(actions),
    ...createConflicts(actions, discarding, resolved),
    ...createStashing(actions),
    ...createTransfers(actions),
    ...createHistory(access, repositories, signal),
    discard: discarding.discard,
    undoDiscard: discarding.undoDiscard,
    applyLines: createApplyLines({ actions, versions, discarding, files }),
    fileAt: async (id, path, version, cancelled) =>
      versions.fileAt(await repositories.get(id), path, version, AbortSignal.any([signal, cancelled])),
    async diff(id, options, cancelled) {
      const { found } = await repositories.get(id)
      return diffOf(diffSource(access, found, AbortSignal.any([signal, cancelled])), options, deps.isSecret)
    },
    blame: createBlame({ access, repositories, versions, files, signal }),
    commit: (id, operation, options) =>
      operations.run(operation, (running) => commit(access, repositories, id, options, running)),
    setIdentity: (id, identity) => setIdentity(actions, id, identity),
    lock: async (id) => readLock((await repositories.get(id)).found),
    removeLock: async (id) => (await repositories.change(id, ({ found }) => removeLock(found))).status,
    cancel: operations.cancel,
    async close() {
      closed.abort()
      await operations.close()
      await repositories.close()
    },
  }
}

function diffSource(access: GitAccess, found: FoundRepository, signal: AbortSignal): DiffSource {
  return {
    relative: found.folder,
    prefix: found.prefix,
    others: found.others,
    filters: [],
    async run(args, options) {
      // git must not take the paths of the diff literally, because they contain patterns.
      const env = { GIT_LITERAL_PATHSPECS: '0' }
      const { output, ...result } = await access.read(found, args, signal, { ...options, files: true, env })
      return { ...result, stdout: output.toString('utf8') }
    },
  }
}
