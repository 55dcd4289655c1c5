import type { EditorChange, EditorSelection } from '../../../shared/editor/editorRequests.ts'
import type { FileDiff } from '../../../shared/tools/tool.ts'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { plural } from '../../../shared/text/plural.ts'
import { fileDiff } from '../../edit/fileDiff.ts'
import type { ToolContext, ToolOutput, ToolPreview } from './toolDefinition.ts'

/** Range of a change. Lines and columns are 1-based; columns count UTF-16 units. */
type Place = Pick<EditorSelection, 'path' | 'startLine' | 'startColumn' | 'endLine' | 'endColumn'>

/** Returns the file with the selection. @throws ToolError without a window or an active file */
export async function selectedFile({ editor, signal }: Pick<ToolContext, 'editor' | 'signal'>): Promise<string> {
  return (await editor.ask('editor.selection', {}, signal)).path
}

/** Previews the replacement of a range in an open tab. The preview is empty if the tab does not answer. */
export async function previewEditorChange(place: Place, content: string, context: ToolContext): Promise<ToolPreview> {
  const buffer = await context.editor.ask('editor.buffer', { path: place.path }, context.signal)
  if (!buffer) return {}
  const start = offsetAt(buffer.text, place.startLine, place.startColumn)
  const end = offsetAt(buffer.text, place.endLine, place.endColumn)
  const after = buffer.text.slice(0, start) + normalLineEnds(content) + buffer.text.slice(end)
  return { view: { kind: 'diff', files: [fileDiff(place.path, buffer.text, after)] } }
}

/** Reports a change in the editor with a diff. @param action start of the sentence, e.g. `Inserted the text` */
export async function describeEditorChange(
  action: string,
  change: EditorChange,
  content: string,
  context: ToolContext,
): Promise<ToolOutput> {
  const place = `${change.path}, line ${change.startLine} column ${change.startColumn} to line ${change.endLine} column ${change.endColumn}`
  const saved = change.dirty
    ? 'The tab now has unsaved changes; commands see them only after it is saved.'
    : 'The file is saved.'
  const diff = await diffOf(change, content, context)
  return {
    text: `${action} in ${place} (${plural(change.replaced.length, 'character')} removed, ${formatNumber(content.length)} inserted). ${saved}`,
    view: diff
      ? { kind: 'diff', files: [diff], unsaved: change.dirty }
      : { kind: 'editor', action: 'change', path: change.path, line: change.startLine, text: content },
  }
}

/** Returns the change as a diff, or undefined if the tab was changed or closed since. */
async function diffOf(change: EditorChange, content: string, context: ToolContext): Promise<FileDiff | undefined> {
  // The change is already made, so a closed window must not turn it into a failure.
  const buffer = await context.editor.ask('editor.buffer', { path: change.path }, context.signal).catch(() => null)
  if (!buffer) return undefined
  const inserted = normalLineEnds(content)
  const start = offsetAt(buffer.text, change.startLine, change.startColumn)
  if (!buffer.text.startsWith(inserted, start)) return undefined
  const before =
    buffer.text.slice(0, start) + normalLineEnds(change.replaced) + buffer.text.slice(start + inserted.length)
  return fileDiff(change.path, before, buffer.text)
}

/** Converts line endings to `\n`, as in tabs. */
function normalLineEnds(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n')
}

/**
 * Returns the offset of a position in a text with `\n` line endings; the length of the text for a line beyond its end.
 */
function offsetAt(text: string, line: number, column: number): number {
  let start = 0
  for (let at = 1; at < line; at += 1) {
    const newline = text.indexOf('\n', start)
    if (newline === -1) return text.length
    start = newline + 1
  }
  return Math.min(start + column - 1, text.length)
}
