import type { GitChange, GitGroup, GitStatusSummary } from '../../shared/git/git.ts'
import { toWorkspacePath } from '../../shared/git/git.ts'
import { toFailure } from '../../shared/errors.ts'
import { plural } from '../../shared/text/plural.ts'
import { request } from '../platform/bridge/bridge.ts'
import { useChat } from '../platform/conversation/chatStore.ts'
import { confirm } from '../platform/confirm.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { saveFiles } from '../platform/editor/editorService.ts'
import {
  changeRepository,
  repositoryOf,
  runCancellable,
  selectRepository,
  settledStatus,
  storeStatus,
} from '../platform/git/gitStore.ts'
import { useLayout } from '../platform/layout/layoutStore.ts'
import { attempt, notify } from '../platform/notices.ts'
import { attemptGit, notifyGitFailure, type NextSteps } from './failures.ts'
import { displayName } from './changeRows.ts'
import { askIdentity } from './dialogStores.ts'
import { reportDiscard } from './discardNotice.ts'
import { hasConflictMarkers } from '../platform/editor/conflict/conflictMarkers.ts'
import { showGitView } from './messageFocus.ts'
import { lockSteps } from './lockFile.ts'

export interface ChangeInGroup {
  from: GitGroup
  change: GitChange
}

const pathsOf = (changes: readonly ChangeInGroup[]): string[] => [...new Set(changes.map(({ change }) => change.path))]

/** @param paths default: all changes */
function stagePaths(repository: string, paths?: string[]): Promise<GitStatusSummary> {
  return changeRepository(repository, 'Staging', (operation) =>
    request('git.stage', { repository, operation, ...(paths && { paths }) }),
  )
}

/** Stages files; all changes by default. Staging a file in a conflict marks it as resolved. */
export function stage(repository: string, changes?: readonly ChangeInGroup[]): void {
  const paths = changes && pathsOf(changes)
  attemptGit(() => stagePaths(repository, paths), 'Staging failed', lockSteps(repository))
}

/** Marks files as resolved. Asks first if one of them still contains conflict markers. */
export async function markResolved(repository: string, changes: readonly ChangeInGroup[]): Promise<void> {
  const marked: string[] = []
  for (const path of pathsOf(changes)) {
    const version = await request('git.fileAt', { repository, path, at: 'working' })
    if (version.kind === 'text' && hasConflictMarkers(version.text)) marked.push(path.toWellFormed())
  }
  if (marked.length > 0) {
    const choice = await confirm({
      title: 'Mark as resolved with conflict markers?',
      message:
        marked.length === 1
          ? 'This file still contains conflict markers:'
          : 'These files still contain conflict markers:',
      items: marked,
      choices: [{ id: 'stage', label: 'Mark as resolved', variant: 'primary' }],
    })
    if (choice === null) return
  }
  const paths = pathsOf(changes)
  await stagePaths(repository, paths)
  const [only] = paths
  const what = paths.length === 1 && only !== undefined ? displayName(only).name : plural(paths.length, 'file')
  offerUnresolve(repository, paths, `Marked ${what} as resolved.`)
}

/** Shows a notice that conflicts are resolved, with Undo. */
export function offerUnresolve(repository: string, paths: string[], message: string): void {
  notify('info', message, {
    actions: [
      {
        label: 'Undo',
        run: () =>
          attemptGit(async () => {
            const { skipped } = await changeRepository(repository, 'Restoring the conflict', (operation) =>
              request('git.unresolve', { repository, operation, paths }),
            )
            for (const { path, why } of skipped) notify('warning', `${path.toWellFormed()} was not restored. ${why}`)
          }, 'The conflict could not be restored'),
      },
    ],
  })
}

/** Unstages files; all staged changes by default. Also unstages the previous path of a renamed file. */
export function unstage(repository: string, changes?: readonly ChangeInGroup[]): void {
  const paths = changes && [
    ...new Set(changes.flatMap(({ change: { path, from } }) => (from === undefined ? [path] : [path, from]))),
  ]
  attemptGit(
    () =>
      changeRepository(repository, 'Unstaging', (operation) =>
        request('git.unstage', { repository, operation, ...(paths && { paths }) }),
      ),
    'Unstaging failed',
    lockSteps(repository),
  )
}

/** Discards working tree changes after asking. The notice can undo it. */
export async function discard(status: GitStatusSummary, changes: readonly ChangeInGroup[]): Promise<void> {
  const repository = status.repository.id
  const tracked = pathsOf(changes.filter(({ from }) => from === 'changes'))
  const untracked = pathsOf(changes.filter(({ from }) => from === 'untracked'))
  const all = [...tracked, ...untracked]
  const [first] = all
  if (first === undefined) return
  const deletes = tracked.length === 0
  const choice = await confirm({
    title:
      all.length === 1
        ? deletes
          ? `Delete ${displayName(first).name}?`
          : `Discard the changes in ${displayName(first).name}?`
        : deletes
          ? `Delete ${plural(all.length, 'untracked file')}?`
          : `Discard the changes in ${plural(all.length, 'file')}?`,
    message:
      untracked.length > 0 && tracked.length > 0
        ? `${plural(untracked.length, 'untracked file')} will be deleted. You can undo this from the notice that appears.`
        : 'You can undo this from the notice that appears.',
    items: all.length > 1 ? all.map((path) => path.toWellFormed()) : [],
    choices: [{ id: 'discard', label: deletes ? 'Delete' : 'Discard', variant: 'danger' }],
  })
  if (choice === null) return
  for (const [group, paths] of [
    ['changes', tracked],
    ['untracked', untracked],
  ] as const) {
    if (paths.length === 0) continue
    const result = await changeRepository(repository, 'Discarding', (operation) =>
      request('git.discard', { repository, operation, paths, group }),
    )
    reportDiscard(repository, result, plural(paths.length, 'file'))
  }
}

function messageOf(repository: string): string {
  return useLayout.getState().git.messages[repository] ?? ''
}

/** Stores the message that the user is typing, so that a reload keeps it. */
export function setMessage(repository: string, message: string): void {
  useLayout.setState(({ git }) => {
    const { [repository]: _before, ...others } = git.messages
    return { git: { ...git, messages: message === '' ? others : { ...others, [repository]: message } } }
  })
}

export interface CommitOptions {
  amend?: boolean
  /** Runs after the commit. */
  after?: 'push' | 'sync'
}

const stagedCount = ({ counts }: GitStatusSummary): number => counts.staged

/** Asks to stage everything if nothing is staged. @returns false if the user cancelled */
async function stageForCommit(status: GitStatusSummary, amend: boolean): Promise<boolean> {
  if (stagedCount(status) > 0 || status.operation !== null) return true
  const changed = status.counts.changes + status.counts.untracked
  if (changed === 0) {
    if (amend) return true
    notify('info', 'There are no changes to commit.')
    return false
  }
  if (amend) return true
  const choice = await confirm({
    title: 'Nothing is staged. Commit all changes?',
    message: `${plural(changed, 'changed file')} will be staged and committed.`,
    choices: [{ id: 'all', label: 'Stage all and commit', variant: 'primary' }],
  })
  if (choice === null) return false
  await stagePaths(status.repository.id)
  return true
}

/**
 * Asks to save files in the commit that have unsaved changes. Stages saved files that were completely staged before.
 * @returns false if the user cancelled or a file could not be saved
 */
async function saveForCommit({ repository, groups }: GitStatusSummary): Promise<boolean> {
  const listed = groups.staged.length > 0 ? groups.staged : groups.changes
  const dirty = new Set(documents.dirtyPaths())
  const unsaved = listed.flatMap(({ path }) => {
    const workspacePath = toWorkspacePath(repository, path)
    return workspacePath !== null && dirty.has(workspacePath) ? [{ path, workspacePath }] : []
  })
  if (unsaved.length === 0) return true
  const choice = await confirm({
    title: `Save ${plural(unsaved.length, 'file')} before committing?`,
    message: 'Unsaved changes are not part of the commit.',
    items: unsaved.map(({ workspacePath }) => workspacePath),
    choices: [
      { id: 'commit', label: 'Commit without saving' },
      { id: 'save', label: 'Save and commit', variant: 'primary' },
    ],
  })
  if (choice !== 'save') return choice === 'commit'
  if (!(await saveFiles(unsaved.map(({ workspacePath }) => workspacePath)))) return false
  const partly = new Set(groups.changes.map(({ path }) => path))
  const staged = unsaved.filter(({ path }) => groups.staged.length > 0 && !partly.has(path)).map(({ path }) => path)
  if (staged.length > 0) await stagePaths(repository.id, staged)
  return true
}

/** Commits with the view's message, and clears the message. Shows the output of failing hooks. */
export async function commit(shown: GitStatusSummary, { amend = false, after }: CommitOptions = {}): Promise<void> {
  const status = await settledStatus(shown)
  const repository = status.repository.id
  const { signOff } = useLayout.getState().git
  const typed = messageOf(repository)
  let message = typed.trim()
  if (status.counts.merge > 0) {
    notify('warning', 'Resolve the conflicts before you commit.', {
      detail: 'Open each file in the group "Merge changes", then mark it as resolved.',
    })
    return
  }
  if (message === '' && amend && status.head !== null)
    message = (await request('git.commitDetails', { repository, commit: 'HEAD' })).message.trim()
  if (message === '' && status.operation?.message) message = status.operation.message.trim()
  if (message === '') {
    showGitView()
    notify('info', 'Enter a message for the commit.')
    return
  }
  if (!(await saveForCommit(status))) return
  if (!(await stageForCommit(status, amend))) return
  const run = (skipHooks: boolean) =>
    runCancellable({ label: 'Committing', repository }, async (operation) => {
      const result = await request('git.commit', { repository, operation, message, amend, signOff, skipHooks })
      storeStatus(result.status)
      // A hook can take long, and the user may have typed the next message in the meantime.
      if (messageOf(repository) === typed) setMessage(repository, '')
    })
  const nextSteps: NextSteps = {
    ...lockSteps(repository),
    hook_failed: [
      { label: 'Commit without hooks', run: () => attemptGit(() => run(true), 'Commit failed', lockSteps(repository)) },
    ],
  }
  try {
    await run(false).catch(async (error: unknown) => {
      if (toFailure(error).reason !== 'no_identity' || !(await askIdentity(repository))) throw error
      await run(false)
    })
  } catch (error) {
    notifyGitFailure(error, 'Commit failed', nextSteps)
    return
  }
  if (after !== undefined) {
    const { push, sync } = await import('./remoteActions.ts')
    await (after === 'push' ? push(repository) : sync(repository))
  }
}

/**
 * Drafts a message for the staged changes with the conversation's model. Replaces the previous message, unless the user
 * edits it in the meantime.
 */
export async function draftMessage(repository: string, conversation: string | undefined): Promise<void> {
  const before = messageOf(repository)
  const draft = await runCancellable({ label: 'Drafting a message', repository }, (operation) =>
    request('git.draftMessage', { repository, operation, conversation }),
  )
  if (messageOf(repository) !== before) {
    notify('info', 'You edited the message, so the draft was not inserted.', {
      actions: [{ label: 'Use draft', run: () => setMessage(repository, draft) }],
    })
    return
  }
  setMessage(repository, draft)
  if (before.trim() !== '')
    notify('info', 'The message was replaced by a draft.', {
      actions: [{ label: 'Undo', run: () => setMessage(repository, before) }],
    })
}

/**
 * Stages workspace files for a commit, shows the view, and drafts a message if there is none. Skips unchanged and
 * ignored files. If the files are in several repositories, shows the first one.
 */
export async function prepareCommit(paths: readonly string[]): Promise<void> {
  const byRepository = new Map<string, string[]>()
  for (const path of paths) {
    const found = repositoryOf(path)
    if (found) byRepository.set(found.repository.id, [...(byRepository.get(found.repository.id) ?? []), found.path])
  }
  let first: string | undefined
  for (const [repository, candidates] of byRepository) {
    const { groups } = await request('git.status', { repository, refresh: true })
    const listed = new Set([...groups.changes, ...groups.untracked].map(({ path }) => path))
    const changed = candidates.filter((path) => listed.has(path))
    if (changed.length === 0 && !groups.staged.some(({ path }) => candidates.includes(path))) continue
    if (changed.length > 0) await stagePaths(repository, changed)
    first ??= repository
  }
  if (first === undefined) {
    notify('info', 'The files have no changes to commit.', {
      detail: 'They are outside every repository, ignored or unchanged.',
    })
    return
  }
  selectRepository(first)
  showGitView()
  if (messageOf(first).trim() === '') await draftMessage(first, useChat.getState().info?.id)
}

/** Stops a running action. */
export function cancelAction(operation: string): void {
  attempt(() => request('git.cancel', { operation }))
}
