import type { EditorExtension } from '../platform/editor/editorExtensions.ts'
import { escapeIsFree } from '../platform/editor/escapeOrder.ts'
import { monaco } from '../platform/editor/monaco/monaco.ts'
import { registerChangeMarks } from './changeMarks.ts'
import { openChangePeek } from './changePeek.tsx'
import { GutterSession } from './gutterSession.ts'
import { hunkKind, type HunkKind, type LineHunk } from '../../shared/diff/lineHunks.ts'
import { touchesLines } from '../../shared/diff/hunkParts.ts'
import './gutter.css'

const labels: Record<HunkKind, string> = { added: 'Added lines', changed: 'Changed lines', removed: 'Deleted lines' }
const colors: Record<HunkKind, string> = {
  added: 'editorGutter.addedBackground',
  changed: 'editorGutter.modifiedBackground',
  removed: 'editorGutter.deletedBackground',
}

function decorationOf(hunk: LineHunk, lineCount: number): monaco.editor.IModelDeltaDecoration {
  const kind = hunkKind(hunk.original.count, hunk.modified.count)
  // Deleted lines are marked on the line before them.
  const first = kind === 'removed' ? Math.max(1, hunk.modified.start - 1) : hunk.modified.start
  const last = Math.min(lineCount, kind === 'removed' ? first : first + hunk.modified.count - 1)
  const atTop = kind === 'removed' && hunk.modified.start === 1
  return {
    range: new monaco.Range(first, 1, last, 1),
    options: {
      isWholeLine: true,
      linesDecorationsClassName: `git-gutter git-gutter-${kind}${atTop ? ' git-gutter-top' : ''}`,
      linesDecorationsTooltip: `${labels[kind]} since the last commit. Click to show them.`,
      overviewRuler: { color: { id: colors[kind] }, position: monaco.editor.OverviewRulerLane.Left },
    },
  }
}

/** The change marks of an editor. */
function createMarks(editor: monaco.editor.ICodeEditor) {
  const marks = editor.createDecorationsCollection()
  /** The marks' classes, in order. */
  let classes: (string | null | undefined)[] = []
  return {
    show(hunks: readonly LineHunk[]): void {
      const lineCount = editor.getModel()?.getLineCount() ?? 1
      const wanted = hunks.map((hunk) => decorationOf(hunk, lineCount))
      const present = marks.getRanges()
      // Monaco moves the marks with the text, so after most keystrokes they are already correct.
      const right =
        wanted.length === present.length &&
        wanted.every(
          ({ range, options }, index) =>
            range.startLineNumber === present[index]?.startLineNumber &&
            range.endLineNumber === present[index].endLineNumber &&
            options.linesDecorationsClassName === classes[index],
        )
      if (right) return
      classes = wanted.map(({ options }) => options.linesDecorationsClassName)
      marks.set(wanted)
    },
    clear: () => marks.clear(),
  }
}

/** Marks added, changed and deleted lines of the active file next to the line numbers. A click shows the change. */
export const gutterMarks: EditorExtension = (editor) => {
  const marks = createMarks(editor)
  let session: GutterSession | null = null
  let peek: { index: number; dispose: () => void } | null = null
  const peekShown = editor.createContextKey<boolean>('tizonaChangePeek', false)

  const closePeek = () => {
    peek?.dispose()
    peek = null
    peekShown.set(false)
  }
  const showMarks = () => marks.show(session?.hunks.head ?? [])
  function start(): void {
    closePeek()
    session?.dispose()
    marks.clear()
    const model = editor.getModel()
    session = model && GutterSession.start(model, showMarks)
  }
  function show(index: number, focus: boolean): void {
    const shown = session
    const count = shown?.hunks.head.length ?? 0
    closePeek()
    if (!shown || count === 0) return
    const at = (index + count) % count
    // After a key, move the cursor to the shown change, so that commands act on it.
    const line = shown.hunks.head[at]?.modified.start
    if (focus && line !== undefined)
      editor.setPosition({ lineNumber: Math.min(Math.max(1, line), editor.getModel()?.getLineCount() ?? 1), column: 1 })
    const dispose = openChangePeek(editor, {
      session: shown,
      index: at,
      focus,
      onMove: (step) => show(at + step, true),
      onClose: () => {
        closePeek()
        editor.focus()
      },
    })
    peek = { index: at, dispose }
    peekShown.set(true)
  }
  const indexAt = (line: number): number =>
    session?.hunks.head.findIndex(({ modified }) => touchesLines(modified, line, line)) ?? -1

  start()
  const subscriptions: monaco.IDisposable[] = [
    editor.onDidChangeModel(start),
    editor.addAction({
      id: 'tizona.git.closePeek',
      label: 'Close the shown change',
      keybindings: [monaco.KeyCode.Escape],
      precondition: 'tizonaChangePeek',
      keybindingContext: `${escapeIsFree} && !tizonaInlineEdit`,
      run: closePeek,
    }),
    editor.onMouseDown(({ target }) => {
      if (!target.element?.classList.contains('git-gutter') || !target.position) return
      // Monaco does not move the focus. Escape must close what the click shows.
      editor.focus()
      const index = indexAt(target.position.lineNumber)
      if (index === peek?.index) closePeek()
      else if (index >= 0) show(index, false)
    }),
    // A model may be shown before the repositories are known.
    {
      dispose: registerChangeMarks(editor, {
        session: () => session,
        restart: () => {
          if (session === null) start()
        },
        hunkAtCursor: () => session?.hunks.head[indexAt(editor.getPosition()?.lineNumber ?? 1)] ?? null,
        step: (step) => {
          const line = editor.getPosition()?.lineNumber ?? 1
          const hunks = session?.hunks.head ?? []
          if (peek) return show(peek.index + step, true)
          const next =
            step > 0
              ? hunks.findIndex(({ modified }) => modified.start + Math.max(0, modified.count - 1) >= line)
              : hunks.findLastIndex(({ modified }) => modified.start <= line)
          show(next < 0 ? (step > 0 ? 0 : -1) : next, true)
        },
      }),
    },
  ]
  return {
    dispose() {
      closePeek()
      session?.dispose()
      for (const subscription of subscriptions) subscription.dispose()
    },
  }
}
