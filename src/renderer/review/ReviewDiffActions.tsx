import { useEffect, useState } from 'react'
import type { ReviewFile, ReviewScope } from '../../shared/review/review.ts'
import { request } from '../platform/bridge/bridge.ts'
import type { DiffActionsProps } from '../platform/editor/diffContributions.tsx'
import { attempt } from '../platform/notices.ts'
import { applyReview, canKeep, scopeKey, useReview } from '../platform/review/reviewStore.ts'
import { HunkActions, type HunkAction } from '../ui/diff/HunkActions.tsx'
import { Icon } from '../ui/index.ts'
import { attachInlineReview } from './inline/inlineReview.tsx'
import { scopeOf } from './reviewDiffs.ts'
import './review.css'

/**
 * Returns a file's changes in the diff's scope, which may differ from the view's. Undefined if there are none, null
 * while unknown.
 */
function useFile(scope: ReviewScope | null, path: string): ReviewFile | undefined | null {
  const key = scope && scopeKey(scope)
  const pending = useReview((state) => state.pending)
  const summary = useReview((state) => (key === scopeKey(state.scope) ? state.summary : null))
  const listed = key === 'pending' ? pending : summary
  const isListed = listed !== null
  const [read, setRead] = useState<{ key: string; file: ReviewFile | undefined } | null>(null)
  useEffect(() => {
    if (scope === null || key === null || isListed) return
    let stale = false
    const store = (file?: ReviewFile) => {
      if (!stale) setRead({ key, file })
    }
    request('review.list', { scope }).then(
      ({ files }) => store(files.find((file) => file.path === path)),
      // The scope may be gone, for example with its conversation.
      () => store(),
    )
    return () => {
      stale = true
    }
    // A keep or undo in any scope also changes the pending changes.
  }, [scope, key, path, isListed, pending])
  if (listed !== null) return listed.files.find((file) => file.path === path)
  return read?.key === key ? read.file : null
}

/** Actions of a review diff for the whole file. The bar on the modified side acts on single hunks. */
export function ReviewDiffActions({ tab, diffEditor }: DiffActionsProps) {
  const scope = scopeOf(tab)
  const file = useFile(scope, tab.path)
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
      action === 'keep' ? `${tab.path} was not kept` : `${tab.path} was not undone`,
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
        file === undefined && <span className="review-faint">No changes left</span>
      )}
    </>
  )
}
