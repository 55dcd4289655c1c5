import type { RestoreResult } from '../../../shared/restore.ts'
import { request } from '../../bridge.ts'
import { revertFile } from '../../editor/actions.ts'
import { attempt } from '../../workbench/notices.ts'
import { showConversation, useChat } from '../store.ts'
import { focusComposer, setDraft, useChatView } from '../view.ts'

export interface RestoreChoice {
  files: boolean
  conversation: boolean
  /** Open files whose unsaved changes the user gives up for it. */
  discard: readonly string[]
}

/** Goes back to a message; one that leaves the conversation stands in the composer then, before what is being written there. */
export async function restore(id: string, itemId: string, { files, conversation, discard }: RestoreChoice): Promise<void> {
  for (const path of discard) await revertFile(path)
  const { text }: RestoreResult = await request('conversations.restore', { id, itemId, files, conversation })
  if (text !== null) giveBack(id, text)
}

/** Takes back the restore that a notice of the shown conversation tells of. */
export function undoRestore(noticeId: string): void {
  const id = useChat.getState().info?.id
  if (id) attempt(() => request('conversations.undoRestore', { id, itemId: noticeId }), 'The restore could not be undone')
}

/** Begins another conversation with what the shown one has up to an item, and shows it. */
export function fork(itemId: string): void {
  const id = useChat.getState().info?.id
  if (!id) return
  attempt(async () => {
    const { conversation, text } = await request('conversations.fork', { id, itemId })
    showConversation(conversation)
    if (text !== '') giveBack(conversation.info.id, text)
    focusComposer()
  }, 'The conversation could not be forked')
}

function giveBack(id: string, text: string): void {
  const draft = useChatView.getState().drafts[id]
  setDraft(id, draft ? `${text}\n${draft}` : text)
  focusComposer()
}
