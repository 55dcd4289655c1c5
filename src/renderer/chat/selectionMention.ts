import { parseMentions } from '../../shared/mentions.ts'
import { useEditorStatus } from '../platform/editor/editorViews.ts'
import { useChat } from '../platform/conversation/chatStore.ts'
import { newDraft, setDraft, useChatView } from './chatViewStore.ts'

/** Whether the editor has the focus and selected text. */
export function hasFocusedSelection(): boolean {
  return useEditorStatus.getState().selected !== null && document.activeElement?.closest('.monaco-editor') !== null
}

/** Appends `@selection` to the draft, unless the draft already contains it. */
export function mentionSelection(): void {
  const conversation = useChat.getState().info?.id ?? newDraft
  const draft = useChatView.getState().drafts[conversation] ?? ''
  if (parseMentions(draft).some(({ target }) => target === 'selection')) return
  setDraft(conversation, `${draft}${draft === '' || /\s$/.test(draft) ? '' : ' '}@selection `)
}
