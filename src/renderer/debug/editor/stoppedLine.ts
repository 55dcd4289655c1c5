import type { DebugFrame, DebugSessionInfo, DebugVariable } from '../../../shared/debug/debug.ts'
import { Latest } from '../../../shared/async/latest.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { selectedSession, useDebug } from '../../platform/debug/debugStore.ts'
import type { EditorExtension } from '../../platform/editor/editorExtensions.ts'
import { monaco, pathOf } from '../../platform/editor/monaco/monaco.ts'
import { inlineValues } from './inlineValues.ts'

/** Maximum lines above the current one that show values. */
const maxLines = 100
/** Maximum variables that are read for one stop. */
const maxVariables = 300

/** Marks the line where the program has stopped, and shows the values of variables beside the lines above it. */
export const stoppedLine: EditorExtension = (editor) => {
  const marks = editor.createDecorationsCollection()
  const values = editor.createDecorationsCollection()
  const loading = new Latest()
  let known = ''

  function update(): void {
    const session = selectedSession()
    const { selectedFrame: frame } = useDebug.getState()
    const model = editor.getModel()
    const isHere = session?.state === 'stopped' && frame !== null && model !== null && pathOf(model.uri) === frame.path
    const next = isHere ? `${session.id} ${session.stopCount} ${frame.id} ${model.uri.path}` : ''
    if (next === known) return
    known = next
    const isCurrent = loading.begin()
    values.clear()
    if (!isHere) return marks.clear()
    const line = Math.min(frame.line, model.getLineCount())
    const isTop = frame.id === useDebug.getState().topFrame
    marks.set([markOf(line, isTop, session)])
    void showValues(session, frame, line, isCurrent)
  }

  async function showValues(
    session: DebugSessionInfo,
    frame: DebugFrame,
    line: number,
    isCurrent: () => boolean,
  ): Promise<void> {
    let variables: DebugVariable[]
    try {
      variables = await readVariables(session.id, frame.id)
    } catch {
      // The program has continued, or the debugger reported an error, which the Run view shows.
      return
    }
    const model = editor.getModel()
    if (!isCurrent() || model === null) return
    const first = Math.max(1, line - maxLines)
    const lines = Array.from({ length: line - first + 1 }, (_, index) => model.getLineContent(first + index))
    values.set(
      inlineValues(lines, variables).map(({ index, text }) => {
        const column = model.getLineMaxColumn(first + index)
        return {
          range: new monaco.Range(first + index, column, first + index, column),
          options: {
            showIfCollapsed: true,
            after: {
              content: `\u2003${text}`,
              inlineClassName: 'debug-inline-value',
              cursorStops: monaco.editor.InjectedTextCursorStops.None,
            },
          },
        }
      }),
    )
  }

  const subscriptions = [
    editor.onDidChangeModel(update),
    { dispose: useDebug.subscribe(update) },
    editor.onDidChangeModelContent(() => values.clear()),
  ]
  update()
  return {
    dispose() {
      for (const each of subscriptions) each.dispose()
      marks.clear()
      values.clear()
    },
  }
}

async function readVariables(sessionId: string, frameId: number): Promise<DebugVariable[]> {
  const scopes = await request('debug.scopes', { sessionId, frameId })
  const read: DebugVariable[] = []
  for (const { reference, expensive } of scopes) {
    if (expensive || read.length >= maxVariables) continue
    read.push(...(await request('debug.variables', { sessionId, reference, start: 0, count: maxVariables })))
  }
  return read
}

function markOf(line: number, isTop: boolean, { stop }: DebugSessionInfo): monaco.editor.IModelDeltaDecoration {
  const failed = stop?.reason === 'exception'
  return {
    range: new monaco.Range(line, 1, line, 1),
    options: {
      isWholeLine: true,
      className: `debug-line ${failed && isTop ? 'debug-line-exception' : isTop ? 'debug-line-top' : 'debug-line-frame'}`,
      glyphMarginClassName: `debug-glyph ${isTop ? 'debug-glyph-top' : 'debug-glyph-frame'}`,
      overviewRuler: { color: { id: 'editorWarning.foreground' }, position: monaco.editor.OverviewRulerLane.Full },
    },
  }
}
