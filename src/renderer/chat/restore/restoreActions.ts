import type { UserItem } from '../../../shared/agent/conversation.ts'
import { plural } from '../../../shared/text/plural.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { saveFiles } from '../../platform/editor/editorService.ts'
import { attempt, notify } from '../../platform/notices.ts'
import { unattachedMentions } from '../composer/pastedMentions.ts'
import { showConversation, useChat } from '../../platform/conversation/chatStore.ts'
import { focusComposer } from '../chatViewStore.ts'
import { returnToDraft } from '../returnToDraft.ts'

export interface RestoreChoice {
  files: boolean
  conversation: boolean
  /** Paths with unsaved changes to save before the restore, so that undoing the restore recovers their text. */
  save: readonly string[]
}

/**
 * Restores files, the conversation or both to the state before a message. Prepends the text of a removed message to the
 * draft.
 * @returns false if a file could not be saved, so that nothing was restored; the editor reports why
 */
export async function restore(
  id: string,
  itemId: string,
  { files, conversation, save }: RestoreChoice,
): Promise<boolean> {
  const message = userMessage(itemId)
  if (save.length > 0 && !(await saveFiles(save))) return false
  const { text, changed, skipped } = await request('conversations.restore', { id, itemId, files, conversation })
  if (text !== null) prependToDraft(id, text, message)
  // If the messages stay, the transcript's notice may be out of view.
  if (files && (!conversation || skipped.length > 0))
    notify(skipped.length > 0 ? 'warning' : 'success', restoredText(changed, skipped.length))
  return true
}

function restoredText(changed: number, skipped: number): string {
  return skipped === 0
    ? `Restored ${plural(changed, 'file')}.`
    : `Restored ${plural(changed, 'file')} and skipped ${plural(skipped, 'file')}. The conversation shows why.`
}

/** Undoes a restore. @param noticeId id of the notice that reported it */
export function undoRestore(noticeId: string): void {
  const id = useChat.getState().info?.id
  if (id)
    attempt(() => request('conversations.undoRestore', { id, itemId: noticeId }), 'The restore could not be undone')
}

/** Copies the open conversation up to an item, and shows the copy. */
export function fork(itemId: string): void {
  const id = useChat.getState().info?.id
  if (!id) return
  attempt(async () => {
    const message = userMessage(itemId)
    const { conversation, text } = await request('conversations.fork', { id, itemId })
    showConversation(conversation)
    if (text !== '') prependToDraft(conversation.info.id, text, message)
    focusComposer()
  }, 'The conversation could not be forked')
}

function userMessage(itemId: string): UserItem | undefined {
  const item = useChat.getState().items[itemId]
  return item?.kind === 'user' ? item : undefined
}

/** Prepends a message's text and pictures to a draft. Mentions are part of the text. */
function prependToDraft(id: string, text: string, message: UserItem | undefined): void {
  returnToDraft(id, text, {
    pasted: unattachedMentions(text, message?.attachments),
    pictures: (message?.attachments ?? []).filter((attachment) => attachment.kind === 'image'),
    ...(message?.serverPrompt !== undefined && { serverPrompt: message.serverPrompt }),
  })
  focusComposer()
}
