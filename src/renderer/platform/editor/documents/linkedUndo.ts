import { plural } from '../../../../shared/text/plural.ts'
import { notify, notifyFailure } from '../../notices.ts'
import type { LinkedUndo } from './fileChanges.ts'

/** Shows a notice about the other files of an undo or redo. */
export function notifyLinkedUndo(result: LinkedUndo | { error: unknown }): void {
  if ('error' in result) return notifyFailure(result.error, 'Only this file was changed, not the other files')
  const { undone, changed, skipped } = result
  const others = plural(changed.length, 'other file')
  const done = undone ? `Undid the change in ${others} too.` : `Redid the change in ${others} too.`
  const detail = [...changed, ...skipped.map((path) => `${path} (skipped)`)].join('\n')
  if (skipped.length === 0) notify('info', done, { detail })
  else notify('warning', `${done} Skipped ${plural(skipped.length, 'file')} with later changes.`, { detail })
}
