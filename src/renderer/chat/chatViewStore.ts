import { create } from 'zustand'

/** State of the chat panel that main does not store. */
interface ChatViewState {
  /** Whether the list of past conversations replaces the transcript. */
  history: boolean
  /** Whether the transcript is being searched. */
  finding: boolean
  /** Whether Escape was just pressed. Pressed again, it stops the turn. */
  stopArmed: boolean
  /** Incremented to request focus for the composer, which may not be rendered yet. */
  focusRequests: number
  /** Unsent text by conversation id, or by `newDraft`. */
  drafts: Readonly<Record<string, string>>
}

export const useChatView = create<ChatViewState>()(() => ({
  history: false,
  finding: false,
  stopArmed: false,
  focusRequests: 0,
  drafts: {},
}))

/** Shows the transcript and focuses the composer. */
export function focusComposer(): void {
  useChatView.setState(({ focusRequests }) => ({ history: false, focusRequests: focusRequests + 1 }))
}

/** Key of the draft that is written while no conversation is open. */
export const newDraft = ''

export function setDraft(conversationId: string, text: string): void {
  useChatView.setState(({ drafts }) => ({ drafts: { ...drafts, [conversationId]: text } }))
}
