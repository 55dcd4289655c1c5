import { useEffect } from 'react'
import type { DiffToolbarProps } from '../platform/editor/diffToolbars.tsx'
import { openFile } from '../platform/editor/editorService.ts'
import { attempt } from '../platform/notices.ts'
import { applyReview, canKeep, scopeKey, useReview } from '../platform/review/reviewStore.ts'
import { DiffCounts } from '../ui/diff/DiffView.tsx'
import { Button, Icon, IconButton } from '../ui/index.ts'
import { attachInlineReview } from './inline/inlineReview.tsx'
import { scopeOf } from './reviewDiffs.ts'
import './review.css'

/** Actions above a diff of the review. The bar in the right side acts on single hunks. */
export function ReviewDiffToolbar({ tab, diffEditor }: DiffToolbarProps) {
  const scope = scopeOf(tab)
  // Counts of the scope of the diff, which is not always the one that the view lists.
  const file = useReview(({ scope: shown, summary, pending }) =>
    (scope && scopeKey(scope) === scopeKey(shown) ? (summary?.files ?? []) : pending.files).find(
      ({ path }) => path === tab.path,
    ),
  )
  const queued = useReview((state) => state.queued.has(tab.path))
  const keepable = useReview((state) => scope !== null && canKeep(scope, tab.path, state))
  useEffect(() => {
    if (!diffEditor || !scope || tab.modified !== null) return
    const attached = attachInlineReview(diffEditor.getModifiedEditor(), { scope, bare: true })
    return () => attached.dispose()
  }, [diffEditor, scope, tab.modified])
  if (!scope) return null
  const apply = (action: 'keep' | 'undo') =>
    attempt(
      () => applyReview(action, scope, [{ path: tab.path }]),
      `${tab.path} was not ${action === 'keep' ? 'kept' : 'undone'}`,
    )
  return (
    <div className="review-diff-bar" role="toolbar" aria-label={`Changes in ${tab.path}`}>
      <span className="review-diff-path" title={tab.path}>
        <bdi>{tab.path}</bdi>
      </span>
      {file && <DiffCounts added={file.added} removed={file.removed} />}
      {file?.problem && (
        <span className="review-problem" title={file.problem}>
          <Icon name="warning" />
          {file.problem}
        </span>
      )}
      <span className="review-space" />
      {queued ? (
        <span className="review-queued" role="status">
          Queued
        </span>
      ) : file ? (
        <>
          {keepable && (
            <Button size="small" onClick={() => apply('keep')}>
              Keep file
            </Button>
          )}
          <Button size="small" variant="ghost" onClick={() => apply('undo')}>
            Undo file
          </Button>
        </>
      ) : (
        <span className="review-faint">No changes left</span>
      )}
      {tab.modified === null && (
        <IconButton icon="go-to-file" label="Open file" onClick={() => attempt(() => openFile(tab.path))} />
      )}
    </div>
  )
}
