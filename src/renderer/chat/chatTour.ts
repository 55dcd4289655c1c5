import type { TourStart } from '../../shared/protocol.ts'
import { request } from '../platform/bridge/bridge.ts'
import { openFile } from '../platform/editor/editorService.ts'
import { useTabs } from '../platform/editor/tabsStore.ts'
import { viewOf } from '../platform/editor/editorViews.ts'
import { currentWorkspace, refreshApp } from '../platform/appState.ts'
import { notifyFailure } from '../platform/notices.ts'
import { showConversation } from '../platform/conversation/chatStore.ts'

/** Shows the tour's conversation, selects what the tour will replace, and sends its first message. */
export async function startTour(tour: TourStart): Promise<void> {
  const { workspace, conversation, prompt, selection } = tour
  // The window turns to the tour's folder first: that closes the tabs of the one before.
  if (currentWorkspace()?.root !== workspace.root) await refreshApp()
  showConversation(conversation)
  try {
    await selectText(selection)
  } catch (error) {
    // The tour can do without: it says that nothing is selected and writes at the cursor.
    notifyFailure(error, 'The tour could not select its text')
  }
  await request('conversations.send', { id: conversation.info.id, text: prompt })
}

/** Opens a file and selects a text that stands in it, as a user does with Shift and the arrow keys. */
async function selectText({ path, text }: TourStart['selection']): Promise<void> {
  const file = await request('files.read', { path })
  const place = placeOf(file.text, text)
  if (!place) return
  await openFile(path, place)
  const view = viewOf(useTabs.getState().activeGroup)
  if (view?.path() !== path) return
  // The text is one line's.
  view.select({
    startLine: place.line,
    startColumn: place.column,
    endLine: place.line,
    endColumn: place.column + text.length,
  })
  // The tour is watched, not typed: an approval card may take the focus.
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
}

/** Where a text begins in another, 1-based; undefined when it does not stand there. */
export function placeOf(whole: string, text: string): { line: number; column: number } | undefined {
  const at = whole.indexOf(text)
  if (at === -1) return undefined
  const before = whole.slice(0, at).split('\n')
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 }
}
