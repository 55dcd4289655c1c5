import { request } from '../platform/bridge/bridge.ts'
import { confirm } from '../platform/confirm.ts'
import { runCancellable, storeStatus, useGit } from '../platform/git/gitStore.ts'
import { notify } from '../platform/notices.ts'
import type { GitOperationKind, GitStatusSummary } from '../../shared/git/git.ts'
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
  const upstream = status?.upstream
  const behind = upstream?.behind ?? 0
  const choice = await confirm({
    title: upstream ? `Replace ${upstream.name} with your branch?` : 'Replace the remote branch with your branch?',
    message:
      behind > 0
        ? `This removes ${plural(behind, 'commit')} from the remote branch. The push fails if somebody has pushed since your last fetch.`
        : 'This removes commits from the remote branch that are not on your branch. The push fails if somebody has pushed since your last fetch.',
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
      placeholder: 'Select a remote to publish to',
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

/** Texts about an unfinished operation. */
interface OperationTexts {
  inProgress: string
  failed: string
  abort: string
  askAbort: string
  notAborted: string
  notContinued: string
}

export const operationTexts: Record<GitOperationKind, OperationTexts> = {
  merge: {
    inProgress: 'Merge in progress',
    failed: 'The merge failed',
    abort: 'Abort merge',
    askAbort: 'Abort the merge?',
    notAborted: 'The merge was not aborted',
    notContinued: 'The merge was not continued',
  },
  rebase: {
    inProgress: 'Rebase in progress',
    failed: 'The rebase failed',
    abort: 'Abort rebase',
    askAbort: 'Abort the rebase?',
    notAborted: 'The rebase was not aborted',
    notContinued: 'The rebase was not continued',
  },
  cherry_pick: {
    inProgress: 'Cherry-pick in progress',
    failed: 'The cherry-pick failed',
    abort: 'Abort cherry-pick',
    askAbort: 'Abort the cherry-pick?',
    notAborted: 'The cherry-pick was not aborted',
    notContinued: 'The cherry-pick was not continued',
  },
  revert: {
    inProgress: 'Revert in progress',
    failed: 'The revert failed',
    abort: 'Abort revert',
    askAbort: 'Abort the revert?',
    notAborted: 'The revert was not aborted',
    notContinued: 'The revert was not continued',
  },
  bisect: {
    inProgress: 'Bisect in progress',
    failed: 'The bisect failed',
    abort: 'Abort bisect',
    askAbort: 'Abort the bisect?',
    notAborted: 'The bisect was not aborted',
    notContinued: 'The bisect was not continued',
  },
  apply_mailbox: {
    inProgress: 'Patches are being applied',
    failed: 'The patches could not be applied',
    abort: 'Abort applying',
    askAbort: 'Abort applying patches?',
    notAborted: 'Applying patches was not aborted',
    notContinued: 'Applying patches was not continued',
  },
}

/**
 * Continues, skips or aborts a merge, rebase or similar operation. Skipping and aborting ask first and can be undone.
 */
export async function stepOperation(
  status: GitStatusSummary,
  step: 'continue' | 'abort' | 'skip',
  texts: OperationTexts,
): Promise<void> {
  const repository = status.repository.id
  if (step === 'abort') {
    const choice = await confirm({
      title: texts.askAbort,
      message: 'The branch and the files are reset to their state before the operation. Resolved conflicts are lost.',
      choices: [{ id: 'abort', label: texts.abort, variant: 'danger' }],
    })
    if (choice === null) return
  }
  if (step === 'skip') {
    const choice = await confirm({
      title: 'Skip this commit?',
      message: 'The rebase continues without it. Conflicts that you resolved in it are lost.',
      choices: [{ id: 'skip', label: 'Skip commit', variant: 'danger' }],
    })
    if (choice === null) return
  }
  await runRemote(
    repository,
    {
      label: step === 'abort' ? 'Aborting' : 'Continuing',
      failed: step === 'abort' ? texts.notAborted : texts.notContinued,
    },
    async (operation) => {
      const result = await request('git.operation', { repository, operation, step })
      reportDiscard(repository, result, null)
      return result.status
    },
  )
}
