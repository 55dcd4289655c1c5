import type { GitDiscardResult } from '../../shared/git/git.ts'
import { plural } from '../../shared/text/plural.ts'
import { request } from '../platform/bridge/bridge.ts'
import { changeRepository } from '../platform/git/gitStore.ts'
import { notify, type NoticeAction } from '../platform/notices.ts'
import { attemptGit } from './failures.ts'

/** Shows what was discarded, with Undo, and what was skipped. @param what a file or number of files; null: not named */
export function reportDiscard(
  repository: string,
  { backup, skipped }: Pick<GitDiscardResult, 'backup' | 'skipped'>,
  what: string | null,
): void {
  for (const { path, why } of skipped) notify('warning', `${path.toWellFormed()} was not changed. ${why}`)
  if (backup === null) return
  notify('info', what === null ? 'Discarded the changes.' : `Discarded changes in ${what}.`, {
    actions: [undoAction(repository, what, { backup })],
  })
}

/** @param overwritten the action to undo. `only`: these files, even if they have changed since */
function undoAction(
  repository: string,
  what: string | null,
  overwritten: { backup: number; only?: string[] },
  label = 'Undo',
): NoticeAction {
  // The notice stays in the list after Undo.
  let isDone = false
  return {
    label,
    run: () =>
      attemptGit(async () => {
        if (isDone)
          return notify(
            'info',
            what === null ? 'The changes are already restored.' : `The changes in ${what} are already restored.`,
          )
        const undone = await changeRepository(repository, 'Restoring', (operation) =>
          request('git.undoDiscard', { repository, operation, ...overwritten }),
        )
        isDone = undone.backup !== null
        reportUndone(repository, what, overwritten.backup, undone)
      }, 'The changes could not be restored'),
  }
}

function reportUndone(
  repository: string,
  what: string | null,
  original: number,
  { backup, skipped, changed = [] }: GitDiscardResult,
): void {
  for (const { path, why } of skipped) notify('warning', `${path.toWellFormed()} was not restored. ${why}`)
  if (changed.length > 0) {
    const files = changed.length === 1 ? (changed[0] ?? '').toWellFormed() : plural(changed.length, 'file')
    const message =
      changed.length === 1
        ? `${files} has changed since and was not restored.`
        : `${files} have changed since and were not restored.`
    notify('warning', message, {
      detail: 'Restoring replaces the newer content.',
      actions: [undoAction(repository, files, { backup: original, only: changed }, 'Restore anyway')],
    })
  }
  if (backup !== null)
    notify('info', what === null ? 'Restored the changes.' : `Restored the changes in ${what}.`, {
      actions: [undoAction(repository, what, { backup })],
    })
}
