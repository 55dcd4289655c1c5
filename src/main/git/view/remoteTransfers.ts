import { ToolError } from '../../../shared/errors.ts'
import type { GitStatusSummary } from '../../../shared/git/git.ts'
import { decodeGitText } from '../gitText.ts'
import { runIn, type Actions, type RunGit, type RunningAction } from './actions.ts'
import type { FoundRepository } from './findRepositories.ts'
import { commitArgument } from './names.ts'
import { refuseOverwriting } from './overwrittenFiles.ts'
import { readRemotes } from './readReferences.ts'
import type { UsedRepository } from './repositories.ts'

export type PullStrategy = 'merge' | 'rebase' | 'fast_forward'

export interface PushOptions {
  remote?: string | undefined
  /** Publishes the branch: the remote branch becomes its upstream. */
  setUpstream: boolean
  /** Replaces commits in the remote branch, unless it has commits that were not fetched. */
  force: boolean
  /** Also pushes all tags missing from the remote. */
  tags: boolean
}

/** Exchanges commits with remotes. Refused in a restricted folder. */
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
    restricted: string,
    act: (repository: UsedRepository, git: RunGit) => Promise<unknown>,
  ): Promise<GitStatusSummary> {
    const repository = await repositories.get(id)
    requireTrust(repository, restricted)
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
    restricted: string,
    act: (repository: UsedRepository, git: RunGit, running: RunningAction) => Promise<unknown>,
  ) {
    return change(id, operation, (repository, git, running) => {
      requireTrust(repository, restricted)
      return repository.transfers.queue(() => act(repository, git, running))
    })
  }

  return {
    fetch: (id, operation, { remote, prune }) =>
      transfer(id, operation, 'Fetching is disabled in a restricted folder.', async ({ found, status }, git) => {
        const { branch } = await status.latest()
        const from = remote ?? (await knownRemote(actions, found, await upstreamRemote(actions, found, branch)))
        await git('The fetch failed.', ['fetch', '--progress', ...(prune ? ['--prune'] : []), commitArgument(from)])
      }),
    async pull(id, operation, strategy) {
      const { status } = await pulling(
        id,
        operation,
        'Pulling is disabled in a restricted folder.',
        (repository, git, running) => pull(actions, repository, git, running, strategy),
      )
      return status
    },
    push: (id, operation, options) =>
      transfer(id, operation, 'Pushing is disabled in a restricted folder.', (repository, git) =>
        push(actions, repository, git, options),
      ),
    async sync(id, operation) {
      const { status } = await pulling(
        id,
        operation,
        'Synchronizing is disabled in a restricted folder.',
        async (repository, git, running) => {
          await pull(actions, repository, git, running, undefined)
          const { upstream } = await repository.status.now()
          if (upstream && upstream.ahead > 0)
            await push(actions, repository, git, { setUpstream: false, force: false, tags: false })
        },
      )
      return status
    },
  }
}

async function pull(
  actions: Actions,
  { found, status }: UsedRepository,
  git: RunGit,
  { act, answersAccepted }: RunningAction,
  strategy: PullStrategy | undefined,
): Promise<void> {
  const { branch, upstream, operation } = await status.now()
  if (upstream === null || upstream.gone) throw noUpstream(branch ?? 'HEAD')
  if (operation !== null)
    throw new ToolError(
      'conflict',
      'Another operation, such as a merge or rebase, is not finished.',
      'Continue or abort it first.',
      {
        reason: 'operation_in_progress',
      },
    )
  // What comes is known only then.
  await git('The pull failed.', ['fetch', '--progress'])
  answersAccepted()
  const rebases = strategy === undefined ? await pullRebases(actions, found, branch) : strategy === 'rebase'
  await refuseOverwriting(found.workTree, act, '@{upstream}', rebases ? 'checkout' : 'merge')
  await git('The pull failed.', ['pull', '--progress', ...(strategy ? [strategyFlags[strategy]] : [])])
}

/** Whether the user configured that a pull rebases. */
async function pullRebases(actions: Actions, found: FoundRepository, branch: string | null): Promise<boolean> {
  const ofBranch = branch === null ? undefined : await readSetting(actions, found, `branch.${branch}.rebase`)
  const value = ofBranch ?? (await readSetting(actions, found, 'pull.rebase')) ?? 'false'
  return !['false', 'no', 'off', '0'].includes(value.toLowerCase())
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

async function readSetting({ access, signal }: Actions, found: FoundRepository, key: string) {
  const { code, output } = await access.read(found, ['config', '--get', key], signal)
  return code === 0 ? decodeGitText(output).trim() : undefined
}

async function upstreamRemote(actions: Actions, found: FoundRepository, branch: string | null) {
  return branch === null ? undefined : readSetting(actions, found, `branch.${branch}.remote`)
}

/** Returns the preferred remote if it exists, otherwise `origin` or the first. @throws ToolError `not_found` */
async function knownRemote(
  { access, signal }: Actions,
  found: FoundRepository,
  preferred: string | undefined,
): Promise<string> {
  const remotes = (await readRemotes(access, found, signal)).map(({ name }) => name)
  const remote = [preferred, 'origin', remotes[0]].find((name) => name !== undefined && remotes.includes(name))
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
  const own = `refs/heads/${branch}`
  const setting = (key: string) => readSetting(actions, found, key)
  const pullsFrom = await upstreamRemote(actions, found, branch)
  const configured =
    (await setting(`branch.${branch}.pushRemote`)) ?? (await setting('remote.pushDefault')) ?? pullsFrom
  const to =
    remote ?? (setUpstream || configured === undefined ? await knownRemote(actions, found, configured) : configured)
  // Servers such as Gerrit receive commits under other names. With options, git would ignore this setting.
  if (!setUpstream && !force && !tags && (await setting(`remote.${to}.push`)) !== undefined) {
    await git('The push failed.', ['push', '--progress', commitArgument(to)])
    return
  }
  const target = setUpstream || to !== pullsFrom ? own : await upstreamTarget(setting, branch)
  // The lease names the branch, so that tags are never replaced.
  const flags = [
    ...(force ? [`--force-with-lease=${target}`, '--force-if-includes'] : []),
    ...(tags ? ['--tags'] : []),
    ...(setUpstream ? ['--set-upstream'] : []),
  ]
  // Without a refspec, configuration such as push.default=matching would also push, and replace, other branches.
  await git('The push failed.', ['push', '--progress', ...flags, commitArgument(to), `${own}:${target}`])
}

/**
 * Returns the remote branch that `push.default` selects for a push to the remote of the upstream branch.
 * @throws ToolError `conflict` where git refuses because the names differ
 */
async function upstreamTarget(setting: (key: string) => Promise<string | undefined>, branch: string): Promise<string> {
  const own = `refs/heads/${branch}`
  const upstream = (await setting(`branch.${branch}.merge`)) ?? own
  const mode = (await setting('push.default')) ?? 'simple'
  if (mode === 'upstream' || mode === 'tracking') return upstream
  if (mode !== 'simple' || upstream === own) return own
  throw new ToolError(
    'conflict',
    `The push failed. The upstream branch of "${branch}" has another name, "${upstream.replace('refs/heads/', '')}".`,
    'Push in the terminal with "git push <remote> HEAD:<branch>", or set push.default to upstream or current.',
  )
}
