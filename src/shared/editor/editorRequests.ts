import { ToolError } from '../errors.ts'

/**
 * State of the editor, with the field names of the `get_editor_state` tool. In this file, lines and columns are 1-based
 * and columns count UTF-16 units, as in Monaco.
 */
export interface EditorState {
  /** Workspace-relative path; null if no file is active. */
  active_file: string | null
  open_files: string[]
  active_tab_index: number | null
  cursor_line: number | null
  cursor_column: number | null
  selection_start_line: number | null
  selection_end_line: number | null
}

export interface EditorLocation {
  path: string
  line: number
  column: number
}

export interface EditorSelection {
  path: string
  text: string
  startLine: number
  startColumn: number
  endLine: number
  endColumn: number
}

/** A change made by an editor tool: the range of the new text, the replaced text, and whether the tab is unsaved. */
export interface EditorChange {
  path: string
  startLine: number
  startColumn: number
  endLine: number
  endColumn: number
  replaced: string
  dirty: boolean
}

/** An error or warning in an open file. */
export interface EditorProblem {
  path: string
  line: number
  column: number
  severity: 'error' | 'warning'
  message: string
}

/**
 * Requests from main to the window that shows the workspace. The window responds once to each, with a result or a
 * `Failure`.
 */
export interface EditorRequests {
  'editor.state': { params: Record<string, never>; result: EditorState }
  /** Resolves when the tab is shown. */
  'editor.open': { params: { path: string; line?: number; column?: number }; result: EditorLocation }
  /**
   * Shows a file that a command line opens, also a new one, or its differences to another one.
   * @returns the path of its tab
   */
  'editor.show': {
    params: { path: string; line?: number | undefined; column?: number | undefined; compareWith?: string }
    result: { path: string }
  }
  'editor.goto': { params: { line: number; column?: number }; result: EditorLocation }
  /** `text` is empty if nothing is selected. */
  'editor.selection': { params: Record<string, never>; result: EditorSelection }
  /** Problems in open files, at most 200, errors first. */
  'editor.problems': { params: Record<string, never>; result: { problems: EditorProblem[] } }
  /** @throws conflict if the selection is no longer `expected` */
  'editor.replaceSelection': { params: { content: string; expected?: EditorSelection }; result: EditorChange }
  /** @throws conflict if the cursor is no longer at `expected` */
  'editor.insertAtCursor': { params: { content: string; expected?: EditorLocation }; result: EditorChange }
  /**
   * Returns the text of an open tab with `\n` line endings; null if the file is not open or, with `unsavedOnly`, not
   * modified.
   */
  'editor.buffer': { params: { path: string; unsavedOnly?: boolean }; result: { text: string; dirty: boolean } | null }
  /**
   * Replaces the text of an open tab as one undo step. `saved`: the text is already on disk as version `stamp`, so the
   * tab becomes clean; otherwise it stays unsaved. If the tab's text is no longer `expected`, merges the change with
   * what the user typed, and the tab stays unsaved.
   * @returns the tab's text before and after a merge
   * @throws conflict if the user changed the same lines
   */
  'editor.applyText': {
    params: { path: string; expected: string; text: string; saved: boolean; stamp?: string }
    result: { applied: boolean; merged?: { before: string; after: string } }
  }
}
export type EditorRequestName = keyof EditorRequests

/** Error for a tool that needs a selection. */
export function noSelection(path: string): ToolError {
  return new ToolError(
    'no_selection',
    `Nothing is selected in ${path}.`,
    'Use insert_at_cursor, or ask the user to select the text.',
  )
}

/** Error for a tool that needs a cursor. */
export function noActiveEditor(): ToolError {
  return new ToolError(
    'no_active_editor',
    'No text file has the focus in the editor.',
    'Open a file with open_file first.',
  )
}
