import { useChat } from '../platform/conversation/chatStore.ts'
import { focusComposer, newDraft, setDraft, useChatView } from './chatViewStore.ts'

/** Argument of the command `chat.addText`. */
export interface AddedText {
  /** Line that introduces the text. */
  heading: string
  text: string
}

/** Maximum length in UTF-16 units of text from a program. More would fill a small model's context window. */
const maxText = 16_000

/** Formats code as a fenced block. The fence is longer than any run of backticks in the code. */
export function fenced({ text, language }: { text: string; language: string }): string {
  const longestRun = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longestRun + 1)
  return `${fence}${language}\n${text}\n${fence}`
}

/** Appends a quote or code block to the draft, with an empty line for the user's text after it. */
export function addToDraft(addition: string): void {
  const conversationId = useChat.getState().info?.id ?? newDraft
  const draft = (useChatView.getState().drafts[conversationId] ?? '').trimEnd()
  setDraft(conversationId, `${draft}${draft === '' ? '' : '\n\n'}${addition}\n\n`)
  focusComposer()
}

/** The last suggestion in a draft: the user's own words before it, and the whole text. */
let suggested = { own: '', text: '' }

/** Puts a message into the draft: instead of a suggestion that the user has not changed, or after the user's words. */
export function suggestMessage(message: string): void {
  const conversationId = useChat.getState().info?.id ?? newDraft
  const draft = useChatView.getState().drafts[conversationId] ?? ''
  const own = (draft === suggested.text ? suggested.own : draft).trimEnd()
  const text = own === '' ? message : `${own}\n\n${message}`
  suggested = { own, text }
  setDraft(conversationId, text)
  focusComposer()
}

/** Appends text from a program to the draft, as a block with a heading. Keeps only the end of a long text. */
export function addTextToDraft({ heading, text }: AddedText): void {
  const cut = text.length > maxText
  // Keep whole lines, so that the first one is not misread.
  const kept = cut ? text.slice(-maxText).replace(/^[^\n]*\n/, '') : text
  addToDraft(`${cut ? `${heading} (truncated)` : heading}:\n\n${fenced({ text: kept, language: '' })}`)
}
