import type { ConversationItem } from '../../../shared/agent/conversation.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { useChat } from '../../platform/conversation/chatStore.ts'
import { formatKeys } from '../../platform/keymap/keyNotation.ts'
import { attempt } from '../../platform/notices.ts'
import type { MenuGroup, MenuItem } from '../../ui/index.ts'
import { addToDraft, fenced } from '../draftText.ts'

/** What the user right-clicked in the transcript. */
export interface TranscriptTarget {
  /** Selected text of the transcript; '' if nothing is selected. */
  selection: string
  item?: ConversationItem | undefined
  code?: { text: string; language: string } | undefined
  /** URL of a web link. */
  link?: string | undefined
}

/** Elements with their own context menu or their own selection: text fields, terminals and editors. */
const nativeMenuSelector = 'input, textarea, .xterm, .monaco-editor'

/** Reads a context menu's target from the DOM. @returns undefined if the element keeps its native menu */
export function transcriptTarget(element: Element, transcript: Element): TranscriptTarget | undefined {
  if (element.closest(nativeMenuSelector)) return undefined
  const itemId = element.closest<HTMLElement>('[data-item-id]')?.dataset['itemId']
  const block = element.closest<HTMLElement>('.code-block')
  return {
    selection: selectedText(transcript),
    item: itemId === undefined ? undefined : useChat.getState().items[itemId],
    code: block
      ? {
          text: (block.querySelector('code')?.textContent ?? '').replace(/\n$/, ''),
          language: block.dataset['language'] ?? '',
        }
      : undefined,
    link: element.closest<HTMLAnchorElement>('a[href]')?.href,
  }
}

function selectedText(transcript: Element): string {
  const selection = getSelection()
  if (!selection || selection.isCollapsed) return ''
  return transcript.contains(selection.anchorNode) && transcript.contains(selection.focusNode)
    ? selection.toString()
    : ''
}

/** Builds the context menu for a target in the transcript. */
export function transcriptMenuGroups({ selection, item, code, link }: TranscriptTarget): MenuGroup[] {
  const itemText = item ? textOf(item) : ''
  const addition = selection ? quoted(selection) : code ? fenced(code) : quoted(itemText)
  const copyItems: MenuItem[] = [
    {
      id: 'copy',
      label: 'Copy',
      shortcut: formatKeys('Mod+C'),
      disabled: selection === '',
      run: () => copy(selection),
    },
    ...(itemText === ''
      ? []
      : [
          {
            id: 'copy-message',
            label: item?.kind === 'tool' ? 'Copy result' : 'Copy message',
            run: () => copy(itemText),
          },
        ]),
    ...(code ? [{ id: 'copy-code', label: 'Copy code', run: () => copy(code.text) }] : []),
    ...(link === undefined ? [] : [{ id: 'copy-link', label: 'Copy link', run: () => copy(link) }]),
    { id: 'copy-conversation', label: 'Copy conversation', run: copyConversation },
  ]
  const add: MenuItem = {
    id: 'add-to-message',
    label: 'Add to message',
    disabled: addition === '',
    run: () => addToDraft(addition),
  }
  return [{ items: copyItems }, { items: [add] }]
}

/** The text of an item as sent to or received from the model. */
function textOf(item: ConversationItem): string {
  return item.kind === 'tool' ? (item.result?.text ?? '') : item.text
}

function copy(text: string): void {
  attempt(() => navigator.clipboard.writeText(text), 'The text could not be copied')
}

function copyConversation(): void {
  const id = useChat.getState().info?.id
  if (id === undefined) return
  attempt(async () => {
    const { text } = await request('conversations.export', { id, format: 'markdown' })
    await navigator.clipboard.writeText(text)
  }, 'The conversation could not be copied')
}

function quoted(text: string): string {
  return text.trim().replaceAll(/^/gm, '> ').replaceAll(/^> $/gm, '>').replace(/^>$/, '')
}
