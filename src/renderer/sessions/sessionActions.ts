import type { SessionRow } from '../../shared/agent/sessionRows.ts'
import type { SessionSummary } from '../../shared/git/sessionRequests.ts'
import { ToolError } from '../../shared/errors.ts'
import { currentWorkspace } from '../platform/appState.ts'
import { request } from '../platform/bridge/bridge.ts'
import { runCommand } from '../platform/commands.ts'
import { useGit } from '../platform/git/gitStore.ts'
import { attempt } from '../platform/notices.ts'
import { showTries } from '../platform/sessions/taskTries.ts'
import { loadSessions } from '../platform/sessions/sessionsStore.ts'
import type { MenuGroup } from '../ui/index.ts'
import { compareSession } from './CompareDialog.tsx'
import { openWorktree, removeSession, takeOver } from './worktreeActions.ts'
import { mergeSession, rebaseSession } from './sessionBranchActions.ts'

/** Shows a session: its conversation in this window, or the window of its folder. */
export function openSession({ folder, conversation }: SessionRow): void {
  if (folder === currentWorkspace()?.root && conversation !== null) runCommand('chat.show', conversation)
  else attempt(() => request('sessions.open', { folder, conversation }), 'The session could not be opened')
}

export function renameSession({ conversation }: SessionRow, title: string): void {
  if (conversation !== null)
    attempt(() => request('sessions.update', { conversation, title }), 'The session could not be renamed')
}

function togglePin({ conversation, pinned }: SessionRow): void {
  if (conversation !== null)
    attempt(() => request('sessions.update', { conversation, pinned: !pinned }), 'The session could not be pinned')
}

/** Hides a session from the list or shows it again. Nothing of it is deleted. */
async function archive({ conversation, worktree, archived }: SessionRow): Promise<void> {
  if (conversation !== null) await request('sessions.update', { conversation, archived: !archived })
  if (worktree && (conversation === null || (archived && worktree.archived)))
    await request('sessions.archive', { id: worktree.id, archived: !archived })
  await loadSessions(false)
}

/** @throws ToolError `not_found` if the worktree belongs to another repository than the open one */
async function summaryOf(id: string): Promise<SessionSummary> {
  const found = (await request('sessions.list', {})).find((each) => each.id === id)
  if (found) return found
  throw new ToolError(
    'not_found',
    'This worktree belongs to another repository.',
    'Open the folder of its repository first.',
  )
}

/** Returns the menu of a session. @param rename starts editing its title */
export function sessionMenu(row: SessionRow, rename: () => void): MenuGroup[] {
  const { conversation, state, pinned, archived, worktree, place } = row
  const runs = place !== 'elsewhere' && ['working', 'approval', 'asking'].includes(state)
  return [
    {
      items: [
        { id: 'open', label: 'Open', icon: 'go-to-file', run: () => openSession(row) },
        ...(conversation === null
          ? []
          : [
              { id: 'rename', label: 'Rename…', icon: 'edit', shortcut: 'F2', run: rename },
              { id: 'pin', label: pinned ? 'Unpin' : 'Pin', icon: 'pin', run: () => togglePin(row) },
            ]),
        {
          id: 'archive',
          label: archived ? 'Restore from archive' : 'Archive',
          icon: 'archive',
          run: () => attempt(() => archive(row), 'The session could not be archived'),
        },
        ...(runs && conversation !== null
          ? [
              {
                id: 'stop',
                label: 'Stop',
                icon: 'debug-stop',
                run: () => attempt(() => request('sessions.stop', { conversation }), 'The turn could not be stopped'),
              },
            ]
          : []),
      ],
    },
    { items: worktree ? worktreeItems(row, worktree) : [] },
  ]
}

function worktreeItems(
  { folder }: SessionRow,
  { id, origin, broken, try: tried }: NonNullable<SessionRow['worktree']>,
) {
  const withSummary = (act: (session: SessionSummary) => Promise<unknown>, failure: string) => () =>
    attempt(async () => {
      await act(await summaryOf(id))
      await loadSessions(true)
    }, failure)
  const target = useGit.getState().statuses[origin]?.branch ?? 'the branch of its folder'
  return [
    ...(broken
      ? []
      : [
          {
            id: 'takeOver',
            label: 'Take over into this folder…',
            icon: 'git-merge',
            disabled: currentWorkspace()?.root !== origin,
            run: withSummary(takeOver, 'Nothing was taken over'),
          },
          ...(tried
            ? [{ id: 'tries', label: 'Compare tries of this task', icon: 'table', run: () => showTries(tried.task) }]
            : []),
          {
            id: 'compare',
            label: 'Compare with another session…',
            icon: 'diff',
            run: withSummary(compareSession, 'The sessions could not be compared'),
          },
          {
            id: 'merge',
            label: `Merge branch into ${target}`,
            icon: 'git-merge',
            disabled: currentWorkspace()?.root !== origin,
            run: withSummary(mergeSession, 'Nothing was merged'),
          },
          {
            id: 'rebase',
            label: `Rebase onto ${target}`,
            icon: 'git-branch',
            run: withSummary(rebaseSession, 'The session was not rebased'),
          },
          {
            id: 'commit',
            label: 'Commit here…',
            icon: 'git-commit',
            disabled: folder !== currentWorkspace()?.root,
            run: withSummary(
              async ({ changed }) => void runCommand('git.prepareCommit', changed),
              'Nothing was committed',
            ),
          },
          {
            id: 'worktree',
            label: 'Open worktree',
            icon: 'folder-opened',
            run: () => attempt(() => openWorktree(folder), 'The worktree could not be opened'),
          },
        ]),
    {
      id: 'remove',
      label: 'Remove worktree…',
      icon: 'trash',
      danger: true,
      run: withSummary(removeSession, 'The session could not be removed'),
    },
  ]
}
