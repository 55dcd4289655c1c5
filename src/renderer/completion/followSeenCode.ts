import { chunkLines } from '../../shared/editor/inlineCompletion.ts'
import { request } from '../platform/bridge/bridge.ts'
import { useApp } from '../platform/appState.ts'
import type { EditorExtension } from '../platform/editor/editorExtensions.ts'
import { pathOf, type monaco } from '../platform/editor/monaco/monaco.ts'
import { linesOf } from './completionProvider.ts'
import { chunkAround } from './completionContext.ts'

/** The cursor leaves a section of code when it moves by more lines than this. */
const farLines = chunkLines / 2

/** Sends the code that the user leaves, as context for suggestions elsewhere. */
export const followSeenCode: EditorExtension = (editor) => {
  let place: { model: monaco.editor.ITextModel; line: number } | null = null

  function leave(): void {
    const enabled = useApp.getState().state?.settings.completion.enabled
    const path = place && !place.model.isDisposed() ? pathOf(place.model.uri) : null
    if (!enabled || !place || path === null) return
    const text = chunkAround(linesOf(place.model), place.line, chunkLines)
    // Longer text is minified code, which is useless.
    if (text.length < 40_000) request('completion.seen', { path, text }).catch(() => undefined)
  }
  function arrive(): void {
    const model = editor.getModel()
    const line = editor.getPosition()?.lineNumber
    place = model && line !== undefined ? { model, line } : null
  }
  arrive()
  const following = [
    editor.onDidChangeModel(() => {
      leave()
      arrive()
    }),
    editor.onDidChangeCursorPosition(({ position }) => {
      if (place && Math.abs(place.line - position.lineNumber) > farLines) {
        leave()
        arrive()
      }
    }),
  ]
  return { dispose: () => following.forEach((each) => each.dispose()) }
}
