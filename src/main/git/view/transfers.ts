import { ToolError } from '../../../shared/errors.ts'
import type { GitStatusSummary } from '../../../shared/git.ts'
import { decodeGitText } from '../gitText.ts'
import { runIn, type Actions, type RunGit } from './actions.ts'
import type { FoundRepository } from './findRepositories.ts'
import { commitArgument } from './names.ts'
import { readRemotes } from './references.ts'
import type { UsedRepository } from './repositories.ts'

export type PullStrategy = 'merge' | 'rebase' | 'fast_forward'

export interface PushOptions {
  remote?: string | undefined
  /** Publishes the branch: the remote branch becomes its upstream. */
  setUpstream: boolean
  /** Replaces commits of the remote branch, unless it has commits that were not fetched. */
  force: boolean
  /** Also pushes annotated tags of the pushed commits. */
  tags: boolean
}

/** What exchanges commits with remotes. Refused in a restricted folder. */
export interface Transfers {
  fetch(
    id: string,
    operation: string,
    options: { remote?: string | undefined; prune: boolean },
  ): Promise<GitStatusSummary>
  /** @param strategy default: what the user configured */
  pull(id: string, operation: string, strategy?: PullStrategy): Promise<GitStatusSummary>
  push(id: string, operation: string, options: PushOptions): Promise<GitStatusSummary>
  /** Pulls, then pushes. */
  sync(id: string, operation: string): Promise<GitStatusSummary>
}

const strategyFlags: Record<PullStrategy, string> = {
  merge: '--no-rebase',
  rebase: '--rebase',
  fast_forward: '--ff-only',
}

export function createTransfers(actions: Actions): Transfers {
  const { access, repositories, operations, requireTrust, change } = actions
  /** Runs a transfer that changes no files, so that staging does not wait for it. */
  async function transfer(
    id: string,
    operation: string,
    what: string,
    act: (repository: UsedRepository, git: RunGit) => Promise<unknown>,
  ): Promise<GitStatusSummary> {
    const repository = await repositories.get(id)
    requireTrust(repository, what)
    return operations.run(operation, (running) =>
      repository.transfers.queue(async () => {
        await act(repository, runIn(access, repository, running))
        return repository.status.now()
      }),
    )
  }

  /** Pull changes files, so it waits for other changes, and transfers wait for it. */
  function pulling(
    id: string,
    operation: string,
    what: string,
    act: (repository: UsedRepository, git: RunGit) => Promise<unknown>,
  ) {
    return change(id, operation, (repository, git) => {
      requireTrust(repository, what)
      return repository.transfers.queue(() => act(repository, git))
    })
  }

  return {
    fetch: (id, operation, { remote, prune }) =>
      transfer(id, operation, 'Fetching', async ({ found, status }, git) => {
        const from = remote ?? (await remoteFor(actions, found, (await status.latest()).branch))
        await git('Fetching', ['fetch', '--progress', ...(prune ? ['--prune'] : []), commitArgument(from)])
      }),
    async pull(id, operation, strategy) {
      const { status } = await pulling(id, operation, 'Pulling', ({ status: latest }, git) =>
        pull(latest.now, git, strategy),
      )
      return status
    },
    push: (id, operation, options) =>
      transfer(id, operation, 'Pushing', (repository, git) => push(actions, repository, git, options)),
    async sync(id, operation) {
      const { status } = await pulling(id, operation, 'Synchronizing', async (repository, git) => {
        await pull(repository.status.now, git, undefined)
        const { upstream } = await repository.status.now()
        if (upstream && upstream.ahead > 0)
          await push(actions, repository, git, { setUpstream: false, force: false, tags: false })
      })
      return status
    },
  }
}

async function pull(
  latest: () => Promise<GitStatusSummary>,
  git: RunGit,
  strategy: PullStrategy | undefined,
): Promise<void> {
  const { branch, upstream, operation } = await latest()
  if (upstream === null || upstream.gone) throw noUpstream(branch ?? 'HEAD')
  if (operation !== null)
    throw new ToolError(
      'conflict',
      'Another operation, such as a merge or rebase, has not ended.',
      'Continue or abort it first.',
      {
        reason: 'operation_in_progress',
      },
    )
  await git('The pull', ['pull', '--progress', ...(strategy ? [strategyFlags[strategy]] : [])])
}

function requireCommit(head: string | null): void {
  if (head !== null) return
  throw new ToolError('conflict', 'There is no commit to push yet.', 'Commit something first.', {
    reason: 'no_commits',
  })
}

function noUpstream(branch: string): ToolError {
  return new ToolError('conflict', `"${branch}" has no upstream branch.`, 'Publish the branch first.', {
    reason: 'no_upstream',
  })
}

/** Returns the remote that git would use for a branch. @throws ToolError `not_found` */
async function remoteFor({ access, signal }: Actions, found: FoundRepository, branch: string | null): Promise<string> {
  const remotes = (await readRemotes(access, found, signal)).map(({ name }) => name)
  const setting = async (key: string) => {
    const { code, output } = await access.read(found, ['config', '--get', key], signal)
    return code === 0 ? decodeGitText(output).trim() : undefined
  }
  const wanted =
    (branch === null ? undefined : await setting(`branch.${branch}.pushRemote`)) ??
    (await setting('remote.pushDefault')) ??
    (branch === null ? undefined : await setting(`branch.${branch}.remote`))
  const remote = [wanted, 'origin', remotes[0]].find((name) => name !== undefined && remotes.includes(name))
  if (remote === undefined)
    throw new ToolError(
      'not_found',
      'The repository has no remote.',
      'Add one with "git remote add" in the terminal.',
      {
        reason: 'no_remote',
      },
    )
  return remote
}

async function push(
  actions: Actions,
  { found, status }: UsedRepository,
  git: RunGit,
  { remote, setUpstream, force, tags }: PushOptions,
) {
  const { branch, head, upstream } = await status.now()
  requireCommit(head)
  if (branch === null)
    throw new ToolError('conflict', 'HEAD is detached, so there is no branch to push.', 'Create a branch first.')
  if (!setUpstream && (upstream === null || upstream.gone)) throw noUpstream(branch)
  const flags = [
    ...(force ? ['--force-with-lease', '--force-if-includes'] : []),
    ...(tags ? ['--follow-tags'] : []),
    ...(setUpstream ? ['--set-upstream'] : []),
  ]
  const target = setUpstream
    ? [commitArgument(remote ?? (await remoteFor(actions, found, branch))), `refs/heads/${branch}:refs/heads/${branch}`]
    : remote === undefined
      ? []
      : [commitArgument(remote)]
  await git('The push', ['push', '--progress', ...flags, ...target])
}
