import { attachmentsOf, setAttachments, type DraftAttachments } from './composer/draftAttachments.ts'
import { setDraft, useChatView } from './chatViewStore.ts'

/**
 * Prepends a text to its conversation's draft, for example an unsent message, because the user may have started the
 * next message or opened another conversation in the meantime.
 */
export function returnToDraft(
  conversationId: string,
  text: string,
  { chosen = [], pasted = [], pictures = [], elements = [], serverPrompt }: Partial<DraftAttachments> = {},
): void {
  const draft = useChatView.getState().drafts[conversationId] ?? ''
  setDraft(conversationId, [text, draft].filter(Boolean).join('\n'))
  const now = attachmentsOf(conversationId)
  const prompt = serverPrompt ?? now.serverPrompt
  setAttachments(conversationId, {
    chosen: [...new Set([...chosen, ...now.chosen])],
    pasted: [...new Set([...pasted, ...now.pasted])],
    pictures: [...pictures, ...now.pictures.filter(({ id }) => !pictures.some((picture) => picture.id === id))],
    ...((elements.length > 0 || now.elements) && { elements: [...elements, ...(now.elements ?? [])] }),
    ...(prompt !== undefined && { serverPrompt: prompt }),
  })
}
