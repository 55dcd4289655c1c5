import { handleCommand } from '../platform/commands.ts'
import { contributeEditorExtension } from '../platform/editor/editorExtensions.ts'
import { activePath, useTabs } from '../platform/editor/tabsStore.ts'
import { viewOf } from '../platform/editor/editorViews.ts'
import { showPanel } from '../platform/layout/layoutStore.ts'
import { showCalls, useCalls } from './callsStore.ts'

async function showAtCursor(): Promise<void> {
  const path = activePath()
  const cursor = viewOf(useTabs.getState().activeGroup)?.cursor()
  if (path === null || !cursor) return
  showPanel('calls')
  useCalls.setState({ focusRequested: true })
  await showCalls({ path, ...cursor }, useCalls.getState().direction)
}

/** Registers the command that shows the calls of the function at the cursor. @returns a function that unregisters it */
export function registerCalls(): () => void {
  const stops = [
    handleCommand('calls.show', showAtCursor),
    contributeEditorExtension(async () => (await import('./callsMenuItem.ts')).addCallsItem),
  ]
  return () => stops.forEach((stop) => stop())
}
