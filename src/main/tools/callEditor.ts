import { noActiveEditor, type EditorLocation, type EditorSelection } from '../../shared/editor/editorRequests.ts'
import { ToolError } from '../../shared/errors.ts'
import { portWith, type EditorPort } from '../workspace/editorPort.ts'

/** The state of the editor while a call was checked and previewed. */
interface Seen {
  selection?: EditorSelection
  cursor?: EditorLocation
}

/** The editor in the two phases of one call. */
export interface CallEditor {
  /** Used before the approval. Only the user sees what it returns. */
  before: EditorPort
  /** Used afterwards. Changes to the active file are limited to what was approved. */
  after: EditorPort
}

/**
 * Creates the editor of a call. No argument names the active file, so the call may only change what was checked and
 * shown for approval: the window refuses if the user has selected something else in the meantime.
 * @param editor the editor before the approval
 * @param guarded the same editor without the text of secret files
 * @param approved real paths that the call may change; may grow until the editor is used
 */
export function createCallEditor(editor: EditorPort, guarded: EditorPort, approved: ReadonlySet<string>): CallEditor {
  const seen: Seen = {}

  async function selection(signal?: AbortSignal): Promise<EditorSelection> {
    seen.selection = await editor.ask('editor.selection', {}, signal)
    return seen.selection
  }

  async function cursor(signal?: AbortSignal): Promise<EditorLocation> {
    const { active_file: path, cursor_line: line, cursor_column: column } = await state(signal)
    if (path === null || line === null || column === null) throw noActiveEditor()
    return { path, line, column }
  }

  async function state(signal?: AbortSignal) {
    const found = await editor.ask('editor.state', {}, signal)
    const { active_file: path, cursor_line: line, cursor_column: column } = found
    seen.cursor = path === null || line === null || column === null ? undefined : { path, line, column }
    return found
  }

  return {
    before: portWith(editor, {
      'editor.selection': (_params, signal) => selection(signal),
      'editor.state': (_params, signal) => state(signal),
    }),
    after: portWith(guarded, {
      async 'editor.replaceSelection'(params, signal) {
        const expected = seen.selection ?? (await selection(signal))
        requireApproved(expected.path, approved)
        return editor.ask('editor.replaceSelection', { ...params, expected }, signal)
      },
      async 'editor.insertAtCursor'(params, signal) {
        const expected = seen.cursor ?? (await cursor(signal))
        requireApproved(expected.path, approved)
        return editor.ask('editor.insertAtCursor', { ...params, expected }, signal)
      },
    }),
  }
}

/** @throws ToolError `conflict` if the user activated another file since the call was checked */
function requireApproved(path: string, approved: ReadonlySet<string>): void {
  if (!approved.has(path))
    throw new ToolError(
      'conflict',
      `Another file, ${path}, became active while the edit was checked.`,
      'Check which file is active, then repeat the edit.',
    )
}
