import type { GitCommitEntry, GitStatusSummary } from '../../shared/git/git.ts'
import { request } from '../platform/bridge/bridge.ts'
import { confirm } from '../platform/confirm.ts'
import { attempt, notify } from '../platform/notices.ts'
import type { MenuGroup } from '../ui/index.ts'
import { attemptGit } from './failures.ts'
import { chooseCommit, useLog } from './logStore.ts'

export function commitMenu(status: GitStatusSummary, commit: GitCommitEntry): MenuGroup[] {
  const { hash, subject } = commit
  const repository = status.repository.id
  const { chosen, commits } = useLog.getState()
  const other = chosen.find((each) => each !== hash)
  const otherSubject = commits.find((each) => each.hash === other)?.subject
  return [
    {
      items: [
        {
          id: 'branch',
          icon: 'git-branch',
          label: 'Create branch here…',
          run: () =>
            attemptGit(
              async () => (await import('./branchActions.ts')).createBranch(status, hash),
              'The branch could not be created',
            ),
        },
        {
          id: 'tag',
          icon: 'tag',
          label: 'Create tag here…',
          run: () =>
            attemptGit(
              async () => (await import('./tagActions.ts')).createTag(status, hash),
              'The tag could not be created',
            ),
        },
        {
          id: 'switch',
          icon: 'git-commit',
          label: 'Check out this commit',
          run: () =>
            attempt(async () =>
              (await import('./switchBranch.ts')).switchTo(repository, { target: hash, detach: true }),
            ),
        },
      ],
    },
    {
      items: [
        {
          id: 'cherryPick',
          icon: 'git-pull-request',
          label: status.branch === null ? 'Cherry-pick' : `Cherry-pick into ${status.branch}`,
          disabled: status.operation !== null || hash === status.head,
          run: () => attempt(() => applyCommit(repository, commit, 'cherry_pick')),
        },
        {
          id: 'revert',
          icon: 'discard',
          label: 'Revert commit…',
          disabled: status.operation !== null,
          run: () => attempt(() => applyCommit(repository, commit, 'revert')),
        },
      ],
    },
    {
      items: [
        {
          id: 'compare',
          icon: 'diff',
          label: otherSubject === undefined ? 'Compare (Ctrl+click another commit)' : `Compare with "${otherSubject}"`,
          disabled: other === undefined,
          run: () => {
            if (other === undefined) return
            chooseCommit(other)
            chooseCommit(hash, { add: true })
          },
        },
        {
          id: 'compareHead',
          label: 'Compare with HEAD',
          disabled: status.head === null || status.head === hash,
          run: () => {
            chooseCommit(hash)
            if (status.head !== null) chooseCommit(status.head, { add: true })
          },
        },
      ],
    },
    {
      items: [
        { id: 'copyHash', icon: 'copy', label: 'Copy hash', run: () => copy(hash) },
        { id: 'copySubject', label: 'Copy subject', run: () => copy(subject) },
      ],
    },
  ]
}

/** Applies or reverts a commit. Asks before a revert, which creates a commit. */
async function applyCommit(
  repository: string,
  { hash, subject }: GitCommitEntry,
  how: 'cherry_pick' | 'revert',
): Promise<void> {
  if (how === 'revert') {
    const choice = await confirm({
      title: `Revert "${subject}"?`,
      message: 'A new commit that undoes its changes will be created on the current branch.',
      choices: [{ id: 'revert', label: 'Revert commit', variant: 'primary' }],
    })
    if (choice === null) return
  }
  const { runRemote } = await import('./remoteActions.ts')
  const done = await runRemote(
    repository,
    how === 'revert'
      ? { label: 'Reverting', failed: 'The commit could not be reverted' }
      : { label: 'Cherry-picking', failed: 'The commit could not be applied' },
    (operation) => request('git.applyCommit', { repository, operation, commit: hash, how }),
  )
  if (done) notify('success', how === 'revert' ? `Reverted "${subject}".` : `Applied "${subject}".`)
}

function copy(text: string): void {
  attempt(async () => {
    await navigator.clipboard.writeText(text)
    notify('success', `Copied ${text}`)
  }, 'The text could not be copied')
}
