import { memo, useEffect } from 'react'
import { plural } from '../../shared/text/plural.ts'
import type { ReviewFile, ReviewScope, ReviewExcerpt, ReviewFileExcerpts } from '../../shared/review/review.ts'
import { shortcutOf } from '../platform/commands.ts'
import { useReview, scopeKey } from '../platform/review/reviewStore.ts'
import { DiffCounts } from '../ui/diff/DiffCounts.tsx'
import { DiffHunks } from '../ui/diff/DiffExcerpt.tsx'
import { HunkActions, type HunkAction } from '../ui/diff/HunkActions.tsx'
import { create } from 'zustand'
import { toFailure } from '../../shared/errors.ts'
import { request } from '../platform/bridge/bridge.ts'

export interface HunkTarget {
  path: string
  hunk: string
  revision: number
}

export interface HunkRowActions {
  /** Opens a file at a line. */
  openHunk(file: ReviewFile, index: number, line: number, options: { focus: boolean }): void
  applyHunk(action: 'keep' | 'undo', target: HunkTarget): void
}

interface ReviewHunkRowProps {
  file: ReviewFile
  scope: ReviewScope
  /** Position of the hunk in its file, from 0. */
  index: number
  id: string
  active: boolean
  canKeep: boolean
  /** The same object for each rendering. */
  actions: HunkRowActions
}

/** A hunk of a file: its lines with context, and its actions. */
export const ReviewHunkRow = memo(function ReviewHunkRow(props: ReviewHunkRowProps) {
  const { file, scope, index, id, active, canKeep, actions } = props
  const queued = useReview((state) => state.queued.has(file.path))
  const shown = useExcerpt(scope, file, index)
  const row = { id, className: 'review-hunk', role: 'treeitem', 'aria-level': 2, 'aria-selected': active } as const
  const position = `Change ${index + 1} of ${file.hunks} in ${file.path}`
  if (shown === null || 'failure' in shown)
    return (
      <div {...row} aria-label={position}>
        <div className="review-hunk-loading">{shown?.failure ?? 'Loading lines…'}</div>
      </div>
    )
  const { excerpt, revision } = shown
  const { base, current, lines, hidden } = excerpt
  const line = Math.max(1, current.start)
  const target: HunkTarget = { path: file.path, hunk: excerpt.id, revision }
  const hunkActions: HunkAction[] = [
    {
      icon: 'discard',
      label: 'Undo this change',
      shortcut: shortcutOf('review.undo'),
      run: () => actions.applyHunk('undo', target),
    },
    ...(canKeep
      ? [
          {
            icon: 'check',
            label: 'Keep this change',
            shortcut: shortcutOf('review.keep'),
            run: () => actions.applyHunk('keep', target),
          },
        ]
      : []),
  ]
  return (
    <div
      {...row}
      aria-label={`${position}: line ${line}, ${plural(current.count, 'line')} added, ${base.count} removed`}
      data-path={file.path}
      data-hunk={excerpt.id}
      data-revision={revision}
      data-line={line}
      onClick={() => actions.openHunk(file, index, line, { focus: false })}
      onDoubleClick={() => actions.openHunk(file, index, line, { focus: true })}
    >
      <div className="review-hunk-bar">
        <span className="review-hunk-place">{`Line ${line}`}</span>
        <DiffCounts added={current.count} removed={base.count} />
        <span className="review-space" />
        {queued ? (
          <span className="review-queued" role="status">
            Queued
          </span>
        ) : (
          // A click on a button must not open the file.
          <span className="review-hunk-actions" onClick={(event) => event.stopPropagation()}>
            <HunkActions actions={hunkActions} tabIndex={active ? 0 : -1} />
          </span>
        )}
      </div>
      <DiffHunks hunks={[lines]} label="Changed lines" wrap />
      {hidden > 0 && <div className="review-hunk-more">{plural(hidden, 'more changed line')}</div>}
    </div>
  )
})

/** Maximum number of files whose excerpts are cached. */
const maxFiles = 100

type Loaded = ReviewFileExcerpts | { failure: string; revision: number }

const useExcerpts = create<{ files: ReadonlyMap<string, Loaded> }>(() => ({ files: new Map() }))
/** Revisions that are being requested, by file. */
const requested = new Map<string, number>()

const keyOf = (scope: ReviewScope, path: string) => `${scopeKey(scope)}\n${path}`

/** Reloads a file's excerpts. */
async function load(scope: ReviewScope, { path, revision }: Pick<ReviewFile, 'path' | 'revision'>): Promise<void> {
  const key = keyOf(scope, path)
  if (requested.get(key) === revision) return
  requested.set(key, revision)
  const loaded = await request('review.excerpts', { scope, path }).catch((error: unknown): Loaded => ({
    failure: toFailure(error).message,
    revision,
  }))
  if (requested.get(key) === revision) requested.delete(key)
  useExcerpts.setState(({ files }) => {
    const next = new Map(files)
    next.delete(key)
    next.set(key, loaded)
    for (const oldest of next.keys()) {
      if (next.size <= maxFiles) break
      next.delete(oldest)
    }
    return { files: next }
  })
}

/**
 * Returns a hunk's excerpt, or why there is none; null until it is loaded. While the file reloads after a change,
 * returns the earlier excerpt.
 */
function useExcerpt(
  scope: ReviewScope,
  file: ReviewFile,
  index: number,
): { excerpt: ReviewExcerpt; revision: number } | { failure: string } | null {
  const loaded = useExcerpts(({ files }) => files.get(keyOf(scope, file.path)))
  const isOld = loaded?.revision !== file.revision
  useEffect(() => {
    if (isOld) void load(scope, file)
  }, [scope, file, isOld])
  if (!loaded || 'failure' in loaded) return loaded ?? null
  const excerpt = loaded.excerpts[index]
  return excerpt ? { excerpt, revision: loaded.revision } : null
}
