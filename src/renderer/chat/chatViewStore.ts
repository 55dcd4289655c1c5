import { create } from 'zustand'

/** State of the panel that does not belong to a conversation. */
interface ChatViewState {
  /** The list of past conversations replaces the messages. */
  history: boolean
  /** Incremented to focus the composer, which may not be rendered yet. */
  focusRequests: number
  /** Unsent text by conversation id. */
  drafts: Readonly<Record<string, string>>
}

export const useChatView = create<ChatViewState>()(() => ({ history: false, focusRequests: 0, drafts: {} }))

export function focusComposer(): void {
  useChatView.setState(({ focusRequests: focusWish }) => ({ history: false, focusRequests: focusWish + 1 }))
}

/** Key of the draft that belongs to no conversation yet. */
export const newDraft = ''

export function setDraft(conversationId: string, text: string): void {
  useChatView.setState(({ drafts }) => ({ drafts: { ...drafts, [conversationId]: text } }))
}
