import { attachmentsOf, setAttachments, type DraftAttachments } from './composer/draftAttachments.ts'
import { setDraft, useChatView } from './chatViewStore.ts'

/**
 * Puts a text before the draft of its conversation, for example a message that was not sent: the user may have written
 * the next one meanwhile, or opened another conversation.
 */
export function returnToDraft(
  conversationId: string,
  text: string,
  { chosen = [], pasted = [], pictures = [], serverPrompt }: Partial<DraftAttachments> = {},
): void {
  const draft = useChatView.getState().drafts[conversationId] ?? ''
  setDraft(conversationId, [text, draft].filter(Boolean).join('\n'))
  const now = attachmentsOf(conversationId)
  const prompt = serverPrompt ?? now.serverPrompt
  setAttachments(conversationId, {
    chosen: [...new Set([...chosen, ...now.chosen])],
    pasted: [...new Set([...pasted, ...now.pasted])],
    pictures: [...pictures, ...now.pictures.filter(({ id }) => !pictures.some((picture) => picture.id === id))],
    ...(prompt !== undefined && { serverPrompt: prompt }),
  })
}
