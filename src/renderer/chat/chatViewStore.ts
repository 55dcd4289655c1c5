import { create } from 'zustand'

/** What of the panel is shown; not part of a conversation. */
interface ChatViewState {
  /** Past conversations are listed in place of the messages. */
  history: boolean
  /** Counts the wishes to put the focus into the composer; it may not be drawn yet. */
  focusRequests: number
  /** The message not sent yet, by conversation id; kept while another conversation is shown. */
  drafts: Readonly<Record<string, string>>
}

export const useChatView = create<ChatViewState>()(() => ({ history: false, focusRequests: 0, drafts: {} }))

export function focusComposer(): void {
  useChatView.setState(({ focusRequests: focusWish }) => ({ history: false, focusRequests: focusWish + 1 }))
}

/** The key of the draft that belongs to no conversation yet. */
export const newDraft = ''

export function setDraft(conversationId: string, text: string): void {
  useChatView.setState(({ drafts }) => ({ drafts: { ...drafts, [conversationId]: text } }))
}
