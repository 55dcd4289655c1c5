import {
  noActiveEditor,
  noSelection,
  type EditorRequests,
  type EditorChange,
  type EditorSelection,
  type EditorState,
} from '../../shared/editor/editorRequests.ts'
import { ToolError } from '../../shared/errors.ts'
import { isOutsideFile } from '../../shared/files/outsideFiles.ts'
import type { Bridge } from '../platform/bridge/bridge.ts'
import type { Documents } from '../platform/editor/documents/tabDocuments.ts'
import { listOpenPaths, visibleFile, useTabs } from '../platform/editor/tabsStore.ts'
import { viewOf, type EditorView, type Position, type TextRange } from '../platform/editor/editorViews.ts'

export interface EditorRequestDeps {
  documents: Documents
  /** Opens a file and resolves with the cursor position when it is visible. @throws ToolError if it cannot be shown */
  openFile: (path: string, position?: Position) => Promise<Position>
}

type Handlers = {
  // The workbench answers `editor.show`.
  [N in Exclude<keyof EditorRequests, 'editor.show'>]: (
    params: EditorRequests[N]['params'],
  ) => Promise<EditorRequests[N]['result']>
}

/** Creates handlers for main's editor requests, which editor tools and mentions use. */
export function createEditorRequestHandlers({ documents, openFile }: EditorRequestDeps): Handlers {
  const replace = (view: EditorView, path: string, range: TextRange, content: string) =>
    replaceRange(documents, view, path, range, content)

  return {
    'editor.state': async () => editorState(),

    async 'editor.open'({ path, line, column }) {
      const position = await openFile(path, line === undefined ? undefined : { line, column: column ?? 1 })
      return { path, ...position }
    },

    async 'editor.goto'({ line, column = 1 }) {
      const view = activeView()
      return { path: view.file, ...view.goTo({ line, column }) }
    },

    async 'editor.selection'() {
      const view = activeView()
      return { path: view.file, ...view.selection() }
    },

    async 'editor.replaceSelection'({ content, expected }) {
      const view = activeView()
      const selection = view.selection()
      if (selection.text === '') {
        throw noSelection(view.file)
      }
      if (expected && !isSame(expected, { path: view.file, ...selection })) {
        throw new ToolError(
          'conflict',
          `The selection has changed since the edit of ${expected.path}, line ${expected.startLine}, was previewed.`,
          'Read the selection again, then repeat the edit.',
        )
      }
      return replace(view, view.file, selection, content)
    },

    async 'editor.insertAtCursor'({ content, expected }) {
      const view = activeView()
      const { line, column } = view.cursor()
      if (expected && (expected.path !== view.file || expected.line !== line || expected.column !== column)) {
        throw new ToolError(
          'conflict',
          `The cursor has moved since the edit of ${expected.path}, line ${expected.line}, was previewed.`,
          'Read the cursor position again, then repeat the edit.',
        )
      }
      return replace(
        view,
        view.file,
        { startLine: line, startColumn: column, endLine: line, endColumn: column },
        content,
      )
    },

    async 'editor.problems'() {
      const paths = listOpenPaths(useTabs.getState()).filter((path) => !isOutsideFile(path))
      // Without an open file there are no problems, and Monaco may not be loaded.
      return { problems: paths.length === 0 ? [] : (await import('./problems.ts')).problemsOf(paths) }
    },

    async 'editor.buffer'({ path, unsavedOnly = false }) {
      if (isOutsideFile(path)) return null
      if (documents.get(path)?.status === 'loading') await documents.open(path)
      const buffer = documents.buffer(path)
      const dirty = documents.get(path)?.dirty ?? false
      return buffer && (dirty || !unsavedOnly) ? { text: buffer.text(), dirty } : null
    },

    async 'editor.applyText'(params) {
      return isOutsideFile(params.path) ? { applied: false } : documents.applyText(params)
    },
  }
}

/** The active file, unless it is outside the folder: tools must not read its text. */
function visibleInFolder(...state: Parameters<typeof visibleFile>): ReturnType<typeof visibleFile> {
  const shown = visibleFile(...state)
  return shown && isOutsideFile(shown.path) ? null : shown
}

/** Returns the active file's view. @throws ToolError if no file is active or its editor is not ready */
function activeView(): EditorView & { file: string } {
  const shown = visibleInFolder()
  const view = shown && viewOf(shown.groupId)
  const file = shown?.path
  if (!view || file === undefined || view.path() !== file) throw noActiveEditor()
  return { ...view, file }
}

function editorState(): EditorState {
  const tabs = useTabs.getState()
  const shown = visibleInFolder(tabs)
  const file = shown?.path ?? null
  const open = listOpenPaths(tabs).filter((path) => !isOutsideFile(path))
  const state: EditorState = {
    active_file: file,
    open_files: open,
    active_tab_index: file === null ? null : open.indexOf(file),
    cursor_line: null,
    cursor_column: null,
    selection_start_line: null,
    selection_end_line: null,
  }
  const view = shown && viewOf(shown.groupId)
  if (!view || file === null || view.path() !== file) return state
  const cursor = view.cursor()
  const selection = view.selection()
  const isSelected = selection.text !== ''
  return {
    ...state,
    cursor_line: cursor.line,
    cursor_column: cursor.column,
    selection_start_line: isSelected ? selection.startLine : null,
    selection_end_line: isSelected ? selection.endLine : null,
  }
}

function replaceRange(
  documents: Documents,
  view: EditorView,
  path: string,
  range: TextRange,
  content: string,
): EditorChange {
  if (documents.get(path)?.readonly)
    throw new ToolError('permission_denied', `${path} is read-only.`, 'Ask the user to change its permissions.')
  const replacement = view.replace(range, content)
  return { path, ...replacement, dirty: documents.get(path)?.dirty ?? true }
}

/** Registers the handlers with the bridge. @returns a function that unregisters them */
export function registerEditorRequestHandlers(answer: Bridge['handleRequest'], port: Handlers): () => void {
  const stops = [
    answer('editor.state', port['editor.state']),
    answer('editor.open', port['editor.open']),
    answer('editor.goto', port['editor.goto']),
    answer('editor.selection', port['editor.selection']),
    answer('editor.replaceSelection', port['editor.replaceSelection']),
    answer('editor.insertAtCursor', port['editor.insertAtCursor']),
    answer('editor.problems', port['editor.problems']),
    answer('editor.buffer', port['editor.buffer']),
    answer('editor.applyText', port['editor.applyText']),
  ]
  return () => stops.forEach((stop) => stop())
}

function isSame(a: EditorSelection, b: EditorSelection): boolean {
  const places = ['startLine', 'startColumn', 'endLine', 'endColumn'] as const
  return a.path === b.path && a.text === b.text && places.every((place) => a[place] === b[place])
}
