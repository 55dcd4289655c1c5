import type { editor } from 'monaco-editor'
import { request } from '../platform/bridge/bridge.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { changeRepository } from '../platform/git/gitStore.ts'
import { notify } from '../platform/notices.ts'
import type { GutterSession } from './gutterSession.ts'
import type { LineHunk } from '../../shared/diff/lineHunks.ts'
import { touchesLines } from '../../shared/diff/hunkParts.ts'
import { lineChangeOf } from './hunkLineChange.ts'

const lineIn = (text: string | null): ((line: number) => string) => {
  const lines = text?.split('\n') ?? []
  return (line) => lines[line - 1] ?? ''
}

export function headLines({ head }: Pick<GutterSession, 'head'>, { original: { start, count } }: LineHunk): string[] {
  return head?.split('\n').slice(start - 1, start - 1 + count) ?? []
}

/** The parts of a hunk that differ from the index; empty if the hunk is staged. */
export function unstagedParts({ hunks }: Pick<GutterSession, 'hunks'>, { modified }: LineHunk): LineHunk[] {
  const last = modified.start + Math.max(0, modified.count - 1)
  return hunks.index.filter((change) => touchesLines(change.modified, modified.start, last))
}

/** Stages a hunk of the editor's text, including unsaved changes. */
export async function stageHunk(codeEditor: editor.ICodeEditor, session: GutterSession, hunk: LineHunk): Promise<void> {
  const parts = unstagedParts(session, hunk)
  if (parts.length === 0) return notify('info', 'The change is already staged.')
  const model = codeEditor.getModel()
  const changes = parts.map((part) =>
    lineChangeOf(part, lineIn(session.index), (line) => model?.getLineContent(line) ?? ''),
  )
  // Main compares the lines with the tab's text.
  documents.flush()
  const { repository, path } = session
  await changeRepository(repository.id, 'Staging', (operation) =>
    request('git.applyLines', { repository: repository.id, operation, path, action: 'stage', changes }),
  )
}

/** Replaces hunks with their original lines, as one undo step. The file becomes unsaved. */
export function revertLines(
  codeEditor: editor.ICodeEditor,
  hunks: readonly LineHunk[],
  originalLine: (line: number) => string,
): void {
  const model = codeEditor.getModel()
  if (!model) return
  const shape: LineShape = { lineCount: model.getLineCount(), lengthOf: (line) => model.getLineMaxColumn(line) }
  const edits = hunks.map((hunk) => {
    const { start, count } = hunk.original
    const lines = Array.from({ length: count }, (_, index) => originalLine(start + index))
    return revertEdit(hunk, lines, shape)
  })
  codeEditor.pushUndoStop()
  codeEditor.executeEdits('tizona.git', edits)
  codeEditor.pushUndoStop()
}

/** Replaces a hunk with its lines at HEAD. */
export function revertHunk(codeEditor: editor.ICodeEditor, session: GutterSession, hunk: LineHunk): void {
  revertLines(codeEditor, [hunk], lineIn(session.head))
}

interface LineShape {
  lineCount: number
  /** Column after the last character of a line. */
  lengthOf: (line: number) => number
}

/** Pure: the edit that replaces a hunk with other lines. */
export function revertEdit({ modified }: LineHunk, lines: readonly string[], { lineCount, lengthOf }: LineShape) {
  const range = (startLineNumber: number, startColumn: number, endLineNumber: number, endColumn: number) => ({
    startLineNumber,
    startColumn,
    endLineNumber,
    endColumn,
  })
  const { start, count } = modified
  const last = start + count - 1
  if (count === 0 && start > lineCount)
    return {
      range: range(lineCount, lengthOf(lineCount), lineCount, lengthOf(lineCount)),
      text: `\n${lines.join('\n')}`,
    }
  if (count === 0) return { range: range(start, 1, start, 1), text: `${lines.join('\n')}\n` }
  if (lines.length > 0) return { range: range(start, 1, last, lengthOf(last)), text: lines.join('\n') }
  if (last < lineCount) return { range: range(start, 1, last + 1, 1), text: '' }
  if (start > 1) return { range: range(start - 1, lengthOf(start - 1), last, lengthOf(last)), text: '' }
  return { range: range(1, 1, last, lengthOf(last)), text: '' }
}
