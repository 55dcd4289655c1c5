import type { GitBranch, GitReferences, GitStatusSummary, GitSwitchResult } from '../../shared/git.ts'
import { plural } from '../../shared/plural.ts'
import { request } from '../platform/bridge/bridge.ts'
import { confirm } from '../platform/confirm.ts'
import { changeRepository, useGit } from '../platform/git/gitStore.ts'
import { attempt, notify } from '../platform/notices.ts'
import { quickPick, type QuickPickItem } from '../platform/quickPick.ts'
import { attemptGit } from './failures.ts'
import { publish, runRemote, stashChanges } from './remoteActions.ts'
import { promptText } from '../platform/promptText.ts'
import { formatAge } from './formatAge.ts'

const branchItem = (branch: GitBranch, kind: 'local' | 'remote'): QuickPickItem => ({
  id: `${kind}:${branch.name}`,
  label: branch.name,
  description: `${branch.commit.slice(0, 8)} ${branch.subject}`,
  detail: formatAge(branch.committedAt),
  icon: kind === 'local' ? 'git-branch' : 'cloud',
  current: branch.current,
  ...(branch.worktree !== undefined && !branch.current
    ? { disabled: true, description: `Checked out in ${branch.worktree}` }
    : {}),
})

/** Sets a heading on the first item of a group. */
function withHeading(heading: string, items: QuickPickItem[]): QuickPickItem[] {
  return items.map((item, index) => (index === 0 ? { ...item, heading } : item))
}

/** Local branches first, then remote branches without a local one, then tags. */
function refItems({ local, remote, tags }: GitReferences): QuickPickItem[] {
  const tracked = new Set(local.map(({ upstream }) => upstream?.name))
  return [
    ...withHeading(
      'Branches',
      local.map((branch) => branchItem(branch, 'local')),
    ),
    ...withHeading(
      'Remote branches',
      remote.filter(({ name }) => !tracked.has(name)).map((branch) => branchItem(branch, 'remote')),
    ),
    ...withHeading(
      'Tags',
      tags.map((tag) => ({
        id: `tag:${tag.name}`,
        label: tag.name,
        description: `${tag.commit.slice(0, 8)} ${tag.subject}`,
        detail: formatAge(tag.createdAt),
        icon: 'tag',
      })),
    ),
  ]
}

/** Lets the user switch to a branch or tag, or create a branch. */
export async function pickBranch(status: GitStatusSummary): Promise<void> {
  const repository = status.repository.id
  const references = await request('git.references', { repository })
  const choice = await quickPick({
    title: 'Switch branch',
    placeholder: 'Branch or tag to switch to',
    empty: 'No branch or tag with this name. Press Escape, then choose “Create branch…” to create one.',
    items: [
      { id: 'create', label: 'Create branch…', icon: 'add' },
      { id: 'createFrom', label: 'Create branch from…', icon: 'add' },
      ...(status.upstream === null && status.branch !== null
        ? [{ id: 'publish', label: `Publish ${status.branch}…`, icon: 'cloud-upload' }]
        : []),
      ...refItems(references),
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
  /** Whether the target is a remote branch, for which a local one is created. */
  track?: boolean
  /** Whether the commit itself is checked out. */
  detach?: boolean
}

/** Checks out a branch, tag or commit. Commits that no branch contains can be given one in the notice. */
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

/** Shows that commits are on no branch, and offers to create one. */
function offerBranch(repository: string, { commit, count }: NonNullable<GitSwitchResult['leftBehind']>): void {
  notify('warning', `${plural(count, 'commit is', 'commits are')} not on any branch.`, {
    detail:
      count === 1
        ? `You made it without a branch: ${commit.slice(0, 8)}.`
        : `You made them without a branch. The latest one is ${commit.slice(0, 8)}.`,
    actions: [
      {
        label: 'Create branch…',
        run: () =>
          attemptGit(async () => {
            const status = useGit.getState().statuses[repository]
            if (status) await createBranch(status, commit)
          }, 'The branch was not created'),
      },
    ],
  })
}

/** Checks a branch name by the rules of git-check-ref-format(1). @returns the problem; null if the name is valid */
export function branchNameProblem(name: string): string | null {
  if (name === '') return 'Enter a name.'
  // oxlint-disable-next-line eslint/no-control-regex -- Git forbids control characters.
  if (/[\u0000- ~^:?*[\\\u007f]/.test(name)) return 'A name cannot contain spaces or any of ~ ^ : ? * [ \\.'
  if (/\.\.|@\{|\/\/|^@$/.test(name)) return 'A name cannot contain “..”, “@{” or “//”.'
  if (/^[-/]|[/.]$/.test(name)) return 'A name cannot start with “-” or “/”, or end with “/” or “.”.'
  if (name.split('/').some((part) => part.startsWith('.') || part.endsWith('.lock')))
    return 'No part of a name can start with “.” or end with “.lock”.'
  return null
}

/** A branch or tag, or the start of a commit's hash. */
const shortName = (from: string): string => (/^[0-9a-f]{40,64}$/.test(from) ? from.slice(0, 8) : from)

/** Prompts for a name, then creates a branch and switches to it. @param from commit or branch; default: HEAD */
export async function createBranch(status: GitStatusSummary, from?: string): Promise<void> {
  const repository = status.repository.id
  const name = await promptText({
    title: 'Create branch',
    label: from === undefined ? 'Name of the new branch' : `Name of the new branch from ${shortName(from)}`,
    button: 'Create branch',
    problem: (value) => branchNameProblem(value.trim()),
  })
  if (name === null) return
  await runRemote(repository, { label: 'Creating branch', failed: 'The branch was not created' }, (operation) =>
    request('git.createBranch', {
      repository,
      operation,
      name: name.trim(),
      switch: true,
      ...(from === undefined ? {} : { from }),
    }),
  )
}

async function createBranchFrom(status: GitStatusSummary): Promise<void> {
  const references = await request('git.references', { repository: status.repository.id })
  const choice = await quickPick({
    title: 'Create branch from',
    placeholder: 'Branch or tag to start from',
    items: refItems(references).map((item) => ({ ...item, disabled: false })),
  })
  if (choice) await createBranch(status, choice.label)
}

async function pickLocalBranch(status: GitStatusSummary, title: string, placeholder: string, remote = false) {
  const references = await request('git.references', { repository: status.repository.id })
  const items = [
    ...references.local.map((branch) => branchItem(branch, 'local')),
    ...(remote ? references.remote.map((branch) => branchItem(branch, 'remote')) : []),
  ].filter(({ current }) => !current)
  return quickPick({ title, placeholder, items, empty: 'There is no other branch.' })
}

/** Prompts for another name of the current branch and renames it. The notice can undo it. */
export async function renameBranch({ branch, upstream, repository: { id } }: GitStatusSummary): Promise<void> {
  if (branch === null)
    return notify('info', 'No branch is checked out.', { detail: 'Switch to the branch to rename first.' })
  const { local } = await request('git.references', { repository: id })
  const taken = new Set(local.map(({ name }) => name))
  const answer = await promptText({
    title: 'Rename branch',
    label: `New name of ${branch}`,
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
    actions: [{ label: 'Undo', run: () => attemptGit(() => rename(name, branch), 'The branch was not renamed back') }],
  })
}

/** Deletes a branch. Asks again if it has commits that no other branch has. */
export async function deleteBranch(status: GitStatusSummary): Promise<void> {
  const repository = status.repository.id
  const choice = await pickLocalBranch(status, 'Delete branch', 'Branch to delete')
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
              'The branch was not restored',
            ),
        },
      ],
    })
  }
  attemptGit(() => remove(false), `${name} was not deleted`, {
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
            if (answer !== null) attemptGit(() => remove(true), `${name} was not deleted`)
          }),
      },
    ],
  })
}

/** Merges a branch into the current one. */
export async function mergeBranch(status: GitStatusSummary): Promise<void> {
  const repository = status.repository.id
  const choice = await pickLocalBranch(status, 'Merge branch', `Branch to merge into ${status.branch ?? 'HEAD'}`, true)
  if (!choice) return
  await runRemote(repository, { label: 'Merging', failed: `${choice.label} was not merged completely` }, (operation) =>
    request('git.merge', { repository, operation, branch: choice.label }),
  )
}

/** Prompts for a message and stashes all changes. */
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
    placeholder: 'Stash to apply or drop',
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
      { label: 'Applying stash', failed: 'The stash was not applied completely' },
      (operation) => request('git.applyStash', { repository, operation, hash, pop: step.id === 'pop' }),
    )
    return
  }
  const answer = await confirm({
    title: 'Drop the stash?',
    message: `“${choice.label}” will be deleted without being applied. You can undo this from the notice that appears.`,
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
            'The stash was not restored',
          ),
      },
    ],
  })
}

/** Creates a tag at a commit. @param commit default: HEAD */
export async function createTag(status: GitStatusSummary, commit?: string): Promise<void> {
  const repository = status.repository.id
  const name = await promptText({
    title: 'Create tag',
    label: commit === undefined ? 'Name of the new tag' : `Name of the new tag at ${commit.slice(0, 8)}`,
    button: 'Create tag',
    problem: (value) => branchNameProblem(value.trim()),
  })
  if (name === null) return
  await changeRepository(repository, 'Creating the tag', (operation) =>
    request('git.createTag', { repository, operation, name: name.trim(), ...(commit === undefined ? {} : { commit }) }),
  )
}

export async function deleteTag(status: GitStatusSummary): Promise<void> {
  const repository = status.repository.id
  const { tags } = await request('git.references', { repository })
  const choice = await quickPick({
    title: 'Delete tag',
    placeholder: 'Tag to delete',
    empty: 'There are no tags.',
    items: tags.map(({ name, subject, createdAt }) => ({
      id: name,
      label: name,
      description: subject,
      detail: formatAge(createdAt),
      icon: 'tag',
    })),
  })
  if (!choice) return
  const { commit } = await changeRepository(repository, 'Deleting the tag', (operation) =>
    request('git.deleteTag', { repository, operation, name: choice.id }),
  )
  notify('info', `Deleted tag ${choice.id}.`, {
    actions: [
      {
        label: 'Undo',
        run: () =>
          attemptGit(
            () =>
              changeRepository(repository, 'Restoring the tag', (operation) =>
                request('git.createTag', { repository, operation, name: choice.id, commit }),
              ),
            'The tag was not restored',
          ),
      },
    ],
  })
}
