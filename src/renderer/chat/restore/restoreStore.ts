import { create } from 'zustand'
import type { UserItem } from '../../../shared/conversation.ts'
import { useChat } from '../../platform/conversation/chatStore.ts'

/** The message that the user thinks of going back to; its dialog is open. */
export const useRestoreDialog = create<{ asked: { conversationId: string; itemId: string; text: string } | null }>(
  () => ({
    asked: null,
  }),
)

/** Opens the dialog for a message of the shown conversation. */
export function openRestoreDialog({ id: itemId, text }: UserItem): void {
  const conversationId = useChat.getState().info?.id
  if (conversationId) useRestoreDialog.setState({ asked: { conversationId, itemId, text } })
}

export function closeRestoreDialog(): void {
  useRestoreDialog.setState({ asked: null })
}
