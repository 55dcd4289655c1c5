import { plural } from '../../../../shared/text/plural.ts'
import { notify, notifyFailure } from '../../notices.ts'
import type { FollowedUndo } from './fileChanges.ts'

/** Shows which files followed an undo or redo in a tab. @param what names the change */
export function notifyFollowed(
  what: 'rename' | 'replacement' | 'change',
  followed: FollowedUndo | { error: unknown },
): void {
  if ('error' in followed) return notifyFailure(followed.error, `The ${what} was undone or repeated in this file only`)
  const { undone, changed, skipped } = followed
  const others = plural(changed.length, 'other file')
  const rest = skipped.length === 0 ? '' : ` ${plural(skipped.length, 'file')} with later changes stayed.`
  notify(
    skipped.length === 0 ? 'info' : 'warning',
    `The ${what} was ${undone ? 'undone' : 'repeated'} in ${others} too.${rest}`,
    {
      detail: [...changed, ...skipped.map((path) => `${path} (has later changes)`)].join('\n'),
    },
  )
}
