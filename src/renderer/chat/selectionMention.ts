import { mentionText, parseMentions, type Mention } from '../../shared/agent/mentions.ts'
import { activePath, useTabs } from '../platform/editor/tabsStore.ts'
import { viewOf } from '../platform/editor/editorViews.ts'
import { useChat } from '../platform/conversation/chatStore.ts'
import { showChat } from '../platform/layout/layoutStore.ts'
import { notify } from '../platform/notices.ts'
import { addMention } from './composer/draftAttachments.ts'
import { focusComposer, newDraft, setDraft, useChatView } from './chatViewStore.ts'

export function hasFocusedSelection(): boolean {
  if (!document.activeElement?.closest('.monaco-editor')) return false
  return hasSelection()
}

/**
 * Whether text is selected in the active editor. Asks the editor, because the status bar's copy is one frame late and a
 * shortcut can follow a selection sooner.
 */
function hasSelection(): boolean {
  return viewOf(useTabs.getState().activeGroup)?.hasSelection() === true
}

/** Appends `@selection` to the draft, unless the draft already contains it. */
export function mentionSelection(): void {
  mention('selection')
}

/** Shows the chat and mentions the active editor's selection, or its file if nothing is selected. */
export function addSelectionToChat(): void {
  if (!hasSelection()) return addFileToChat()
  showChat()
  mentionSelection()
  focusComposer()
}

/** Shows the chat and mentions a file or folder. @param path default: the active file */
export function addFileToChat(path: string | null = activePath()): void {
  if (path === null) return notify('warning', 'No file is open.', { detail: 'Open a file, then add it to the chat.' })
  showChat()
  mention({ path })
  focusComposer()
}

/** Appends a mention to the draft, unless the draft already contains it. */
function mention(target: Mention['target']): void {
  const conversation = useChat.getState().info?.id ?? newDraft
  const draft = useChatView.getState().drafts[conversation] ?? ''
  const text = mentionText(target)
  if (typeof target !== 'string') addMention(conversation, text)
  if (parseMentions(draft).some(({ raw }) => raw === text)) return
  setDraft(conversation, `${draft}${draft === '' || /\s$/.test(draft) ? '' : ' '}${text} `)
}
