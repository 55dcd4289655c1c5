import { languageName } from '../platform/editor/languageName.ts'
import { monaco, pathOf } from '../platform/editor/monaco/monaco.ts'
import { useEditorStatus, type EditorView } from '../platform/editor/editorViews.ts'
import { monacoActions } from './monacoKeys.ts'

export type CodeEditor = monaco.editor.IStandaloneCodeEditor

/** Implements the platform's editor view on a Monaco editor. */
export function editorViewOf(editor: CodeEditor): EditorView {
  const currentSelection = (): monaco.Selection => editor.getSelection() ?? new monaco.Selection(1, 1, 1, 1)
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
      const { startLineNumber, startColumn, endLineNumber, endColumn } = currentSelection()
      const text = editor.getModel()?.getValueInRange(currentSelection(), monaco.editor.EndOfLinePreference.LF) ?? ''
      return { text, startLine: startLineNumber, startColumn, endLine: endLineNumber, endColumn }
    },
    hasSelection: () => !currentSelection().isEmpty(),
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
      // Prefer a focused editor inside this one, for example a peek view.
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

/** Publishes an editor's cursor, selection and language for the status bar. */
export function reportStatus(editor: CodeEditor): void {
  const model = editor.getModel()
  const selection = editor.getSelection()
  const position = editor.getPosition()
  if (!model || !position) {
    useEditorStatus.setState({ cursor: null, selected: null, language: null })
    return
  }
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
    language: language ? languageName(language) : model.getLanguageId(),
  })
}
