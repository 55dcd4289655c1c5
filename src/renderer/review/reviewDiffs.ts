import type { ReviewFile, ReviewScope } from '../../shared/review/review.ts'
import { on, request } from '../platform/bridge/bridge.ts'
import { openDiff, openFile } from '../platform/editor/editorService.ts'
import type { DiffTab } from '../platform/editor/tabsState.ts'
import { listOpenDiffs, updateDiff } from '../platform/editor/tabsStore.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { attempt } from '../platform/notices.ts'
import { Delayer } from '../../shared/async/delayer.ts'

function titleOf({ path, change, earlier }: ReviewFile): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (change === 'deleted') return `${name} (deleted)`
  return earlier ? `${name} (changes in one turn)` : `${name} (changes)`
}

/** Opens a file's changes side by side. The right side is the file's live text, so that the user can edit it. */
export async function openSideBySide(file: ReviewFile, scope: ReviewScope): Promise<void> {
  const { path } = file
  const detail = await request('review.file', { scope, path })
  const live = file.change !== 'deleted' && detail.content === 'text' && !detail.earlier
  if (live) await documents.open(path)
  const ready = live && documents.get(path)?.status === 'ready'
  openDiff({
    title: titleOf(file),
    path,
    original: detail.baseText,
    modified: ready ? null : detail.currentText,
    counts: { added: detail.added, removed: detail.removed },
    source: { feature: 'review', detail: scope },
  })
}

/**
 * Whether the editor cannot mark the changes: a deleted file, the changes since a checkpoint, which may already be
 * kept, or a turn before later changes to the file.
 */
function isOnlySideBySide(file: ReviewFile, scope: ReviewScope): boolean {
  return file.change === 'deleted' || file.earlier === true || (scope.kind === 'checkpoint' && file.content === 'text')
}

/** Opens a file at its first (1) or last (-1) change, or side by side if the editor cannot mark the changes. */
export async function openAtChange(
  file: ReviewFile,
  scope: ReviewScope,
  { direction = 1, focus = true }: { direction?: 1 | -1; focus?: boolean } = {},
): Promise<void> {
  const { path } = file
  if (isOnlySideBySide(file, scope)) return openSideBySide(file, scope)
  if (file.content !== 'text' || file.hunks === 0) return openFile(path, undefined, { focus })
  const { hunkList } = await request('review.hunks', { scope, path })
  const hunk = direction === 1 ? hunkList[0] : hunkList.at(-1)
  await openFile(path, hunk && { line: Math.max(1, hunk.current.start), column: 1 }, { focus })
}

/** Opens a file at a line of a hunk, or side by side if the editor cannot mark the changes. */
export async function openAtLine(
  file: ReviewFile,
  scope: ReviewScope,
  { line, focus }: { line: number; focus: boolean },
): Promise<void> {
  if (isOnlySideBySide(file, scope)) return openSideBySide(file, scope)
  await openFile(file.path, { line, column: 1 }, { focus })
}

/** Returns the scope of a review diff; null for other tabs. */
export function scopeOf(tab: DiffTab): ReviewScope | null {
  // Written by openSideBySide.
  return tab.source?.feature === 'review' ? (tab.source.detail as ReviewScope) : null
}

/** Milliseconds to wait for more changes before reloading the base of open diffs. */
const settleMs = 300

/**
 * Updates the left side of open diffs when changes are kept, or text outside the hunks is edited.
 * @returns a function that stops it
 */
export function followReviewDiffs(): () => void {
  const waiting = new Set<string>()
  const refresh = new Delayer(() => {
    const changed = listOpenDiffs('review').filter(({ path }) => waiting.has(path))
    waiting.clear()
    for (const tab of changed) attempt(() => refreshDiff(tab))
  }, settleMs)
  const stop = on('review.changed', ({ paths }) => {
    const open = listOpenDiffs('review').filter(({ path }) => paths === null || paths.includes(path))
    if (open.length === 0) return
    for (const { path } of open) waiting.add(path)
    refresh.start()
  })
  return () => {
    refresh.cancel()
    stop()
  }
}

async function refreshDiff(tab: DiffTab): Promise<void> {
  const scope = scopeOf(tab)
  if (!scope) return
  documents.flush()
  const detail = await request('review.file', { scope, path: tab.path }).catch(() => null)
  // Without changes, both sides are equal.
  const original = detail?.baseText ?? tab.modified ?? documents.buffer(tab.path)?.text() ?? tab.original
  const modified = tab.modified === null ? null : (detail?.currentText ?? tab.modified)
  const counts = { added: detail?.added ?? 0, removed: detail?.removed ?? 0 }
  const same = counts.added === tab.counts?.added && counts.removed === tab.counts.removed
  if (!same || original !== tab.original || modified !== tab.modified)
    updateDiff({ ...tab, original, modified, counts })
}
