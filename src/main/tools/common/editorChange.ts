import type { EditorChange, EditorSelection } from '../../../shared/editorRequests.ts'
import type { FileDiff } from '../../../shared/tool.ts'
import { formatNumber } from '../../../shared/formatNumber.ts'
import { plural } from '../../../shared/plural.ts'
import { fileDiff } from '../../edit/diff.ts'
import type { ToolContext, ToolOutput, ToolPreview } from '../tool.ts'

/** Where a change stands. Lines and columns are 1-based, columns count UTF-16 units. */
type Place = Pick<EditorSelection, 'path' | 'startLine' | 'startColumn' | 'endLine' | 'endColumn'>

/** What putting `content` in place of a range of the open tab would change. An empty preview when the tab cannot be asked. */
export async function previewEditorChange(place: Place, content: string, context: ToolContext): Promise<ToolPreview> {
  const buffer = await context.editor.ask('editor.buffer', { path: place.path }, context.signal)
  if (!buffer) return {}
  const start = offsetAt(buffer.text, place.startLine, place.startColumn)
  const end = offsetAt(buffer.text, place.endLine, place.endColumn)
  const after = buffer.text.slice(0, start) + normalLineEnds(content) + buffer.text.slice(end)
  return { view: { kind: 'diff', files: [fileDiff(place.path, buffer.text, after)] } }
}

/** Says what an editor tool really changed, from the window's own answer, and shows it as a diff. */
export async function describeEditorChange(
  what: string,
  change: EditorChange,
  content: string,
  context: ToolContext,
): Promise<ToolOutput> {
  const place = `${change.path}, line ${change.startLine} column ${change.startColumn} to line ${change.endLine} column ${change.endColumn}`
  const saved = change.dirty
    ? 'The tab has unsaved changes now; commands see them after it is saved.'
    : 'The file is saved.'
  const diff = await diffOf(change, content, context)
  return {
    text: `${what} in ${place} (${plural(change.replaced.length, 'character')} out, ${formatNumber(content.length)} in). ${saved}`,
    view: diff
      ? { kind: 'diff', files: [diff], unsaved: change.dirty }
      : { kind: 'editor', action: 'change', path: change.path, line: change.startLine, text: content },
  }
}

/** The change as a diff; undefined when the tab does not hold what was put there any more (the user typed on, or closed it). */
async function diffOf(change: EditorChange, content: string, context: ToolContext): Promise<FileDiff | undefined> {
  // The change stands already: a window that went in this moment must not make it a failure.
  const buffer = await context.editor.ask('editor.buffer', { path: change.path }, context.signal).catch(() => null)
  if (!buffer) return undefined
  const inserted = normalLineEnds(content)
  const start = offsetAt(buffer.text, change.startLine, change.startColumn)
  if (!buffer.text.startsWith(inserted, start)) return undefined
  const before =
    buffer.text.slice(0, start) + normalLineEnds(change.replaced) + buffer.text.slice(start + inserted.length)
  return fileDiff(change.path, before, buffer.text)
}

/** Tabs answer with `\n` line ends, whatever the file has. */
function normalLineEnds(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n')
}

/** The offset of a place in a text with `\n` line ends; its end for a line beyond it. */
function offsetAt(text: string, line: number, column: number): number {
  let start = 0
  for (let at = 1; at < line; at += 1) {
    const newline = text.indexOf('\n', start)
    if (newline === -1) return text.length
    start = newline + 1
  }
  return Math.min(start + column - 1, text.length)
}
