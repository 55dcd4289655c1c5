import type { HunkKind } from '../../../../shared/diff/lineHunks.ts'
import { monaco } from '../monaco/monaco.ts'
import './hunks.css'

const rulers: Record<HunkKind, string> = {
  added: 'diffEditorOverview.insertedForeground',
  changed: 'diffEditorOverview.insertedForeground',
  removed: 'diffEditorOverview.removedForeground',
}

/**
 * Marks a hunk's lines with a color, in the gutter and in the overview ruler. `removed`: marks the line after the
 * removed ones.
 */
export function hunkMark(kind: HunkKind): monaco.editor.IModelDecorationOptions {
  return {
    isWholeLine: true,
    ...(kind !== 'removed' && { className: 'diff-line-added' }),
    linesDecorationsClassName: `hunk-gutter hunk-gutter-${kind}`,
    overviewRuler: { color: { id: rulers[kind] }, position: monaco.editor.OverviewRulerLane.Center },
  }
}

export const removedLinesMark: monaco.editor.IModelDecorationOptions = {
  isWholeLine: true,
  className: 'diff-line-removed',
  marginClassName: 'diff-line-removed hunk-margin-removed',
}
