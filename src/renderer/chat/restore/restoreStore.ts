import { create } from 'zustand'
import type { UserItem } from '../../../shared/agent/conversation.ts'
import { useChat } from '../../platform/conversation/chatStore.ts'

/** The message whose restore dialog is open. */
export const useRestoreDialog = create<{ target: { conversationId: string; itemId: string; text: string } | null }>(
  () => ({
    target: null,
  }),
)

/** Opens the dialog for a message of the open conversation. */
export function openRestoreDialog({ id: itemId, text }: UserItem): void {
  const conversationId = useChat.getState().info?.id
  if (conversationId) useRestoreDialog.setState({ target: { conversationId, itemId, text } })
}

export function closeRestoreDialog(): void {
  useRestoreDialog.setState({ target: null })
}
