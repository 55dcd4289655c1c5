import { useEffect, useRef } from 'react'
import type { Settings } from '../../shared/settings.ts'
import { afterPaint } from './afterPaint.ts'
import { cursorOf, rememberCursor } from './cursors.ts'
import { editorOptions, normalFileOptions, largeFileOptions, suggestionDelay } from './editorOptions.ts'
import { monaco, pathOf, uriOf } from '../platform/editor/monaco.ts'
import { monacoActions, registerMonacoKeys } from './monacoKeys.ts'
import { registerLinkOpener } from './monacoLinks.ts'
import { recordVisit } from './navigationHistory.ts'
import { viewChanged, registerView, useEditorStatus, type EditorView } from '../platform/editor/editorViews.ts'

registerMonacoKeys()
registerLinkOpener()

type CodeEditor = monaco.editor.IStandaloneCodeEditor

interface MonacoViewProps {
  groupId: number
  /** Path of a loaded file; null while the group shows something else. */
  path: string | null
  /** Whether the group is active. The status bar describes the active group. */
  active: boolean
  readonly: boolean
  /** Whether the file exceeds a limit of textBuffer.ts. Features that read the whole text are then off. */
  large: boolean
  settings: Settings['editor']
  onFocus: () => void
}

function viewOn(editor: CodeEditor): EditorView {
  const end = (): monaco.Selection => editor.getSelection() ?? new monaco.Selection(1, 1, 1, 1)
  return {
    path() {
      const model = editor.getModel()
      return model && pathOf(model.uri)
    },
    cursor() {
      const { lineNumber, column } = editor.getPosition() ?? new monaco.Position(1, 1)
      return { line: lineNumber, column }
    },
    selection() {
      const { startLineNumber, startColumn, endLineNumber, endColumn } = end()
      const text = editor.getModel()?.getValueInRange(end(), monaco.editor.EndOfLinePreference.LF) ?? ''
      return { text, startLine: startLineNumber, startColumn, endLine: endLineNumber, endColumn }
    },
    goTo({ line, column }) {
      const position = editor.getModel()?.validatePosition({ lineNumber: line, column }) ?? new monaco.Position(1, 1)
      editor.setPosition(position)
      editor.revealPositionInCenterIfOutsideViewport(position)
      return { line: position.lineNumber, column: position.column }
    },
    select({ startLine, startColumn, endLine, endColumn }) {
      const range = new monaco.Range(startLine, startColumn, endLine, endColumn)
      editor.setSelection(range)
      editor.revealRangeInCenterIfOutsideViewport(range)
    },
    replace(range, text) {
      const at = new monaco.Range(range.startLine, range.startColumn, range.endLine, range.endColumn)
      const model = editor.getModel()
      const replaced = model?.getValueInRange(at, monaco.editor.EndOfLinePreference.LF) ?? ''
      const offset = model?.getOffsetAt(at.getStartPosition()) ?? 0
      editor.pushUndoStop()
      editor.executeEdits('tizona', [{ range: at, text, forceMoveMarkers: true }])
      editor.pushUndoStop()
      const newEnd = model?.getPositionAt(offset + text.replaceAll('\r\n', '\n').length) ?? at.getEndPosition()
      editor.setPosition(newEnd)
      editor.revealPositionInCenterIfOutsideViewport(newEnd)
      return {
        startLine: range.startLine,
        startColumn: range.startColumn,
        endLine: newEnd.lineNumber,
        endColumn: newEnd.column,
        replaced,
      }
    },
    lineText: (line) =>
      line <= (editor.getModel()?.getLineCount() ?? 0) ? (editor.getModel()?.getLineContent(line) ?? '') : '',
    focus: () => editor.focus(),
    actions: () => monacoActions(editor),
    runAction: (id) => {
      // A focused editor inside this one (a peek view) takes precedence.
      const host = editor.getContainerDomNode()
      const within = (other: monaco.editor.ICodeEditor) =>
        other !== editor && host.contains(other.getContainerDomNode())
      const inner = monaco.editor.getEditors().find((other) => other.hasTextFocus() && within(other))
      const target = inner ?? editor
      target.focus()
      target.trigger('tizona', id, null)
    },
  }
}

function reportStatus(editor: CodeEditor): void {
  const model = editor.getModel()
  const selection = editor.getSelection()
  const position = editor.getPosition()
  if (!model || !position) {
    useEditorStatus.setState({ cursor: null, selected: null, language: null, errors: 0, warnings: 0 })
    return
  }
  const markers = monaco.editor.getModelMarkers({ resource: model.uri })
  const language = monaco.languages.getLanguages().find(({ id }) => id === model.getLanguageId())
  useEditorStatus.setState({
    cursor: { line: position.lineNumber, column: position.column },
    selected:
      selection && !selection.isEmpty()
        ? {
            characters: model.getValueLengthInRange(selection),
            lines: selection.endLineNumber - selection.startLineNumber + 1,
          }
        : null,
    language: language?.aliases?.[0] ?? model.getLanguageId(),
    errors: markers.filter(({ severity }) => severity === monaco.MarkerSeverity.Error).length,
    warnings: markers.filter(({ severity }) => severity === monaco.MarkerSeverity.Warning).length,
  })
}

/** The code editor of a group: one Monaco instance that shows its tabs' models in turn. */
export default function MonacoView({ groupId, path, active, readonly, large, settings, onFocus }: MonacoViewProps) {
  const host = useRef<HTMLDivElement>(null)
  const editorRef = useRef<CodeEditor | null>(null)
  const viewStates = useRef(new Map<string, monaco.editor.ICodeEditorViewState>())
  const latest = useRef({ active, onFocus, settings })
  latest.current = { active, onFocus, settings }

  useEffect(() => {
    if (!host.current) return
    const editor = monaco.editor.create(host.current, {
      ...editorOptions(latest.current.settings),
      model: null,
      ariaLabel: 'Editor',
    })
    editorRef.current = editor
    const unregister = registerView(groupId, viewOn(editor))
    const status = afterPaint(() => {
      if (latest.current.active) reportStatus(editor)
    })
    const report = status.schedule
    const subscriptions = [
      editor.onDidFocusEditorWidget(() => {
        latest.current.onFocus()
        report()
      }),
      editor.onDidChangeCursorSelection(() => {
        const shown = editor.getModel() && pathOf(editor.getModel()?.uri ?? uriOf(''))
        const position = editor.getPosition()
        if (shown && position) {
          const place = { line: position.lineNumber, column: position.column }
          rememberCursor(shown, place)
          if (latest.current.active) recordVisit({ path: shown, ...place })
        }
        report()
      }),
      editor.onDidChangeModelLanguage(report),
      editor.onDidLayoutChange(({ width }) => {
        const before = editor.getRawOptions().minimap
        const enabled = editorOptions(latest.current.settings, width).minimap?.enabled
        if (before?.enabled !== enabled) editor.updateOptions({ minimap: { ...before, enabled } })
      }),
      monaco.editor.onDidChangeMarkers(report),
    ]
    return () => {
      unregister()
      status.cancel()
      subscriptions.forEach((subscription) => subscription.dispose())
      editor.dispose()
      editorRef.current = null
    }
  }, [groupId])

  useEffect(() => {
    const editor = editorRef.current
    if (!editor) return
    const before = editor.getModel()
    const beforePath = before && !before.isDisposed() ? pathOf(before.uri) : null
    const state = editor.saveViewState()
    if (beforePath && state) viewStates.current.set(beforePath, state)
    const model = path === null ? null : monaco.editor.getModel(uriOf(path))
    // Monaco writes the cursor of a model that is set anew; the remembered one is read before.
    const cursor = path === null ? null : cursorOf(path)
    editor.setModel(model)
    if (path !== null && model) {
      model.updateOptions({ tabSize: latest.current.settings.tabSize })
      model.detectIndentation(true, latest.current.settings.tabSize)
      editor.updateOptions({ quickSuggestionsDelay: suggestionDelay(model.getValueLength()) })
      const known = viewStates.current.get(path)
      if (known) editor.restoreViewState(known)
      else if (cursor) {
        editor.setPosition({ lineNumber: cursor.line, column: cursor.column })
        editor.revealLineInCenterIfOutsideViewport(cursor.line)
      }
    }
    const shown = editor.getPosition()
    if (latest.current.active && path !== null && model && shown)
      recordVisit({ path, line: shown.lineNumber, column: shown.column })
    if (latest.current.active) reportStatus(editor)
    viewChanged()
  }, [path])

  useEffect(() => {
    if (active && editorRef.current) reportStatus(editorRef.current)
  }, [active])

  useEffect(() => {
    const base = editorOptions(settings, editorRef.current?.getLayoutInfo().width)
    const bySize = large ? largeFileOptions : normalFileOptions
    editorRef.current?.updateOptions({
      ...base,
      ...bySize,
      minimap: { ...base.minimap, ...bySize.minimap },
      readOnly: readonly,
      readOnlyMessage: { value: 'The file is read-only.' },
    })
  }, [settings, readonly, large])

  return (
    <div
      ref={host}
      className="editor-monaco monaco-component"
      hidden={path === null}
      data-testid={`monaco-${groupId}`}
    />
  )
}
