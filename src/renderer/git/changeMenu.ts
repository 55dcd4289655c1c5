import { toWorkspacePath, type GitStatusSummary } from '../../shared/git/git.ts'
import { copyPathItems } from '../platform/files/copyPath.ts'
import { revealItems } from '../platform/files/fileManager.ts'
import { attempt } from '../platform/notices.ts'
import type { MenuGroup, MenuItem } from '../ui/index.ts'
import type { ChangeRow } from './changeRows.ts'
import { attemptGit } from './failures.ts'
import { discard, markResolved, stage, unstage, type ChangeInGroup } from './gitActions.ts'
import { openChange, openWorkingFile } from './openChange.ts'

export interface RowAction {
  icon: string
  label: string
  run: () => void
}

/** Actions on a row's changes, for its buttons and its context menu. */
function changeActions(status: GitStatusSummary, row: ChangeRow, changes: () => readonly ChangeInGroup[]) {
  const repository = status.repository.id
  const all = row.kind === 'group'
  const discardItem: RowAction = {
    icon: 'discard',
    label: all ? 'Discard all changes…' : 'Discard changes…',
    run: () => attemptGit(() => discard(status, changes()), 'Discarding failed'),
  }
  const stageItem: RowAction = {
    icon: 'add',
    label: row.group === 'merge' ? 'Mark as resolved' : all ? 'Stage all changes' : 'Stage changes',
    // Without paths, main also stages entries that are not listed.
    run: () => {
      if (row.group === 'merge')
        attemptGit(() => markResolved(repository, changes()), 'The files could not be marked as resolved')
      else stage(repository, all ? undefined : changes())
    },
  }
  const unstageItem: RowAction = {
    icon: 'remove',
    label: all ? 'Unstage all changes' : 'Unstage changes',
    run: () => unstage(repository, all ? undefined : changes()),
  }
  if (row.group === 'staged') return [unstageItem]
  return row.group === 'merge' ? [stageItem] : [discardItem, stageItem]
}

/** A row's buttons, from left to right. @param changes those of the row, or of the selection if it contains the row */
export function rowActions(
  status: GitStatusSummary,
  row: ChangeRow,
  changes: () => readonly ChangeInGroup[],
): RowAction[] {
  const actions = changeActions(status, row, changes)
  if (row.kind !== 'change' || row.change.kind === 'deleted' || row.change.path.endsWith('/')) return actions
  const { path } = row.change
  return [
    {
      icon: 'go-to-file',
      label: 'Open file',
      run: () => attempt(() => openWorkingFile(status.repository, path)),
    },
    ...actions,
  ]
}

export function changeMenu(status: GitStatusSummary, row: ChangeRow, changes: readonly ChangeInGroup[]): MenuGroup[] {
  const actions: MenuItem[] = changeActions(status, row, () => changes).map(({ icon, label, run }) => ({
    id: label,
    icon,
    label,
    run,
    danger: label.startsWith('Discard'),
  }))
  if (row.kind !== 'change') return [{ items: actions }]
  const { change } = row
  const path = toWorkspacePath(status.repository, change.path)
  const open: MenuItem[] = [
    {
      id: 'changes',
      icon: 'diff',
      label: row.group === 'merge' ? 'Open conflict editor' : 'Open changes',
      run: () => attemptGit(() => openChange(status.repository, row), 'The changes could not be opened'),
    },
    {
      id: 'file',
      icon: 'go-to-file',
      label: 'Open file',
      disabled: change.kind === 'deleted' || path === null,
      run: () => attempt(() => openWorkingFile(status.repository, change.path)),
    },
    {
      id: 'history',
      icon: 'history',
      label: 'Show file history',
      disabled: change.kind === 'untracked',
      run: () =>
        attempt(async () => {
          const { showFileHistory } = await import('./logStore.ts')
          showFileHistory(status.repository, change.from ?? change.path)
        }),
    },
  ]
  return [
    { items: open },
    { items: actions },
    {
      items: path === null ? [] : [...revealItems(path), ...copyPathItems(path)],
    },
  ]
}
