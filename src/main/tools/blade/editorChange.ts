import type { EditorChange } from '../../../shared/editor.ts'
import type { ToolOutput } from '../tool.ts'

/** Says what an editor tool really changed, from the window's own answer. */
export function describeEditorChange(what: string, change: EditorChange, content: string): ToolOutput {
  const place = `${change.path}, line ${change.startLine} column ${change.startColumn} to line ${change.endLine} column ${change.endColumn}`
  const saved = change.dirty ? 'The tab has unsaved changes now; commands see them after it is saved.' : 'The file is saved.'
  return {
    text: `${what} in ${place} (${change.replaced.length} characters out, ${content.length} in). ${saved}`,
    view: { kind: 'editor', action: 'change', path: change.path, line: change.startLine, text: content },
  }
}
