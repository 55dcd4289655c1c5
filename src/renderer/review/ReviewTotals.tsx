import { plural } from '../../shared/text/plural.ts'
import type { ReviewFile, ReviewScope } from '../../shared/review/review.ts'
import { shortcutOf } from '../platform/commands.ts'
import { useLayout } from '../platform/layout/layoutStore.ts'
import { attempt } from '../platform/notices.ts'
import { canKeep, useReview } from '../platform/review/reviewStore.ts'
import { DiffCounts } from '../ui/diff/DiffCounts.tsx'
import { Button, IconButton } from '../ui/index.ts'
import { applyToAll } from './reviewCommands.ts'
import { expandAll } from './reviewFolds.ts'

/**
 * Totals of the listed files, and actions for all files. Hidden while a filter is active, because the actions ignore
 * it.
 */
export function ReviewTotals({
  files,
  all,
  scope,
}: {
  files: readonly ReviewFile[]
  all: boolean
  scope: ReviewScope
}) {
  const added = files.reduce((sum, file) => sum + file.added, 0)
  const removed = files.reduce((sum, file) => sum + file.removed, 0)
  const canKeepAny = useReview((state) => canKeep(scope, undefined, state))
  const expanded = useLayout(({ review }) => review.expanded)
  const title = (text: string, keys: string | undefined) => (keys ? `${text} (${keys})` : text)
  return (
    <div className="review-totals">
      <span className="review-total" role="status">
        {plural(files.length, 'file')}
      </span>
      <DiffCounts added={added} removed={removed} />
      <span className="review-space" />
      <IconButton
        icon={expanded ? 'collapse-all' : 'expand-all'}
        label={expanded ? 'Hide the changes in all files' : 'Show the changes in all files'}
        onClick={() => expandAll(!expanded)}
      />
      {all && (
        <>
          {canKeepAny && (
            <Button
              size="small"
              className="review-all"
              icon="check-all"
              aria-label="Keep all"
              title={title('Keep all listed changes', shortcutOf('review.keepAll'))}
              onClick={() => attempt(() => applyToAll('keep'), 'The changes could not be kept')}
            >
              <span>Keep all</span>
            </Button>
          )}
          <Button
            size="small"
            variant="ghost"
            className="review-all"
            icon="discard"
            aria-label="Undo all"
            title={title('Undo all listed changes', shortcutOf('review.undoAll'))}
            onClick={() => attempt(() => applyToAll('undo'), 'The changes could not be undone')}
          >
            <span>Undo all</span>
          </Button>
        </>
      )}
    </div>
  )
}
