import type { GitRepository, GitStatusSummary } from '../../shared/git/git.ts'
import { on, request } from '../platform/bridge/bridge.ts'
import { handleCommand, type CommandId } from '../platform/commands.ts'
import { contributeDiffActions } from '../platform/editor/diffContributions.tsx'
import { contributeEditorExtension } from '../platform/editor/editorExtensions.ts'
import type { NamedMerge } from './branchActions.ts'
import type { GutterSession } from './gutterSession.ts'
import type { LineHunk } from '../../shared/diff/lineHunks.ts'
import type { editor } from 'monaco-editor'
import { activePath, listOpenDiffs } from '../platform/editor/tabsStore.ts'
import {
  followGit,
  loadRepositories,
  repositoryOf,
  selectedStatus,
  storeStatus,
  useGit,
} from '../platform/git/gitStore.ts'
import { useLayout } from '../platform/layout/layoutStore.ts'
import { lazyView } from '../platform/layout/lazyView.tsx'
import { attempt, notify } from '../platform/notices.ts'
import { followCredentials, openCloneDialog } from './dialogStores.ts'
import { attemptGit, notifyGitFailure } from './failures.ts'
import { showGitView } from './messageFocus.ts'
import { ToolError } from '../../shared/errors.ts'

type StatusAction = (status: GitStatusSummary) => unknown

/** Runs an action on the selected repository. */
function withStatus(action: StatusAction): () => Promise<void> {
  return async () => {
    const status = selectedStatus()
    if (status) await action(status)
    else notify('info', 'The folder has no repository, or its status is still loading.')
  }
}

/** Shows failures with git's output. */
function withGit(context: string, action: (status: GitStatusSummary) => Promise<unknown>): () => Promise<void> {
  return withStatus((status) => attemptGit(() => action(status), context))
}

/** Modules that load when their first command runs. */
const actions = () => import('./gitActions.ts')
const comparisons = () => import('./openChange.ts')
const remote = () => import('./remoteActions.ts')
const branches = () => import('./branchActions.ts')
const stashes = () => import('./stashActions.ts')
const tags = () => import('./tagActions.ts')

const hunkActions = () => import('./hunkActions.ts')

async function changeMarks() {
  return (await import('./changeMarks.ts')).activeChangeMarks()
}

/** Shows the next or previous change. Waits for a file that was just opened to be compared. */
async function stepChange(step: 1 | -1): Promise<void> {
  const found = await changeMarks()
  await found?.marks.session()?.current()
  found?.marks.step(step)
}

/** Runs an action on the change at the cursor. */
function withHunk(
  action: (codeEditor: editor.IStandaloneCodeEditor, session: GutterSession, hunk: LineHunk) => Promise<unknown>,
): () => Promise<void> {
  return async () => {
    const found = await changeMarks()
    const session = found?.marks.session()
    await session?.current()
    const hunk = found?.marks.hunkAtCursor()
    if (found && session && hunk)
      attemptGit(() => action(found.editor, session, hunk), 'The change could not be applied')
    else notify('info', 'The cursor is not in a change since HEAD.')
  }
}

async function refresh(): Promise<void> {
  await loadRepositories(true)
  const status = selectedStatus()
  if (status) storeStatus(await request('git.status', { repository: status.repository.id, refresh: true }))
}

/** Runs an action on the argument's file, by default the active file. */
function withFile(action: (file: { repository: GitRepository; path: string }) => Promise<unknown>) {
  return async (argument: unknown): Promise<void> => {
    const path = typeof argument === 'string' ? argument : activePath()
    const found = path === null ? null : repositoryOf(path)
    if (found) attemptGit(() => action(found), 'The file could not be compared')
    else notify('info', 'The file is not in a repository.')
  }
}

const handlers: Partial<Record<CommandId, (argument?: unknown) => unknown>> = {
  'view.git': showGitView,
  'git.refresh': refresh,
  'git.commit': withGit('Commit failed', async (status) => (await actions()).commit(status)),
  'git.prepareCommit': (paths) =>
    // The argument is that of `review.keepAllAndCommit`.
    attemptGit(
      async () => (await actions()).prepareCommit(paths as readonly string[]),
      'The commit could not be prepared',
    ),
  'git.amend': withGit('Commit failed', async (status) => (await actions()).commit(status, { amend: true })),
  'git.stageAll': withStatus(async ({ repository }) => (await actions()).stage(repository.id)),
  'git.unstageAll': withStatus(async ({ repository }) => (await actions()).unstage(repository.id)),
  'git.discardAll': withGit('Discarding failed', async (status) =>
    (await actions()).discard(status, [
      ...status.groups.changes.map((change) => ({ from: 'changes' as const, change })),
      ...status.groups.untracked.map((change) => ({ from: 'untracked' as const, change })),
    ]),
  ),
  'git.openChanges': withFile(async (file) =>
    (await comparisons()).openComparison({ ...file, original: 'head', modified: 'working' }),
  ),
  'git.nextChange': () => stepChange(1),
  'git.previousChange': () => stepChange(-1),
  'git.stageChange': withHunk(async (editor, session, hunk) => (await hunkActions()).stageHunk(editor, session, hunk)),
  'git.revertChange': withHunk(async (editor, session, hunk) =>
    (await hunkActions()).revertHunk(editor, session, hunk),
  ),
  'git.showLog': withStatus(async ({ repository }) => (await import('./logStore.ts')).showLog(repository)),
  'git.fileHistory': withFile(async ({ repository, path }) =>
    (await import('./logStore.ts')).showFileHistory(repository, path),
  ),
  'git.toggleBlame': () => useLayout.setState(({ git }) => ({ git: { ...git, blame: !git.blame } })),
  'git.fetch': withGit('Fetch failed', async ({ repository }) => (await remote()).fetchRemotes(repository.id)),
  'git.pull': withGit('Pull failed', async ({ repository }) => (await remote()).pull(repository.id)),
  'git.push': withGit('Push failed', async ({ repository }) => (await remote()).push(repository.id)),
  'git.pushTags': withGit('Push failed', async ({ repository }) =>
    (await remote()).push(repository.id, { tags: true }),
  ),
  'git.forcePush': withGit('Push failed', async ({ repository }) => (await remote()).forcePush(repository.id)),
  'git.sync': withGit('Sync failed', async ({ repository }) => (await remote()).sync(repository.id)),
  'git.switchBranch': withGit('The branch could not be switched', async (status) =>
    (await import('./switchBranch.ts')).pickBranch(status),
  ),
  'git.createBranch': withGit('The branch could not be created', async (status) =>
    (await branches()).createBranch(status),
  ),
  'git.renameBranch': withGit('The branch could not be renamed', async (status) =>
    (await branches()).renameBranch(status),
  ),
  'git.deleteBranch': withGit('The branch could not be deleted', async (status) =>
    (await branches()).deleteBranch(status),
  ),
  'git.mergeBranch': (named) =>
    named === undefined
      ? withGit('The branch could not be merged', async (status) => (await branches()).mergeBranch(status))()
      : // The argument is that of the sessions view.
        attemptGit(async () => (await branches()).mergeNamed(named as NamedMerge), 'The branch could not be merged'),
  'git.compareBranch': withGit('The branch could not be compared', async (status) =>
    (await branches()).compareBranch(status),
  ),
  'git.stash': withGit('Stash failed', async (status) => (await stashes()).stash(status)),
  'git.stashes': withGit('The stashes could not be loaded', async (status) => (await stashes()).pickStash(status)),
  'git.createTag': withGit('The tag could not be created', async (status) => (await tags()).createTag(status)),
  'git.deleteTag': withGit('The tag could not be deleted', async (status) => (await tags()).deleteTag(status)),
  'git.clone': openCloneDialog,
}

/**
 * Registers the git commands and keeps the open folder's repositories current.
 * @returns a function that unregisters them
 */
export function registerGit(): () => void {
  contributeDiffActions(
    'git',
    lazyView(async () => (await import('./GitDiffActions.tsx')).GitDiffActions, null),
  )
  const stops = [
    contributeEditorExtension(async () => (await import('./gutterMarks.ts')).gutterMarks),
    contributeEditorExtension(async () => (await import('./conflictMarks.ts')).conflictMarks),
    contributeEditorExtension(async () => (await import('./lineBlame.ts')).lineBlame),
    followGit(),
    reportEndedActions(),
    followCredentials(),
    // Diffs exist once their module has loaded.
    on('git.changed', ({ status }) => {
      if (listOpenDiffs('git').length > 0) attempt(async () => (await comparisons()).refreshDiffs(status))
    }),
    // The keys of `handlers` are CommandIds.
    ...Object.entries(handlers).map(([id, handler]) =>
      handleCommand(id as CommandId, async (argument) => {
        await handler(argument)
      }),
    ),
  ]
  return () => stops.forEach((stop) => stop())
}

/** Reports the results of actions that ended after the window was reloaded. @returns a function that stops it */
function reportEndedActions(): () => void {
  const report = () => {
    const { ended } = useGit.getState()
    if (ended.length === 0) return
    useGit.setState({ ended: [] })
    for (const { label, failure } of ended) {
      if (!failure) notify('info', `${label} finished.`)
      else
        notifyGitFailure(
          new ToolError(failure.code, failure.message, failure.next, {
            ...(failure.reason !== undefined && { reason: failure.reason }),
            ...(failure.detail !== undefined && { detail: failure.detail }),
          }),
          `${label} failed`,
        )
    }
  }
  report()
  return useGit.subscribe(report)
}
