import { afterEach, beforeEach, expect, it } from 'vitest'
import { registerView, useEditorStatus, type EditorView } from '../platform/editor/editorViews.ts'
import { emptyTabs, fileTab } from '../platform/editor/tabsState.ts'
import { useTabs } from '../platform/editor/tabsStore.ts'
import { useNotices } from '../platform/notices.ts'
import { attachmentsOf } from './composer/draftAttachments.ts'
import { newDraft, setDraft, useChatView } from './chatViewStore.ts'
import { addFileToChat, addSelectionToChat, hasFocusedSelection } from './selectionMention.ts'

const draft = () => useChatView.getState().drafts[newDraft]
let unregister = (): void => undefined
afterEach(() => {
  unregister()
  document.body.replaceChildren()
})

/** Shows a focused editor, of which only the selection matters here. */
function focusEditor(hasSelection: boolean): void {
  unregister()
  document.body.innerHTML = '<div class="monaco-editor"><textarea></textarea></div>'
  document.querySelector('textarea')?.focus()
  unregister = registerView(1, { path: () => 'a.ts', hasSelection: () => hasSelection } as EditorView)
}

beforeEach(() => {
  setDraft(newDraft, '')
  useTabs.setState(emptyTabs)
  useEditorStatus.setState({ selected: null })
})

it('adds a file to the draft once, quoted if necessary, as a chosen mention', () => {
  setDraft(newDraft, 'compare')
  addFileToChat('src/a b.ts')
  addFileToChat('src/c.ts')
  addFileToChat('src/a b.ts')
  expect(draft()).toBe('compare @"src/a b.ts" @src/c.ts ')
  expect(attachmentsOf(newDraft).chosen).toEqual(['@"src/a b.ts"', '@src/c.ts'])
})

it('adds the selection, or the active file if nothing is selected', () => {
  useTabs.setState({ groups: [{ id: 1, tabs: [fileTab('a.ts')], active: 'file:a.ts' }] })
  addSelectionToChat()
  expect(draft()).toBe('@a.ts ')
  // The status bar does not show the selection yet.
  focusEditor(true)
  expect(useEditorStatus.getState().selected).toBeNull()
  expect(hasFocusedSelection()).toBe(true)
  addSelectionToChat()
  expect(draft()).toBe('@a.ts @selection ')
})

it('explains that no file is open', () => {
  addFileToChat()
  expect(draft()).toBe('')
  expect(useNotices.getState().notices.at(-1)?.message).toMatch(/No file is open/)
})

it('ignores a selection that was just cleared, and one of an editor without focus', () => {
  useEditorStatus.setState({ selected: { characters: 3, lines: 1 } })
  focusEditor(false)
  expect(hasFocusedSelection()).toBe(false)
  focusEditor(true)
  document.querySelector('textarea')?.blur()
  expect(hasFocusedSelection()).toBe(false)
})
