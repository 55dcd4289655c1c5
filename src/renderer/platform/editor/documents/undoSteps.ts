import { IUndoRedoService, type UndoElement } from 'monaco-editor/platform/undoRedo/common/undoRedo'
import { StandaloneServices } from 'monaco-editor/editor/standalone/browser/standaloneServices'
import type { monaco } from '../monaco/monaco.ts'

/** The parts of Monaco's model that keep its versions, which its types leave out. */
interface VersionedModel extends monaco.editor.ITextModel {
  _overwriteVersionId(version: number): void
  _overwriteAlternativeVersionId(version: number): void
}

/** Whether an undo step changes one file. A step over several files belongs to their paths and cannot be moved. */
function isOfOneFile(element: UndoElement): boolean {
  return element.type === 0 && typeof element.setModel === 'function'
}

/**
 * Moves the undo steps of a text to a new model with the same text, and its versions: undoing to the saved version makes
 * the file clean. Steps to redo are dropped.
 */
export function moveUndoSteps(from: monaco.editor.ITextModel, to: monaco.editor.ITextModel): void {
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
