import { afterEach, expect, it } from 'vitest'
import { registerView, useEditorStatus, type EditorView } from '../platform/editor/editorViews.ts'
import { hasFocusedSelection } from './selectionMention.ts'

let unregister = (): void => undefined
afterEach(() => {
  unregister()
  document.body.replaceChildren()
})

/** Shows a focused editor, of which only the selection matters here. */
function focusEditor(hasSelection: boolean): void {
  document.body.innerHTML = '<div class="monaco-editor"><textarea></textarea></div>'
  document.querySelector('textarea')?.focus()
  unregister = registerView(1, { hasSelection: () => hasSelection } as EditorView)
}

it('sees a selection that the status bar does not show yet', () => {
  focusEditor(true)
  expect(useEditorStatus.getState().selected).toBeNull()
  expect(hasFocusedSelection()).toBe(true)
})

it('ignores a selection that has just been cleared, and one of an editor without focus', () => {
  useEditorStatus.setState({ selected: { characters: 3, lines: 1 } })
  focusEditor(false)
  expect(hasFocusedSelection()).toBe(false)
  unregister()
  focusEditor(true)
  document.querySelector('textarea')?.blur()
  expect(hasFocusedSelection()).toBe(false)
})
