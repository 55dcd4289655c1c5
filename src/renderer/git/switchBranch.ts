import type { GitStatusSummary, GitSwitchResult } from '../../shared/git/git.ts'
import { plural } from '../../shared/text/plural.ts'
import { request } from '../platform/bridge/bridge.ts'
import { useGit } from '../platform/git/gitStore.ts'
import { notify } from '../platform/notices.ts'
import { quickPick } from '../platform/quickPick/quickPick.ts'
import { createBranch, createBranchFrom } from './branchActions.ts'
import { shortName } from './branchName.ts'
import { attemptGit } from './failures.ts'
import { refItems, unusedBranchItem } from './referenceItems.ts'
import { publish, runRemote, stashChanges } from './remoteActions.ts'

/** Lets the user switch to a branch or tag, or create a branch. */
export async function pickBranch(status: GitStatusSummary): Promise<void> {
  const repository = status.repository.id
  const references = await request('git.references', { repository })
  const choice = await quickPick({
    title: 'Switch branch',
    placeholder: 'Select a branch or tag to switch to',
    empty: 'No branch or tag with this name. Press Escape, then choose "Create branch…" to create one.',
    items: [
      { id: 'create', label: 'Create branch…', icon: 'add' },
      { id: 'createFrom', label: 'Create branch from…', icon: 'add' },
      ...(status.upstream === null && status.branch !== null
        ? [{ id: 'publish', label: `Publish ${status.branch}…`, icon: 'cloud-upload' }]
        : []),
      ...refItems(references, unusedBranchItem),
    ],
  })
  if (!choice) return
  if (choice.id === 'create') return createBranch(status)
  if (choice.id === 'createFrom') return createBranchFrom(status)
  if (choice.id === 'publish') return publish(repository)
  if (choice.current) return
  const colon = choice.id.indexOf(':')
  const kind = choice.id.slice(0, colon)
  await switchTo(repository, {
    target: choice.id.slice(colon + 1),
    track: kind === 'remote',
    detach: kind === 'tag',
  })
}

interface SwitchTarget {
  target: string
  /** Whether the target is a remote branch for which to create a local one. */
  track?: boolean
  /** Whether to check out the commit itself. */
  detach?: boolean
}

/** Checks out a branch, tag or commit. If commits are then no longer on any branch, a notice offers to create one. */
export async function switchTo(repository: string, options: SwitchTarget): Promise<void> {
  const { target } = options
  const again = () => switchTo(repository, options)
  let left: GitSwitchResult['leftBehind']
  const done = await runRemote(
    repository,
    {
      label: 'Switching branch',
      failed: `${shortName(target)} was not checked out`,
      nextSteps: {
        local_changes: [
          {
            label: 'Stash and switch',
            run: () =>
              attemptGit(
                async () => {
                  await stashChanges(repository, `Before switching to ${shortName(target)}`)
                  await again()
                },
                `${shortName(target)} was not checked out`,
              ),
          },
        ],
      },
    },
    async (operation) => {
      const { status, leftBehind } = await request('git.switch', { repository, operation, ...options })
      left = leftBehind
      return status
    },
  )
  if (done && left) offerBranch(repository, left)
}

/** Warns that commits are not on any branch, and offers to create one. */
function offerBranch(repository: string, { commit, count }: NonNullable<GitSwitchResult['leftBehind']>): void {
  notify('warning', `${plural(count, 'commit is', 'commits are')} not on any branch.`, {
    detail:
      count === 1
        ? `It was made without a branch: ${commit.slice(0, 8)}.`
        : `They were made without a branch. The latest one is ${commit.slice(0, 8)}.`,
    actions: [
      {
        label: 'Create branch…',
        run: () =>
          attemptGit(async () => {
            const status = useGit.getState().statuses[repository]
            if (status) await createBranch(status, commit)
          }, 'The branch could not be created'),
      },
    ],
  })
}
