import { useEffect, useRef, type RefObject } from 'react'
import { useStore } from 'zustand'
import { editorOptions } from '../platform/editor/editorOptions.ts'
import { useEditorSettings } from '../platform/editor/editorSettings.ts'
import { changedSpan } from '../../shared/editor/changedSpan.ts'
import { monaco } from '../platform/editor/monaco/monaco.ts'
import type { CellType } from '../../shared/notebook/notebook.ts'
import type { NotebookSession } from './notebookSession.ts'
import { editedSource, editorText } from './cellText.ts'
import { cellEditors } from './cellEditors.ts'

/** Maximum height of a cell's text in pixels. A longer text scrolls. */
const maxHeight = 720

interface CellEditorProps {
  session: NotebookSession
  cellKey: string
  source: string
  type: CellType
  language: string
  label: string
  /** Whether its text has the focus. */
  editing: boolean
  onFocus: () => void
}

let nextModel = 1

/** The text of a cell in a Monaco editor of its own, as high as its text. */
export default function CellEditor({
  session,
  cellKey,
  source,
  type,
  language,
  label,
  editing,
  onFocus,
}: CellEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const editorRef = useRef<monaco.editor.IStandaloneCodeEditor | null>(null)
  const latest = useRef({ onFocus, source })
  latest.current = { onFocus, source }
  const languageId = type === 'code' ? language : type === 'markdown' ? 'markdown' : 'plaintext'
  const settings = useEditorSettings(languageId)

  useEffect(() => {
    if (!host.current || !settings) return undefined
    const element = host.current
    const uri = monaco.Uri.from({ scheme: 'notebook-cell', path: `/${session.path}`, fragment: String(nextModel++) })
    const model = monaco.editor.createModel(editorText(latest.current.source), languageId, uri)
    model.setEOL(monaco.editor.EndOfLineSequence.LF)
    model.updateOptions({ tabSize: settings.tabSize, indentSize: settings.tabSize, insertSpaces: true })
    const editor = monaco.editor.create(element, {
      ...editorOptions(settings),
      model,
      ariaLabel: label,
      lineNumbers: 'off',
      minimap: { enabled: false },
      glyphMargin: false,
      folding: false,
      lineDecorationsWidth: 8,
      lineNumbersMinChars: 0,
      overviewRulerLanes: 0,
      stickyScroll: { enabled: false },
      scrollBeyondLastLine: false,
      renderLineHighlight: 'none',
      rulers: [],
      scrollbar: {
        alwaysConsumeMouseWheel: false,
        verticalScrollbarSize: 10,
        horizontalScrollbarSize: 10,
        useShadows: false,
      },
    })
    editorRef.current = editor
    const fit = (): void => {
      const height = Math.min(editor.getContentHeight(), maxHeight)
      element.style.height = `${height}px`
    }
    fit()
    cellEditors.add(cellKey, editor)
    const subscriptions = [
      editor.onDidContentSizeChange(fit),
      editor.onDidFocusEditorText(() => latest.current.onFocus()),
      model.onDidChangeContent(() => {
        const { source: before } = latest.current
        const text = model.getValue()
        if (text !== editorText(before)) session.setSource(cellKey, editedSource(before, text))
      }),
    ]
    return () => {
      cellEditors.delete(cellKey, editor)
      subscriptions.forEach((subscription) => subscription.dispose())
      editor.dispose()
      model.dispose()
      editorRef.current = null
    }
    // Another label does not need another editor.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [session, cellKey, settings, languageId])

  useEffect(() => {
    editorRef.current?.updateOptions({ ariaLabel: label })
  }, [label])

  // The text changed elsewhere: an undo step, the agent, another view.
  useEffect(() => {
    const model = editorRef.current?.getModel()
    const text = editorText(source)
    if (!model || model.getValue() === text) return
    const { start, oldEnd, newEnd } = changedSpan(model.getValue(), text)
    const range = monaco.Range.fromPositions(model.getPositionAt(start), model.getPositionAt(oldEnd))
    model.pushEditOperations(null, [{ range, text: text.slice(start, newEnd) }], () => null)
    editorRef.current?.setPosition(model.getPositionAt(newEnd))
  }, [source])

  useFoundText(session, cellKey, editorRef, [settings, languageId])

  useEffect(() => {
    if (editing && editorRef.current?.hasTextFocus() === false) editorRef.current.focus()
  }, [editing, settings])

  return <div ref={host} className="notebook-editor monaco-component" />
}

/** Marks what the find bar finds in a cell, and scrolls to the current match. @param editors change with the editor */
function useFoundText(
  session: NotebookSession,
  cellKey: string,
  editorRef: RefObject<monaco.editor.IStandaloneCodeEditor | null>,
  editors: readonly unknown[],
): void {
  const matches = useStore(session.store, ({ find }) => find?.matches)
  const current = useStore(session.store, ({ find }) => (find?.current?.key === cellKey ? find.current : undefined))
  const revealed = useStore(session.store, (state) => {
    const isOwn = state.revealed?.key === cellKey && state.revealed.output === undefined
    return isOwn ? state.revealed : null
  })
  useEffect(() => {
    const own = matches?.filter(({ key, output }) => key === cellKey && output === undefined) ?? []
    const decorations = editorRef.current?.createDecorationsCollection(
      own.map((match) => ({
        range: match.range,
        options: {
          className: match === current ? 'currentFindMatch' : 'findMatch',
          zIndex: match === current ? 13 : 10,
        },
      })),
    )
    return () => decorations?.clear()
    // oxlint-disable-next-line react/exhaustive-deps
  }, [matches, current, cellKey, editorRef, ...editors])
  useEffect(() => {
    const editor = editorRef.current
    if (!editor || !revealed) return
    const { range } = revealed
    session.store.setState({ revealed: null })
    editor.setSelection(range)
    editor.revealRangeInCenterIfOutsideViewport(range)
    revealLine(editor, range.startLineNumber)
    // oxlint-disable-next-line react/exhaustive-deps
  }, [session, revealed, editorRef, ...editors])
}

/** Scrolls the notebook to a line of a cell that is higher than the visible part. */
function revealLine(editor: monaco.editor.IStandaloneCodeEditor, line: number): void {
  const host = editor.getContainerDomNode()
  const cells = host.closest('.notebook-cells')
  if (!cells) return
  const view = cells.getBoundingClientRect()
  const top = host.getBoundingClientRect().top + editor.getTopForLineNumber(line) - editor.getScrollTop()
  const margin = 40
  if (top < view.top || top > view.bottom - margin) cells.scrollBy(0, top - view.top - view.height / 3)
}
