import path from 'node:path'
import { ToolError } from '../../../shared/errors.ts'
import { folderPaths } from '../../base/workspaceRoots.ts'
import type { Workspace } from '../../workspace/containment.ts'
import { readSmallFile } from '../../base/smallFile.ts'
import { runGitProcess, type GitProcess, type GitResult } from '../gitProcess.ts'
import { openRepository } from '../gitRepository.ts'
import { disabledPrograms } from '../repositoryConfiguration.ts'
import { refuseLinks } from '../repositoryContainment.ts'
import { gitEnvironment } from '../runGit.ts'
import type { FoundRepository } from './findRepositories.ts'
import { withoutHooks } from './names.ts'

type RunOptions = Pick<GitProcess, 'input' | 'onOutput' | 'onErrors'> & {
  maxBytes?: number
  env?: Readonly<Record<string, string>>
}

/** The two ways to run git for the view. See docs/architecture/git.md. */
export interface GitAccess {
  /** Whether programs configured by a repository and the user may run for user actions. */
  isTrusted(repository: FoundRepository): boolean
  /**
   * Reads in the background. Starts no program named in configuration, attributes or hooks.
   * @param files whether git compares files with the index, so that filters have to be disabled
   */
  read(
    repository: FoundRepository,
    args: readonly string[],
    signal: AbortSignal,
    options?: RunOptions & { files?: boolean },
  ): Promise<GitResult>
  /**
   * Runs what the user clicked: with the user's configuration in a trusted folder, otherwise like `read`. Hooks and
   * helpers end with git when the signal is aborted.
   */
  act(
    repository: FoundRepository,
    args: readonly string[],
    signal: AbortSignal,
    options?: RunOptions,
  ): Promise<GitResult>
}

export interface GitAccessDeps {
  workspace: Workspace
  /** Whether the user trusts a folder. @param folder real path */
  isTrusted(folder: string): boolean
  /** Whether no hook may run while a merge or rebase of this commit is unfinished. */
  isWithoutHooks?(commit: string): Promise<boolean>
  environment?: NodeJS.ProcessEnv
}

const readLimit = { maxBytes: 64 * 1024 * 1024, timeoutMs: 120_000 }
/** Variables that describe another repository (git rev-parse --local-env-vars), and Tizona's own. */
const withheld =
  /^(?:GIT_(?:DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|PREFIX|NAMESPACE|CONFIG|CONFIG_COUNT|CONFIG_PARAMETERS|CONFIG_KEY_\d+|CONFIG_VALUE_\d+|EDITOR|SEQUENCE_EDITOR|PAGER|LITERAL_PATHSPECS)|TIZONA_API_KEY|NODE_OPTIONS)$/

export function createGitAccess({
  workspace,
  isTrusted,
  isWithoutHooks = () => Promise.resolve(false),
  environment = process.env,
}: GitAccessDeps): GitAccess {
  const trusted = (repository: FoundRepository) => isTrusted(repository.workTree)

  /** Arguments and configuration for a run without programs. */
  async function neutralRun(repository: FoundRepository, files: boolean, signal: AbortSignal) {
    const { gitDir, workTree, kind } = repository
    // A repository above a trusted folder may be used without its programs, which must be trusted separately.
    if (trusted(repository) || (repository.prefix !== undefined && folderPaths(workspace).every(isTrusted))) {
      const folders = [`--git-dir=${gitDir}`, ...(kind === 'bare' ? [] : [`--work-tree=${workTree}`])]
      return { folders, config: files ? await disabledPrograms({ gitDir, workTree }, signal) : {} }
    }
    if (kind === 'bare' || repository.prefix !== undefined)
      throw new ToolError(
        'outside_workspace',
        'This repository can only be used in a trusted folder.',
        'Trust the folder first.',
        { reason: 'restricted' },
      )
    const opened = await openRepository(workspace, repository.folder, signal)
    return { folders: [`--git-dir=${opened.gitDir}`, `--work-tree=${opened.workTree}`], config: opened.config, opened }
  }

  async function read(
    repository: FoundRepository,
    args: readonly string[],
    signal: AbortSignal,
    { files = false, env = {}, ...options }: RunOptions & { files?: boolean } = {},
  ): Promise<GitResult> {
    const { folders, config } = await neutralRun(repository, files, signal)
    return runGitProcess({
      ...readLimit,
      ...options,
      args: [...folders, ...args],
      folder: repository.workTree,
      env: { ...gitEnvironment(environment, config), GIT_LITERAL_PATHSPECS: '1', ...env },
      signal,
    })
  }

  return {
    isTrusted: trusted,
    read,
    async act(repository, args, signal, { env = {}, maxBytes = readLimit.maxBytes, ...options } = {}) {
      if (!trusted(repository)) {
        const { opened, config } = await neutralRun(repository, true, signal)
        if (opened) await refuseLinks(opened)
        const neutral = gitEnvironment(environment, {
          ...config,
          'tag.gpgSign': 'false',
          'tag.forceSignAnnotated': 'false',
        })
        return runGitProcess({
          ...options,
          maxBytes,
          args: [`--git-dir=${repository.gitDir}`, `--work-tree=${repository.workTree}`, ...args],
          folder: repository.workTree,
          env: { ...neutral, GIT_EDITOR: 'true', GIT_OPTIONAL_LOCKS: '1', ...env },
          group: true,
          signal,
        })
      }
      const commit = await unfinishedCommit(repository)
      const hooks = commit !== undefined && (await isWithoutHooks(commit)) ? withoutHooks : []
      return runGitProcess({
        ...options,
        maxBytes,
        args: [...hooks, ...args],
        folder: repository.workTree,
        // A damaged repository must not make git use the one above it.
        env: { ...userEnvironment(environment), GIT_CEILING_DIRECTORIES: path.dirname(repository.workTree), ...env },
        group: true,
        signal,
      })
    },
  }
}

/** Returns the commit that an unfinished merge or rebase started with. */
async function unfinishedCommit({ gitDir }: FoundRepository): Promise<string | undefined> {
  for (const file of ['MERGE_HEAD', 'rebase-merge/orig-head', 'rebase-apply/orig-head']) {
    const commit = await readSmallFile(path.join(gitDir, file))
    if (commit !== null) return commit.trim()
  }
  return undefined
}

/** Returns the user's environment for git, in English so that messages can be parsed, and without a terminal. */
export function userEnvironment(source: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(Object.entries(source).filter(([variable]) => !withheld.test(variable))),
    GIT_TERMINAL_PROMPT: '0',
    // Accepts the prepared message of a merge or rebase.
    GIT_EDITOR: 'true',
    GIT_SEQUENCE_EDITOR: 'true',
    GIT_PAGER: 'cat',
    LC_ALL: 'C.UTF-8',
    LANGUAGE: 'C',
  }
}
