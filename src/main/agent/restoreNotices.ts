import type { NoticeItem } from '../../shared/agent/conversation.ts'
import { plural, pluralNoun } from '../../shared/text/plural.ts'
import type { RestoreRecord } from '../../shared/review/restore.ts'
import type { RestoreOutcome } from '../history/checkpoints/checkpoints.ts'

/** Maximum number of skipped paths listed in a notice. */
const maxListedPaths = 5

/** Changes a restore's notice to say that the restore did not finish. It can be undone. */
export function unfinishedRestore(notice: NoticeItem, record: RestoreRecord, why: string): NoticeItem {
  return {
    ...notice,
    level: 'warning',
    text: `The restore did not finish: some files may be restored, others not. ${why}`.trim(),
    action: 'undoRestore',
    restore: { ...record, state: 'done' },
  }
}

/** Changes a restore's notice to say what was restored. @param outcome undefined if no files were restored */
export function finishedRestore(
  notice: NoticeItem,
  record: RestoreRecord,
  outcome: RestoreOutcome | undefined,
  conversation: boolean,
): NoticeItem {
  return {
    ...notice,
    text: restoredText(outcome, conversation),
    action: 'undoRestore',
    restore: { ...record, state: 'done' },
  }
}

/** Changes a restore's notice to say that the restore was undone. */
export function undoneRestore(notice: NoticeItem, outcome: RestoreOutcome | undefined): NoticeItem {
  const text = `The restore was undone.${skippedText(outcome)}`
  return { ...notice, text, action: undefined, restore: { state: 'undone' } }
}

function restoredText(outcome: RestoreOutcome | undefined, conversation: boolean): string {
  if (!outcome) return 'The conversation was restored to this point.'
  const count = outcome.written.length + outcome.removed.length
  const files =
    count === 0
      ? 'No file had to be changed.'
      : `${plural(count, 'file')} ${pluralNoun(count, 'was', 'were')} restored.`
  const text = conversation ? `${files} The conversation was restored to this point.` : files
  return `${text}${skippedText(outcome)}`
}

function skippedText(outcome: RestoreOutcome | undefined): string {
  if (!outcome || outcome.skipped.length === 0) return ''
  const listed = outcome.skipped.slice(0, maxListedPaths).map(({ path, why }) => `\n${path}: ${why}`)
  const more = outcome.skipped.length - listed.length
  return `\nNot changed:${listed.join('')}${more > 0 ? `\nand ${more} more` : ''}`
}
