import { request } from '../platform/bridge/bridge.ts'
import { changeRepository } from '../platform/git/gitStore.ts'
import { notify } from '../platform/notices.ts'
import { attemptGit } from './failures.ts'

/** Shows what was discarded, with Undo, and what was left alone. */
export function reportDiscard(
  repository: string,
  { backup, skipped }: { backup: number | null; skipped: readonly { path: string; why: string }[] },
  what: string,
): void {
  for (const { path, why } of skipped) notify('warning', `${path.toWellFormed()} was not changed: ${why}`)
  if (backup === null) return
  notify('info', `Discarded changes in ${what}.`, {
    actions: [
      {
        label: 'Undo',
        run: () =>
          attemptGit(async () => {
            const undone = await changeRepository(repository, 'Restoring', (operation) =>
              request('git.undoDiscard', { repository, operation, backup }),
            )
            for (const { path, why } of undone.skipped)
              notify('warning', `${path.toWellFormed()} was not restored: ${why}`)
          }, 'The changes were not restored'),
      },
    ],
  })
}
