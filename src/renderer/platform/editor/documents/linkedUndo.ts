import { plural } from '../../../../shared/text/plural.ts'
import { notify, notifyFailure } from '../../notices.ts'
import type { LinkedUndo } from './fileChanges.ts'

/** Shows a notice about the other files of an undo or redo. */
export function notifyLinkedUndo(result: LinkedUndo | { error: unknown }): void {
  if ('error' in result) return notifyFailure(result.error, 'Only this file was changed, not the other files')
  const { undone, changed, skipped } = result
  const others = plural(changed.length, 'other file')
  const done = undone ? `Also undone in ${others}.` : `Also redone in ${others}.`
  const detail = [...changed, ...skipped.map((path) => `${path} (has later changes)`)].join('\n')
  if (skipped.length === 0) notify('info', done, { detail })
  else notify('warning', `${done} Skipped because of later changes: ${plural(skipped.length, 'file')}.`, { detail })
}
