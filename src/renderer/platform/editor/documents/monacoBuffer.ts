import { ILanguageService } from 'monaco-editor/editor/common/languages/language'
import { IModelService } from 'monaco-editor/editor/common/services/model'
import { StandaloneServices } from 'monaco-editor/editor/standalone/browser/standaloneServices'
import { chosenLanguages } from './chosenLanguages.ts'
import type { BufferOptions, TextBuffer } from './textBuffer.ts'
import { minimalEdits, type OffsetEdit } from './minimalEdits.ts'
import { longTextFactory, minLongText } from '../monaco/longTextFactory.ts'
import { editorFontReady, monaco, uriOf } from '../monaco/monaco.ts'
import { IUndoRedoService, type UndoElement } from 'monaco-editor/platform/undoRedo/common/undoRedo'

/** Duration of the highlight on lines that the agent edited, in milliseconds. editor.css fades it out. */
const highlightMs = 2600
const maxHighlights = 200

function highlight(model: monaco.editor.ITextModel, edits: readonly OffsetEdit[]): void {
  let shift = 0
  const decorations = edits.slice(0, maxHighlights).map((edit) => {
    const start = model.getPositionAt(edit.start + shift)
    const end = model.getPositionAt(edit.start + shift + edit.text.length)
    shift += edit.text.length - (edit.end - edit.start)
    // Text that ends with a line ending does not touch the next line.
    const lastLine = end.column === 1 && end.lineNumber > start.lineNumber ? end.lineNumber - 1 : end.lineNumber
    return {
      range: new monaco.Range(start.lineNumber, 1, lastLine, 1),
      options: { isWholeLine: true, className: 'editor-agent-edit', linesDecorationsClassName: 'editor-agent-gutter' },
    }
  })
  const ids = model.deltaDecorations([], decorations)
  setTimeout(() => {
    if (!model.isDisposed()) model.deltaDecorations(ids, [])
  }, highlightMs)
}

function createModel(text: string, uri: monaco.Uri, associated?: string): monaco.editor.ITextModel {
  const chosen = chosenLanguages.getState()[uri.path.slice(1)] ?? associated
  if (text.length < minLongText || text.includes('\r')) return monaco.editor.createModel(text, chosen, uri)
  const languages = StandaloneServices.get(ILanguageService)
  const firstLine = text.slice(0, text.indexOf('\n') + 1)
  return StandaloneServices.get(IModelService).createModel(
    longTextFactory(text),
    chosen === undefined ? languages.createByFilepathOrFirstLine(uri, firstLine) : languages.createById(chosen),
    uri,
  )
}

/** Creates the Monaco model of an open file. Monaco detects the language from the file name. */
export async function createMonacoBuffer({ path, text, language }: BufferOptions): Promise<TextBuffer> {
  await editorFontReady()
  return bufferOf(fileModel(path, text, language))
}

function fileModel(path: string, text: string, language?: string): monaco.editor.ITextModel {
  const uri = uriOf(path)
  // If a tab was closed and reopened within one tick, its old model may still exist.
  monaco.editor.getModel(uri)?.dispose()
  const model = createModel(text, uri, language)
  model.setEOL(monaco.editor.EndOfLineSequence.LF)
  model.updateOptions({ bracketColorizationOptions: { enabled: false, independentColorPoolPerBracketType: false } })
  return model
}

function bufferOf(model: monaco.editor.ITextModel): TextBuffer {
  return {
    text: () => model.getValue(monaco.editor.EndOfLinePreference.LF),
    replace(newText, options) {
      const edits = minimalEdits(model.getValue(monaco.editor.EndOfLinePreference.LF), newText)
      if (edits.length === 0) return
      const operations = edits.map((edit) => ({
        range: monaco.Range.fromPositions(model.getPositionAt(edit.start), model.getPositionAt(edit.end)),
        text: edit.text,
      }))
      model.pushStackElement()
      model.pushEditOperations(null, operations, () => null)
      model.pushStackElement()
      if (options?.highlight) highlight(model, edits)
    },
    edit(changes, { joins = false } = {}) {
      if (!joins) model.pushStackElement()
      for (const { offset, length, text } of changes) {
        const range = monaco.Range.fromPositions(model.getPositionAt(offset), model.getPositionAt(offset + length))
        model.pushEditOperations(null, [{ range, text }], () => null)
      }
    },
    undo: () => void StandaloneServices.get(IUndoRedoService).undo(model.uri),
    redo: () => void StandaloneServices.get(IUndoRedoService).redo(model.uri),
    language: () => model.getLanguageId(),
    version: () => model.getAlternativeVersionId(),
    length: () => model.getValueLength(monaco.editor.EndOfLinePreference.LF),
    onChange(listener) {
      // Monaco sorts an event's changes from the end of the text to its start, so their offsets stay valid.
      const subscription = model.onDidChangeContent(({ changes, isFlush, isEolChange }) =>
        listener(
          isFlush || isEolChange
            ? null
            : changes.map(({ rangeOffset, rangeLength, text }) => ({ offset: rangeOffset, length: rangeLength, text })),
        ),
      )
      return () => subscription.dispose()
    },
    onUndo(listener) {
      const subscription = model.onDidChangeContent(({ isUndoing, isRedoing }) => {
        if (isUndoing || isRedoing) listener()
      })
      return () => subscription.dispose()
    },
    moveTo(path) {
      const moved = fileModel(path, model.getValue(monaco.editor.EndOfLinePreference.LF))
      moveUndoSteps(model, moved)
      return bufferOf(moved)
    },
    dispose: () => model.dispose(),
  }
}

/** Version fields of Monaco's model that its types omit. */
interface VersionedModel extends monaco.editor.ITextModel {
  _overwriteVersionId(version: number): void
  _overwriteAlternativeVersionId(version: number): void
}

/** Whether an undo step changes one file only. A step over several files is tied to their paths and cannot be moved. */
function isOfOneFile(element: UndoElement): boolean {
  return element.type === 0 && typeof element.setModel === 'function'
}

/**
 * Moves a model's undo steps and versions to a new model with the same text, so that undoing to the saved version makes
 * the file clean. Drops redo steps.
 */
function moveUndoSteps(from: monaco.editor.ITextModel, to: monaco.editor.ITextModel): void {
  const undoRedo = StandaloneServices.get(IUndoRedoService)
  from.pushStackElement()
  const { past } = undoRedo.getElements(from.uri)
  undoRedo.removeElements(from.uri)
  undoRedo.removeElements(to.uri)
  const first = past.findLastIndex((element) => !isOfOneFile(element)) + 1
  for (const element of past.slice(first)) {
    element.setModel?.(to)
    undoRedo.pushElement(element)
  }
  const model = to as VersionedModel // Every model of Monaco has these methods.
  model._overwriteVersionId(from.getVersionId())
  model._overwriteAlternativeVersionId(from.getAlternativeVersionId())
}
