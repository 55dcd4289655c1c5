import { useChat } from '../../platform/conversation/chatStore.ts'
import { focusAfterRender } from '../../platform/layout/focusRegions.ts'
import { openConversation } from '../chatActions.ts'

const card = () => document.querySelector<HTMLElement>('[data-testid="approval-card"]')

/** Focuses the card of a pending approval. If it belongs to another conversation, opens that first. */
export async function focusApproval(): Promise<void> {
  const shown = card()
  if (shown !== null) return shown.focus()
  const { approvals, info } = useChat.getState()
  const elsewhere = approvals.find(({ conversationId }) => conversationId !== undefined && conversationId !== info?.id)
  if (elsewhere?.conversationId !== undefined) await openConversation(elsewhere.conversationId)
  focusAfterRender(() => card()?.focus())
}
