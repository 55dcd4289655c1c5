import { create } from 'zustand'

interface ChatViewState {
  /** Whether the list of past conversations replaces the transcript. */
  history: boolean
  /** Whether the transcript is being searched. */
  finding: boolean
  /** Whether Escape was just pressed. Pressing it again stops the turn. */
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

/** Key of the draft for a conversation that does not exist yet. */
export const newDraft = ''

export function setDraft(conversationId: string, text: string): void {
  useChatView.setState(({ drafts }) => ({ drafts: { ...drafts, [conversationId]: text } }))
}
