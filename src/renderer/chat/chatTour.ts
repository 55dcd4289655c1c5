import type { TourStart } from '../../shared/bridge/appState.ts'
import { request } from '../platform/bridge/bridge.ts'
import { openFile } from '../platform/editor/editorService.ts'
import { useTabs } from '../platform/editor/tabsStore.ts'
import { viewOf } from '../platform/editor/editorViews.ts'
import { currentWorkspace, refreshApp } from '../platform/appState.ts'
import { notifyFailure } from '../platform/notices.ts'
import { showConversation } from '../platform/conversation/chatStore.ts'

/** Shows the tour's conversation, selects the text that the tour replaces, and sends the tour's first message. */
export async function startTour(tour: TourStart): Promise<void> {
  const { workspace, conversation, prompt, selection } = tour
  // Switch to the tour's folder first, which closes the previous folder's tabs.
  if (currentWorkspace()?.root !== workspace.root) await refreshApp()
  showConversation(conversation)
  try {
    await selectText(selection)
  } catch (error) {
    // The tour continues without a selection and inserts its text at the cursor.
    notifyFailure(error, 'The tour could not select its text')
  }
  await request('conversations.send', { id: conversation.info.id, text: prompt })
}

/** Opens a file and selects the first occurrence of a single-line text in it. */
async function selectText({ path, text }: TourStart['selection']): Promise<void> {
  const file = await request('files.read', { path })
  const place = positionOf(file.text, text)
  if (!place) return
  await openFile(path, place)
  const view = viewOf(useTabs.getState().activeGroup)
  if (view?.path() !== path) return
  view.select({
    startLine: place.line,
    startColumn: place.column,
    endLine: place.line,
    endColumn: place.column + text.length,
  })
  // Clear the focus so that an approval card may take it.
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
}

/** @returns the 1-based position of the first occurrence of `text` in `whole`, or undefined */
export function positionOf(whole: string, text: string): { line: number; column: number } | undefined {
  const at = whole.indexOf(text)
  if (at === -1) return undefined
  const before = whole.slice(0, at).split('\n')
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 }
}
