import type { ReviewFile } from '../../shared/review/review.ts'
import { plural } from '../../shared/text/plural.ts'
import { defineCondition, handleCommand, runCommand } from '../platform/commands.ts'
import { contributeEditorExtension } from '../platform/editor/editorExtensions.ts'
import { contributeDiffActions } from '../platform/editor/diffContributions.tsx'
import { activeTab } from '../platform/editor/tabsStore.ts'
import { focusAfterRender, focusRegionNamed } from '../platform/layout/focusRegions.ts'
import { lazyView } from '../platform/layout/lazyView.tsx'
import { showSideBar } from '../platform/layout/layoutStore.ts'
import { notify } from '../platform/notices.ts'
import {
  applyReview,
  followReview,
  latestPending,
  pendingFile,
  redoReview,
  revertReview,
  useReview,
} from '../platform/review/reviewStore.ts'
import { followReviewDiffs, openAtChange, openSideBySide, scopeOf } from './reviewDiffs.ts'
import { changesOf } from './visibleChanges.ts'

/** Path of the file or diff in the active tab. */
function activeFile(): string | null {
  const tab = activeTab()
  return tab === null || tab.kind === 'page' ? null : tab.path
}

/** Whether next and previous change stop at a file. */
const canStop = (file: ReviewFile) => file.hunks > 0 || file.change === 'deleted'

/** Goes to the next (1) or previous (-1) change, continuing in the next file after a file's last change. */
export async function stepChange(direction: 1 | -1): Promise<void> {
  const path = activeFile()
  const here = path === null ? undefined : changesOf(path)
  if (here?.step(direction)) return
  // The agent's answer may be visible before its changes are listed.
  const files = (await latestPending()).files.filter(canStop)
  const at = files.findIndex((file) => file.path === path)
  const from = at < 0 && direction === -1 ? 0 : at
  const next = files[(from + direction + files.length) % files.length]
  if (!next) return
  if (next.path === path && here) here.goToEnd(direction)
  else await openAtChange(next, { kind: 'pending' }, { direction })
}

/** Acts on the focused row in the review view, or else on the change with the bar in the editor. */
async function applyHere(action: 'keep' | 'undo'): Promise<void> {
  const row = document.activeElement?.closest('.review-list')?.querySelector<HTMLElement>('[aria-selected="true"]')
  const { path: listed, hunk, revision } = row?.dataset ?? {}
  if (listed !== undefined) {
    const target = { path: listed, ...(hunk !== undefined && { hunks: [hunk], revision: Number(revision) }) }
    await applyReview(action, useReview.getState().scope, [target])
    return
  }
  const path = activeFile()
  if (path === null || !changesOf(path)?.applyActive(action))
    notify('info', 'There is no change to review at the cursor.', { detail: 'Go to the next change first.' })
}

function commentHere(): void {
  const path = activeFile()
  if (path === null || !changesOf(path)?.commentActive())
    notify('info', 'There is no change to comment on at the cursor.', { detail: 'Go to the next change first.' })
}

async function applyToFile(action: 'keep' | 'undo'): Promise<void> {
  const path = activeFile()
  if (path === null) return
  const tab = activeTab()
  const scope = (tab?.kind === 'diff' && scopeOf(tab)) || { kind: 'pending' as const }
  await applyReview(action, scope, [{ path }])
}

/** Keeps or undoes all changes of the view's scope, as one undoable step. */
export async function applyToAll(action: 'keep' | 'undo'): Promise<void> {
  const { changed, queued } = await applyReview(action, useReview.getState().scope, 'all')
  if (queued || changed.length === 0) return
  const files = plural(changed.length, 'file')
  notify('success', action === 'keep' ? `Kept the changes in ${files}.` : `Undid the changes in ${files}.`, {
    actions: [{ label: 'Revert', run: () => void revertReview() }],
  })
}

/** Keeps all changes of the view's scope, then stages the files and lets the model draft a commit message. */
export async function keepAllAndCommit(): Promise<void> {
  const { scope, summary, pending } = useReview.getState()
  const files = scope.kind === 'pending' ? pending.files : (summary?.files ?? [])
  const { changed, queued } = await applyReview('keep', scope, 'all')
  if (queued) {
    notify('info', 'The changes will be kept when the running call ends.', { detail: 'Commit them after that.' })
    return
  }
  const kept = new Set(changed)
  const paths = files
    .filter(({ path }) => kept.has(path))
    .flatMap(({ path, renamedFrom }) => (renamedFrom === undefined ? [path] : [path, renamedFrom]))
  if (paths.length > 0) runCommand('git.prepareCommit', paths)
}

async function openActiveSideBySide(): Promise<void> {
  const path = activeFile()
  const file = path === null ? undefined : pendingFile(path)
  if (file) await openSideBySide(file, { kind: 'pending' })
  else notify('info', 'The active file has no changes to review.')
}

/**
 * Registers the review's commands, inline hunks and diff actions, and keeps its lists current.
 * @returns a function that unregisters them
 */
export function registerReview(): () => void {
  contributeDiffActions(
    'review',
    lazyView(async () => (await import('./ReviewDiffActions.tsx')).ReviewDiffActions, null),
  )
  defineCondition('changes', () => useReview.getState().pending.files.length > 0)
  const stops = [
    followReview(),
    followReviewDiffs(),
    contributeEditorExtension(async () => (await import('./inline/inlineReview.tsx')).attachInlineReview),
    handleCommand('view.review', () => {
      showSideBar('review')
      focusAfterRender(() => focusRegionNamed('side-bar'))
    }),
    handleCommand('review.next', () => stepChange(1)),
    handleCommand('review.previous', () => stepChange(-1)),
    handleCommand('review.keep', () => applyHere('keep')),
    handleCommand('review.undo', () => applyHere('undo')),
    handleCommand('review.comment', commentHere),
    handleCommand('review.keepFile', () => applyToFile('keep')),
    handleCommand('review.undoFile', () => applyToFile('undo')),
    handleCommand('review.keepAll', () => applyToAll('keep')),
    handleCommand('review.undoAll', () => applyToAll('undo')),
    handleCommand('review.keepAllAndCommit', keepAllAndCommit),
    handleCommand('review.openDiff', openActiveSideBySide),
    handleCommand('review.revert', revertReview),
    handleCommand('review.redo', redoReview),
  ]
  return () => stops.forEach((stop) => stop())
}
