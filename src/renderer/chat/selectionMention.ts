import { parseMentions } from '../../shared/mentions.ts'
import { useEditorStatus } from '../editor/views.ts'
import { useChat } from './store.ts'
import { newDraft, setDraft, useChatView } from './view.ts'

/** Whether the focus is in the editor and something is selected there. */
export function isSelecting(): boolean {
  return useEditorStatus.getState().selected !== null && document.activeElement?.closest('.monaco-editor') !== null
}

/** Puts `@selection` into the message that is being written, once. */
export function mentionSelection(): void {
  const conversation = useChat.getState().info?.id ?? newDraft
  const draft = useChatView.getState().drafts[conversation] ?? ''
  if (parseMentions(draft).some(({ what }) => what === 'selection')) return
  setDraft(conversation, `${draft}${draft === '' || /\s$/.test(draft) ? '' : ' '}@selection `)
}
