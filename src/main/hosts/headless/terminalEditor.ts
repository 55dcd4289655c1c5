import type {
  EditorRequestName,
  EditorRequests,
  EditorChange,
  EditorSelection,
} from '../../../shared/editor/editorRequests.ts'
import { ToolError } from '../../../shared/errors.ts'
import type { Core, WindowLink } from '../../core.ts'

interface Tab {
  path: string
  lines: string[]
  line: number
  column: number
}

type Answers = {
  [N in EditorRequestName]: (params: EditorRequests[N]['params']) => Promise<EditorRequests[N]['result']>
}

/**
 * Creates a minimal editor that replaces the window while the tour runs in a terminal: one file, a cursor, and the
 * cursor's line as the selection. Changes are saved immediately.
 */
export function createTerminalEditor(core: Core): WindowLink['ask'] {
  const signal = new AbortController().signal
  let tab: Tab | null = null

  function current(): Tab {
    if (tab === null) throw new ToolError('no_active_editor', 'No file is open.', 'Open one with open_file first.')
    return tab
  }

  async function open(path: string, line = 1, column = 1): Promise<{ path: string; line: number; column: number }> {
    const { text, path: known } = await core.handlers['files.read']({ path }, signal)
    tab = { path: known, lines: text.split('\n'), line: 1, column: 1 }
    return move(tab, line, column)
  }

  function move(target: Tab, line: number, column = 1): { path: string; line: number; column: number } {
    target.line = Math.min(line, target.lines.length)
    target.column = Math.min(column, lineAt(target).length + 1)
    return { path: target.path, line: target.line, column: target.column }
  }

  function selection(target: Tab): EditorSelection {
    const text = lineAt(target)
    return {
      path: target.path,
      text,
      startLine: target.line,
      startColumn: 1,
      endLine: target.line,
      endColumn: text.length + 1,
    }
  }

  /** Replaces columns `from` to `to` of the cursor's line with `content`, and saves. */
  async function replace(target: Tab, from: number, to: number, content: string): Promise<EditorChange> {
    const { format } = await core.handlers['files.read']({ path: target.path }, signal)
    const line = lineAt(target)
    const startLine = target.line
    target.lines.splice(startLine - 1, 1, ...`${line.slice(0, from - 1)}${content}${line.slice(to - 1)}`.split('\n'))
    await core.handlers['files.write'](
      { path: target.path, text: target.lines.join('\n'), format, force: true },
      signal,
    )
    const added = content.split('\n')
    const lastLength = added.at(-1)?.length ?? 0
    const endLine = startLine + added.length - 1
    const endColumn = added.length === 1 ? from + lastLength : lastLength + 1
    target.line = endLine
    target.column = endColumn
    return {
      path: target.path,
      startLine,
      startColumn: from,
      endLine,
      endColumn,
      replaced: line.slice(from - 1, to - 1),
      dirty: false,
    }
  }

  const answers: Answers = {
    'editor.state': async () => ({
      active_file: tab?.path ?? null,
      open_files: tab === null ? [] : [tab.path],
      active_tab_index: tab === null ? null : 0,
      cursor_line: tab?.line ?? null,
      cursor_column: tab?.column ?? null,
      selection_start_line: tab?.line ?? null,
      selection_end_line: tab?.line ?? null,
    }),
    'editor.show': ({ path, line, column }) => open(path, line, column),
    'editor.open': ({ path, line, column }) => open(path, line, column),
    'editor.goto': async ({ line, column }) => move(current(), line, column),
    'editor.selection': async () => selection(current()),
    'editor.replaceSelection': ({ content }) => {
      const target = current()
      return replace(target, 1, lineAt(target).length + 1, content)
    },
    'editor.insertAtCursor': ({ content }) => {
      const target = current()
      return replace(target, target.column, target.column, content)
    },
    'editor.problems': async () => ({ problems: [] }),
    // Every change is saved immediately, so there is no unsaved text.
    'editor.buffer': async ({ path, unsavedOnly }) =>
      tab?.path === path && !unsavedOnly ? { text: tab.lines.join('\n'), dirty: false } : null,
    'editor.applyText': async ({ path, text }) => {
      if (tab?.path !== path) return { applied: false }
      // The cursor moves with the text of its line.
      const selected = lineAt(tab)
      tab.lines = text.split('\n')
      move(tab, tab.lines.includes(selected) ? tab.lines.indexOf(selected) + 1 : tab.line)
      return { applied: true }
    },
  }
  return (name, params) => answers[name](params)
}

function lineAt({ lines, line }: Tab): string {
  return lines[line - 1] ?? ''
}
