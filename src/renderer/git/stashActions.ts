import type { GitStatusSummary } from '../../shared/git/git.ts'
import { request } from '../platform/bridge/bridge.ts'
import { confirm } from '../platform/confirm.ts'
import { changeRepository } from '../platform/git/gitStore.ts'
import { notify } from '../platform/notices.ts'
import { promptText } from '../platform/conversation/promptText.ts'
import { quickPick } from '../platform/quickPick/quickPick.ts'
import { attemptGit } from './failures.ts'
import { formatAge } from '../platform/formatAge.ts'
import { runRemote, stashChanges } from './remoteActions.ts'

/** Asks for a message and stashes all changes. */
export async function stash(status: GitStatusSummary): Promise<void> {
  const message = await promptText({
    title: 'Stash all changes',
    label: 'Message (optional)',
    button: 'Stash changes',
    problem: () => null,
  })
  if (message !== null) await stashChanges(status.repository.id, message.trim())
}

/** Lets the user apply, pop or drop a stash. */
export async function pickStash(status: GitStatusSummary): Promise<void> {
  const repository = status.repository.id
  const stashes = await request('git.stashes', { repository })
  const choice = await quickPick({
    title: 'Stashes',
    placeholder: 'Select a stash to apply or drop',
    empty: 'There are no stashes.',
    items: stashes.map(({ hash, message, branch, createdAt }) => ({
      id: hash,
      label: message,
      ...(branch === undefined ? {} : { description: `on ${branch}` }),
      detail: formatAge(createdAt),
      icon: 'archive',
    })),
  })
  if (!choice) return
  const step = await quickPick({
    title: choice.label,
    items: [
      { id: 'pop', label: 'Pop', description: 'Apply the changes and drop the stash', icon: 'git-stash-pop' },
      { id: 'apply', label: 'Apply', description: 'Apply the changes and keep the stash', icon: 'git-stash-apply' },
      { id: 'drop', label: 'Drop…', description: 'Delete the stash without applying it', icon: 'trash' },
    ],
  })
  if (!step) return
  const hash = choice.id
  if (step.id !== 'drop') {
    await runRemote(
      repository,
      { label: 'Applying stash', failed: 'The stash could not be applied completely' },
      (operation) => request('git.applyStash', { repository, operation, hash, pop: step.id === 'pop' }),
    )
    return
  }
  const answer = await confirm({
    title: 'Drop the stash?',
    message: `"${choice.label}" will be deleted without being applied. You can undo this from the notice that appears.`,
    choices: [{ id: 'drop', label: 'Drop stash', variant: 'danger' }],
  })
  if (answer === null) return
  await changeRepository(repository, 'Dropping the stash', (operation) =>
    request('git.dropStash', { repository, operation, hash }),
  )
  notify('info', 'Dropped the stash.', {
    actions: [
      {
        label: 'Undo',
        run: () =>
          attemptGit(
            () =>
              changeRepository(repository, 'Restoring the stash', (operation) =>
                request('git.restoreStash', { repository, operation, hash, message: choice.label }),
              ),
            'The stash could not be restored',
          ),
      },
    ],
  })
}
