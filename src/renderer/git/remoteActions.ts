import { request } from '../platform/bridge/bridge.ts'
import { confirm } from '../platform/confirm.ts'
import { runCancellable, storeStatus, useGit } from '../platform/git/gitStore.ts'
import { notify } from '../platform/notices.ts'
import type { GitStatusSummary } from '../../shared/git/git.ts'
import { plural } from '../../shared/text/plural.ts'
import { reportDiscard } from './discardNotice.ts'
import { attemptGit, notifyGitFailure, type NextSteps } from './failures.ts'
import { lockSteps } from './lockFile.ts'

function statusOf(repository: string): GitStatusSummary | undefined {
  return useGit.getState().statuses[repository]
}

/** Runs an action that uses the network or changes the working tree. Shows progress, and failures with next steps. */
export async function runRemote(
  repository: string,
  about: { label: string; failed: string; nextSteps?: NextSteps },
  action: (operation: string) => Promise<GitStatusSummary>,
): Promise<boolean> {
  const { label, failed, nextSteps = {} } = about
  const again: NextSteps = {
    authentication_failed: [
      { label: 'Try again', run: () => attemptGit(() => runRemote(repository, about, action), failed) },
    ],
  }
  try {
    storeStatus(await runCancellable({ label, repository }, action))
    return true
  } catch (error) {
    notifyGitFailure(error, failed, {
      ...lockSteps(repository),
      ...localChangeSteps(repository),
      ...again,
      ...nextSteps,
    })
    // The action may have changed something before it failed, for example a merge with conflicts.
    storeStatus(await request('git.status', { repository, refresh: true }))
    return false
  }
}

/** Next step if local changes prevent an action. */
function localChangeSteps(repository: string): NextSteps {
  const stash = { label: 'Stash changes', run: () => attemptGit(() => stashChanges(repository, ''), 'Stash failed') }
  return { local_changes: [stash], untracked_files: [stash] }
}

/** Stashes all changes, including untracked files. */
export async function stashChanges(repository: string, message: string): Promise<void> {
  const stashed = await runRemote(repository, { label: 'Stashing', failed: 'Stash failed' }, (operation) =>
    request('git.stash', { repository, operation, untracked: true, ...(message === '' ? {} : { message }) }),
  )
  if (stashed)
    notify('info', 'Stashed all changes.', {
      detail: 'Apply them again with "Stashes…" in the menu of the source control view.',
    })
}

export async function fetchRemotes(repository: string): Promise<void> {
  await runRemote(repository, { label: 'Fetching', failed: 'Fetch failed' }, (operation) =>
    request('git.fetch', { repository, operation }),
  )
}

type PullStrategy = 'merge' | 'rebase' | 'fast_forward'

/** Next steps for a branch that has commits on both sides. */
function divergedSteps(repository: string): NextSteps {
  return {
    diverged: [
      { label: 'Merge', run: () => attemptGit(() => pull(repository, 'merge'), 'Pull failed') },
      { label: 'Rebase', run: () => attemptGit(() => pull(repository, 'rebase'), 'Pull failed') },
    ],
  }
}

export async function pull(repository: string, strategy?: PullStrategy): Promise<void> {
  await runRemote(
    repository,
    { label: 'Pulling', failed: 'Pull failed', nextSteps: divergedSteps(repository) },
    (operation) => request('git.pull', { repository, operation, ...(strategy ? { strategy } : {}) }),
  )
}

/** Next steps for a push that the remote rejected because it has other commits. */
function rejectedSteps(repository: string): NextSteps {
  return {
    push_rejected: [
      { label: 'Pull', run: () => attemptGit(() => pull(repository), 'Pull failed') },
      { label: 'Force push…', run: () => attemptGit(() => forcePush(repository), 'Push failed') },
    ],
    no_upstream: [{ label: 'Publish branch', run: () => attemptGit(() => publish(repository), 'Publish failed') }],
  }
}

/** Pushes the branch; publishes it if it has no upstream. */
export async function push(repository: string, { tags = false } = {}): Promise<void> {
  if (!statusOf(repository)?.upstream) return publish(repository, { tags })
  await runRemote(
    repository,
    { label: 'Pushing', failed: 'Push failed', nextSteps: rejectedSteps(repository) },
    (operation) => request('git.push', { repository, operation, tags }),
  )
}

/** Replaces the remote branch after asking, unless it has changed since the last fetch. */
export async function forcePush(repository: string): Promise<void> {
  const status = statusOf(repository)
  const target = status?.upstream?.name ?? 'the remote branch'
  const behind = status?.upstream?.behind ?? 0
  const choice = await confirm({
    title: `Replace ${target} with your branch?`,
    message:
      behind > 0
        ? `${plural(behind, 'commit')} of ${target} will no longer be on the branch. The push fails if somebody has pushed since your last fetch.`
        : `Commits of ${target} that are not on your branch will be removed from it. The push fails if somebody has pushed since your last fetch.`,
    choices: [{ id: 'force', label: 'Force push', variant: 'danger' }],
  })
  if (choice === null) return
  await runRemote(
    repository,
    { label: 'Pushing', failed: 'Push failed', nextSteps: rejectedSteps(repository) },
    (operation) => request('git.push', { repository, operation, force: true }),
  )
}

/** Pushes the branch to a remote and sets it as upstream. Asks which remote if there are several. */
export async function publish(repository: string, { tags = false } = {}): Promise<void> {
  const { remotes } = await request('git.references', { repository })
  const [first] = remotes
  if (!first) {
    notify('warning', 'The repository has no remote to publish to.', {
      detail: 'Add one in a terminal: git remote add origin URL',
    })
    return
  }
  let remote = first.name
  if (remotes.length > 1) {
    const { quickPick } = await import('../platform/quickPick/quickPick.ts')
    const choice = await quickPick({
      title: 'Publish branch',
      placeholder: 'Remote to publish to',
      items: remotes.map(({ name, url }) => ({ id: name, label: name, description: url, icon: 'cloud' })),
    })
    if (!choice) return
    remote = choice.id
  }
  await runRemote(repository, { label: 'Publishing', failed: 'Publish failed' }, (operation) =>
    request('git.push', { repository, operation, remote, setUpstream: true, tags }),
  )
}

export async function sync(repository: string): Promise<void> {
  if (!statusOf(repository)?.upstream) return publish(repository)
  await runRemote(
    repository,
    {
      label: 'Syncing',
      failed: 'Sync failed',
      nextSteps: { ...rejectedSteps(repository), ...divergedSteps(repository) },
    },
    (operation) => request('git.sync', { repository, operation }),
  )
}

/**
 * Continues, skips or aborts a merge, rebase or similar operation. Skipping and aborting ask first and can be undone.
 */
export async function stepOperation(
  status: GitStatusSummary,
  step: 'continue' | 'abort' | 'skip',
  name: string,
): Promise<void> {
  const repository = status.repository.id
  if (step === 'abort') {
    const choice = await confirm({
      title: `Abort the ${name}?`,
      message: 'The branch and the files return to their state before it began. Conflicts that you resolved are lost.',
      choices: [{ id: 'abort', label: `Abort ${name}`, variant: 'danger' }],
    })
    if (choice === null) return
  }
  if (step === 'skip') {
    const choice = await confirm({
      title: 'Skip this commit?',
      message: `The ${name} continues without it. Conflicts that you resolved in it are lost.`,
      choices: [{ id: 'skip', label: 'Skip commit', variant: 'danger' }],
    })
    if (choice === null) return
  }
  await runRemote(
    repository,
    {
      label: step === 'abort' ? 'Aborting' : 'Continuing',
      failed: `The ${name} was not ${step === 'abort' ? 'aborted' : 'continued'}`,
    },
    async (operation) => {
      const result = await request('git.operation', { repository, operation, step })
      reportDiscard(repository, result, `the files of the ${name}`)
      return result.status
    },
  )
}
