import type { GitStatusSummary } from '../../shared/git/git.ts'
import { request } from '../platform/bridge/bridge.ts'
import { confirm } from '../platform/confirm.ts'
import { runCommand } from '../platform/commands.ts'
import { changeRepository, useGit } from '../platform/git/gitStore.ts'
import { attempt, notify } from '../platform/notices.ts'
import { promptText } from '../platform/conversation/promptText.ts'
import { quickPick, type QuickPickItem } from '../platform/quickPick/quickPick.ts'
import { branchNameProblem, shortName } from './branchName.ts'
import { attemptGit } from './failures.ts'
import { branchItem, refItems, unusedBranchItem } from './referenceItems.ts'
import { runRemote } from './remoteActions.ts'

/** Prompts for a name, then creates a branch and switches to it. @param from commit or branch; default: HEAD */
export async function createBranch(status: GitStatusSummary, from?: string): Promise<void> {
  const repository = status.repository.id
  const name = await promptText({
    title: 'Create branch',
    label: from === undefined ? 'Branch name' : `Branch name (created from ${shortName(from)})`,
    button: 'Create branch',
    problem: (value) => branchNameProblem(value.trim()),
  })
  if (name === null) return
  await runRemote(repository, { label: 'Creating branch', failed: 'The branch could not be created' }, (operation) =>
    request('git.createBranch', {
      repository,
      operation,
      name: name.trim(),
      switch: true,
      ...(from === undefined ? {} : { from }),
    }),
  )
}

/** Asks for a branch or tag, then creates a branch from it. */
export async function createBranchFrom(status: GitStatusSummary): Promise<void> {
  const references = await request('git.references', { repository: status.repository.id })
  const choice = await quickPick({
    title: 'Create branch from',
    placeholder: 'Select a branch or tag to create the branch from',
    items: refItems(references),
  })
  if (choice) await createBranch(status, choice.label)
}

/** Asks for a branch other than the current one. */
async function pickOtherBranch(
  title: string,
  placeholder: string,
  items: readonly QuickPickItem[],
): Promise<QuickPickItem | null> {
  const others = items.filter(({ current }) => !current)
  return quickPick({ title, placeholder, items: others, empty: 'There is no other branch.' })
}

/** Asks for a new name for the current branch and renames it. The notice can undo it. */
export async function renameBranch({ branch, upstream, repository: { id } }: GitStatusSummary): Promise<void> {
  if (branch === null)
    return notify('info', 'No branch is checked out.', { detail: 'Switch to the branch that you want to rename.' })
  const { local } = await request('git.references', { repository: id })
  const taken = new Set(local.map(({ name }) => name))
  const answer = await promptText({
    title: 'Rename branch',
    label: `New name for ${branch}`,
    button: 'Rename branch',
    initial: branch,
    problem: (value) => {
      const text = value.trim()
      return text !== branch && taken.has(text) ? `A branch named ${text} already exists.` : branchNameProblem(text)
    },
  })
  const name = answer?.trim()
  if (name === undefined || name === branch) return
  const rename = (from: string, to: string) =>
    changeRepository(id, 'Renaming branch', (operation) =>
      request('git.renameBranch', { repository: id, operation, name: from, to }),
    )
  await rename(branch, name)
  notify('info', `Renamed branch ${branch} to ${name}.`, {
    ...(upstream && { detail: `The remote branch ${upstream.name} keeps its name.` }),
    actions: [{ label: 'Undo', run: () => attemptGit(() => rename(name, branch), 'The rename could not be undone') }],
  })
}

/** Deletes a branch. Asks first if only this branch contains some commits. */
export async function deleteBranch(status: GitStatusSummary): Promise<void> {
  const repository = status.repository.id
  const { local } = await request('git.references', { repository })
  const choice = await pickOtherBranch('Delete branch', 'Select a branch to delete', local.map(unusedBranchItem))
  if (!choice) return
  const name = choice.label
  const remove = async (force: boolean) => {
    const { commit } = await changeRepository(repository, 'Deleting branch', (operation) =>
      request('git.deleteBranch', { repository, operation, name, force }),
    )
    notify('info', `Deleted branch ${name}.`, {
      actions: [
        {
          label: 'Undo',
          run: () =>
            attemptGit(
              () =>
                changeRepository(repository, 'Restoring branch', (operation) =>
                  request('git.createBranch', { repository, operation, name, from: commit, switch: false }),
                ),
              'The branch could not be restored',
            ),
        },
      ],
    })
  }
  attemptGit(() => remove(false), `${name} could not be deleted`, {
    unmerged_branch: [
      {
        label: 'Delete anyway…',
        run: () =>
          attempt(async () => {
            const answer = await confirm({
              title: `Delete ${name} with its commits?`,
              message:
                'The branch has commits that are not on any other branch. You can undo this from the notice that appears.',
              choices: [{ id: 'delete', label: 'Delete branch', variant: 'danger' }],
            })
            if (answer !== null) attemptGit(() => remove(true), `${name} could not be deleted`)
          }),
      },
    ],
  })
}

/** Merges a branch into the current one. */
export async function mergeBranch(status: GitStatusSummary): Promise<void> {
  const repository = status.repository.id
  const { local, remote } = await request('git.references', { repository })
  const choice = await pickOtherBranch('Merge branch', `Select a branch to merge into ${status.branch ?? 'HEAD'}`, [
    ...local.map((branch) => branchItem(branch, 'local')),
    ...remote.map((branch) => branchItem(branch, 'remote')),
  ])
  if (!choice) return
  await runRemote(
    repository,
    { label: 'Merging', failed: `${choice.label} could not be merged completely` },
    (operation) => request('git.merge', { repository, operation, branch: choice.label }),
  )
}

/** A branch to merge into the one that is checked out, from another feature. */
export interface NamedMerge {
  repository: string
  branch: string
  /** The session that works on it. */
  session: string
  /** The commit at which the user has seen its protected files; false if it had none. */
  allowProtected: string | false
}

/** Merges a branch without a choice, and shows its conflicts. */
export async function mergeNamed({ repository, branch, ...options }: NamedMerge): Promise<void> {
  const isMerged = await runRemote(
    repository,
    { label: 'Merging', failed: `${branch} could not be merged completely` },
    (operation) => request('git.merge', { repository, operation, branch, ...options }),
  )
  const status = useGit.getState().statuses[repository]
  if (isMerged) notify('success', `Merged ${branch} into ${status?.branch ?? 'HEAD'}.`)
  else if (status && status.counts.merge > 0) runCommand('view.git')
}

/** Asks for a branch or tag, and shows in the log which files differ from HEAD. */
export async function compareBranch(status: GitStatusSummary): Promise<void> {
  const { repository, head } = status
  if (head === null) return notify('info', 'There is no commit to compare with yet.')
  const references = await request('git.references', { repository: repository.id })
  const choice = await quickPick({
    title: 'Compare with branch',
    placeholder: `Select a branch or tag to compare with ${status.branch ?? 'HEAD'}`,
    items: refItems(references).filter(({ current }) => !current),
    empty: 'There is no other branch or tag.',
  })
  const { local, remote, tags } = references
  const chosen = [...local, ...remote, ...tags].find(({ name }) => name === choice?.label)
  if (!chosen) return
  const { compareCommits, showLog } = await import('./logStore.ts')
  showLog(repository)
  await compareCommits(head, chosen.commit)
}
