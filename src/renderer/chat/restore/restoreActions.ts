import type { ImageAttachment } from '../../../shared/attachments.ts'
import { plural, pluralNoun } from '../../../shared/plural.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { saveFiles } from '../../platform/editor/editorService.ts'
import { attempt, notify } from '../../platform/notices.ts'
import { addPicture } from '../composer/draftAttachments.ts'
import { showConversation, useChat } from '../../platform/conversation/chatStore.ts'
import { focusComposer, setDraft, useChatView } from '../chatViewStore.ts'

export interface RestoreChoice {
  files: boolean
  conversation: boolean
  /** Open files with unsaved changes that go back as well. They are saved first, so that what stood in them can be had again. */
  save: readonly string[]
}

/**
 * Goes back to a message; one that leaves the conversation stands in the composer then, before what is being written there.
 * @returns false when a file could not be saved, which the editor has said; nothing is restored then
 */
export async function restore(
  id: string,
  itemId: string,
  { files, conversation, save }: RestoreChoice,
): Promise<boolean> {
  const pictures = picturesOf(itemId)
  if (save.length > 0 && !(await saveFiles(save))) return false
  const { text, changed, skipped } = await request('conversations.restore', { id, itemId, files, conversation })
  if (text !== null) prependToDraft(id, text, pictures)
  // The conversation says the same at its end, which is out of sight where the messages behind stay.
  if (files && (!conversation || skipped.length > 0))
    notify(skipped.length > 0 ? 'warning' : 'success', restoredText(changed, skipped.length))
  return true
}

function restoredText(changed: number, skipped: number): string {
  const put = `${plural(changed, 'file')} ${pluralNoun(changed, 'was', 'were')} put back.`
  return skipped === 0
    ? put
    : `${put} ${skipped} ${pluralNoun(skipped, 'was', 'were')} left alone; the conversation says why.`
}

/** Takes back the restore that a notice of the shown conversation tells of. */
export function undoRestore(noticeId: string): void {
  const id = useChat.getState().info?.id
  if (id)
    attempt(() => request('conversations.undoRestore', { id, itemId: noticeId }), 'The restore could not be undone')
}

/** Begins another conversation with what the shown one has up to an item, and shows it. */
export function fork(itemId: string): void {
  const id = useChat.getState().info?.id
  if (!id) return
  attempt(async () => {
    const pictures = picturesOf(itemId)
    const { conversation, text } = await request('conversations.fork', { id, itemId })
    showConversation(conversation)
    if (text !== '') prependToDraft(conversation.info.id, text, pictures)
    focusComposer()
  }, 'The conversation could not be forked')
}

/** The pictures of a message that is shown. Its mentions stand in its words. */
function picturesOf(itemId: string): ImageAttachment[] {
  const item = useChat.getState().items[itemId]
  return item?.kind === 'user' ? (item.attachments ?? []).filter((attachment) => attachment.kind === 'image') : []
}

function prependToDraft(id: string, text: string, pictures: readonly ImageAttachment[]): void {
  const draft = useChatView.getState().drafts[id]
  setDraft(id, draft ? `${text}\n${draft}` : text)
  for (const picture of pictures) addPicture(id, picture)
  focusComposer()
}
