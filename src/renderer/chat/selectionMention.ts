import { parseMentions } from '../../shared/mentions.ts'
import { viewOf } from '../platform/editor/editorViews.ts'
import { useTabs } from '../platform/editor/tabsStore.ts'
import { useChat } from '../platform/conversation/chatStore.ts'
import { newDraft, setDraft, useChatView } from './chatViewStore.ts'

/**
 * Whether the editor has the focus and selected text. Reads the selection from the editor, because the status bar's copy
 * is one frame late: a shortcut can follow the selecting key sooner.
 */
export function hasFocusedSelection(): boolean {
  if (!document.activeElement?.closest('.monaco-editor')) return false
  return viewOf(useTabs.getState().activeGroup)?.hasSelection() === true
}

/** Appends `@selection` to the draft, unless the draft already contains it. */
export function mentionSelection(): void {
  const conversation = useChat.getState().info?.id ?? newDraft
  const draft = useChatView.getState().drafts[conversation] ?? ''
  if (parseMentions(draft).some(({ target }) => target === 'selection')) return
  setDraft(conversation, `${draft}${draft === '' || /\s$/.test(draft) ? '' : ' '}@selection `)
}
