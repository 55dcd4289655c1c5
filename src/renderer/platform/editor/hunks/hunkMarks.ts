import type { HunkKind } from '../../../../shared/diff/lineHunks.ts'
import { monaco } from '../monaco/monaco.ts'
import './hunks.css'

const rulers: Record<HunkKind, string> = {
  added: 'diffEditorOverview.insertedForeground',
  changed: 'diffEditorOverview.insertedForeground',
  removed: 'diffEditorOverview.removedForeground',
}

/**
 * The mark of a hunk at its lines in the text: color, gutter and overview ruler. `removed`: at the line before which the
 * lines were.
 */
export function hunkMark(kind: HunkKind): monaco.editor.IModelDecorationOptions {
  return {
    isWholeLine: true,
    ...(kind !== 'removed' && { className: 'diff-line-added' }),
    linesDecorationsClassName: `hunk-gutter hunk-gutter-${kind}`,
    overviewRuler: { color: { id: rulers[kind] }, position: monaco.editor.OverviewRulerLane.Center },
  }
}

/** The mark of lines in the text that a proposal removes. */
export const removedLinesMark: monaco.editor.IModelDecorationOptions = {
  isWholeLine: true,
  className: 'diff-line-removed',
  marginClassName: 'diff-line-removed hunk-margin-removed',
}
