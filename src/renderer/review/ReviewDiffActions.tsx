import { useEffect } from 'react'
import type { DiffActionsProps } from '../platform/editor/diffContributions.tsx'
import { attempt } from '../platform/notices.ts'
import { applyReview, canKeep, scopeKey, useReview } from '../platform/review/reviewStore.ts'
import { HunkActions, type HunkAction } from '../ui/diff/HunkActions.tsx'
import { Icon } from '../ui/index.ts'
import { attachInlineReview } from './inline/inlineReview.tsx'
import { scopeOf } from './reviewDiffs.ts'
import './review.css'

/** What a diff of the review offers for the file. The bar in the modified side acts on single hunks. */
export function ReviewDiffActions({ tab, diffEditor }: DiffActionsProps) {
  const scope = scopeOf(tab)
  // Of the scope of the diff, which is not always the one that the view lists.
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
  const actions: HunkAction[] = [
    ...(keepable ? [{ label: 'Keep file', run: () => apply('keep') }] : []),
    { label: 'Undo file', run: () => apply('undo') },
  ]
  return (
    <>
      {file?.problem && (
        <span className="review-problem" title={file.problem}>
          <Icon name="warning" />
          {file.problem}
        </span>
      )}
      {queued ? (
        <span className="review-queued" role="status">
          Queued
        </span>
      ) : file ? (
        <HunkActions actions={actions} />
      ) : (
        <span className="review-faint">No changes left</span>
      )}
    </>
  )
}
