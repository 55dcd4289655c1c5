import { ToolError } from './errors.ts'

/**
 * What main asks of the window that shows the workspace. Lines and columns are 1-based; columns count UTF-16 units, as
 * Monaco does. Field names in `EditorState` are the reference's (`get_editor_state`).
 */
export interface EditorState {
  /** Relative to the workspace; null when no file has the focus. */
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

/** The change an editor tool made: what stood there, what stands there now, and whether the tab is unsaved now. */
export interface EditorChange {
  path: string
  startLine: number
  startColumn: number
  endLine: number
  endColumn: number
  replaced: string
  dirty: boolean
}

/** What the editor marks in an open file. */
export interface EditorProblem {
  path: string
  line: number
  column: number
  severity: 'error' | 'warning'
  message: string
}

/** Main -> window. Each is answered once, or rejected with a `Failure`. */
export interface EditorAsks {
  'editor.state': { params: Record<string, never>; result: EditorState }
  /** Answers once the tab shows. */
  'editor.open': { params: { path: string; line?: number; column?: number }; result: EditorLocation }
  'editor.goto': { params: { line: number; column?: number }; result: EditorLocation }
  /** `text` is empty when nothing is selected. */
  'editor.selection': { params: Record<string, never>; result: EditorSelection }
  /** Of open files, at most 200, errors first. */
  'editor.problems': { params: Record<string, never>; result: { problems: EditorProblem[] } }
  /** Rejected with `conflict` when the selection is not `expected` any more. */
  'editor.replaceSelection': { params: { content: string; expected?: EditorSelection }; result: EditorChange }
  /** Rejected with `conflict` when the cursor is not where `expected` says any more. */
  'editor.insertAtCursor': { params: { content: string; expected?: EditorLocation }; result: EditorChange }
  /** The text of an open tab, `\n` line ends; null when the file is not open, and with `unsavedOnly` when the tab is clean. */
  'editor.buffer': { params: { path: string; unsavedOnly?: boolean }; result: { text: string; dirty: boolean } | null }
  /**
   * The new text of an open tab, as one undo step. `saved: true`: it stands on disk already under `stamp`, the tab becomes clean.
   * `saved: false`: the tab was dirty and stays so. Rejected with `conflict` when the tab's text is not `expected` any more.
   */
  'editor.applyText': {
    params: { path: string; expected: string; text: string; saved: boolean; stamp?: string }
    result: { applied: boolean }
  }
}
export type EditorAskName = keyof EditorAsks

/** Nothing is selected where a tool replaces the selection. */
export function noSelection(path: string): ToolError {
  return new ToolError(
    'no_selection',
    `Nothing is selected in ${path}.`,
    'Use insert_at_cursor, or ask the user to select the text.',
  )
}

/** No file has the focus where a tool needs a cursor. */
export function noActiveEditor(): ToolError {
  return new ToolError(
    'no_active_editor',
    'No text file has the focus in the editor.',
    'Open a file with open_file first.',
  )
}
