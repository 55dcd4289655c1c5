import { useEffect, useState } from 'react'
import type { editor } from 'monaco-editor'
import type { LineHunk, LineRange } from '../../../shared/diff/lineHunks.ts'
import { touchesLines } from '../../../shared/diff/hunkParts.ts'

/** A change in Monaco's format. An end line of 0 means that the side is empty after its start line. */
interface MonacoChange {
  originalStartLineNumber: number
  originalEndLineNumber: number
  modifiedStartLineNumber: number
  modifiedEndLineNumber: number
}

const range = (start: number, end: number): LineRange =>
  end === 0 ? { start: start + 1, count: 0 } : { start, count: end - start + 1 }

/** Converts Monaco's change to a hunk. */
export function hunkOf(change: MonacoChange): LineHunk {
  return {
    original: range(change.originalStartLineNumber, change.originalEndLineNumber),
    modified: range(change.modifiedStartLineNumber, change.modifiedEndLineNumber),
  }
}

/** The hunks of a diff, and the cursor on its modified side. */
export interface DiffPosition {
  hunks: readonly LineHunk[]
  /** Index of the hunk at the cursor; -1 between hunks. */
  current: number
  line: number
  /** Selected lines of the modified side; null for an empty selection. */
  selected: { first: number; last: number } | null
}

const nowhere: DiffPosition = { hunks: [], current: -1, line: 1, selected: null }

/** Returns an added file's lines as a hunk, without the empty line that Monaco shows after the last line break. */
export function addedHunk(text: Pick<editor.ITextModel, 'getLineCount' | 'getLineLength'>): LineHunk {
  const last = text.getLineCount()
  const count = last > 1 && text.getLineLength(last) === 0 ? last - 1 : last
  return { original: { start: 1, count: 0 }, modified: { start: 1, count } }
}

/**
 * Returns an editor's hunks and its cursor's position among them.
 * @param shown `added`: the editor shows an added file
 */
function positionIn(
  shown: { diff: editor.IStandaloneDiffEditor } | { added: editor.IStandaloneCodeEditor },
): DiffPosition {
  const model = 'added' in shown ? shown.added.getModel() : null
  const hunks = 'diff' in shown ? (shown.diff.getLineChanges() ?? []).map(hunkOf) : model ? [addedHunk(model)] : []
  const selection = ('diff' in shown ? shown.diff.getModifiedEditor() : shown.added).getSelection()
  const line = selection?.positionLineNumber ?? 1
  // A selection that ends at the start of a line does not include that line.
  const last =
    selection && selection.endColumn === 1 && selection.endLineNumber > selection.startLineNumber
      ? selection.endLineNumber - 1
      : (selection?.endLineNumber ?? 1)
  return {
    hunks,
    current: hunks.findIndex(({ modified }) => touchesLines(modified, line, line)),
    line,
    selected: selection && !selection.isEmpty() ? { first: selection.startLineNumber, last } : null,
  }
}

/** Tracks the hunks of a diff, and the cursor on its modified side. @param added editor of an added file */
export function useDiffPosition(
  diffEditor: editor.IStandaloneDiffEditor | null,
  added: editor.IStandaloneCodeEditor | null,
): DiffPosition {
  const [position, setPosition] = useState(nowhere)
  useEffect(() => {
    const shown = diffEditor ? { diff: diffEditor } : added ? { added } : null
    if (!shown) return setPosition(nowhere)
    const update = () => setPosition(positionIn(shown))
    update()
    const subscriptions = diffEditor
      ? [diffEditor.onDidUpdateDiff(update), diffEditor.getModifiedEditor().onDidChangeCursorSelection(update)]
      : [added?.onDidChangeModelContent(update), added?.onDidChangeCursorSelection(update)]
    return () => subscriptions.forEach((subscription) => subscription?.dispose())
  }, [diffEditor, added])
  return position
}

/** Pure: returns the index of the next (1) or previous (-1) hunk, wrapping around; -1 if there are no hunks. */
export function indexAfterStep({ hunks, current, line }: DiffPosition, step: 1 | -1): number {
  if (hunks.length === 0) return -1
  if (current >= 0) return (current + step + hunks.length) % hunks.length
  // If the cursor is between hunks, the next one is the first after the cursor.
  const after = hunks.findIndex(({ modified }) => modified.start > line)
  if (step === 1) return Math.max(0, after)
  return after <= 0 ? hunks.length - 1 : after - 1
}

/** Moves the cursor on the modified side to the next (1) or previous (-1) hunk, wrapping around. */
export function stepHunk(diffEditor: editor.IStandaloneDiffEditor, position: DiffPosition, step: 1 | -1): void {
  const hunk = position.hunks[indexAfterStep(position, step)]
  const modified = diffEditor.getModifiedEditor()
  if (!hunk) return
  const first = Math.max(1, Math.min(modified.getModel()?.getLineCount() ?? 1, hunk.modified.start))
  modified.setPosition({ lineNumber: first, column: 1 })
  modified.revealLineInCenter(first)
  modified.focus()
}
