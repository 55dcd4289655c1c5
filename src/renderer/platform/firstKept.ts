import { create } from 'zustand'
import { currentWorkspace, saveSettings, useApp } from './appState.ts'
import { useTabs } from './editor/tabsStore.ts'
import { attempt } from './notices.ts'

/** What this window has seen in each folder, by root: a change of the model, or one that the user kept. */
export const useFirstChanges = create<{ folders: Readonly<Record<string, 'changed' | 'kept'>> }>(() => ({
  folders: {},
}))

/** Records that the review of the open folder has a change. */
export function recordChangeSeen(): void {
  record('changed')
}

/** Records that the user kept a change of the model, which ends the first steps if they are shown. */
export function recordFirstKept(): void {
  record('kept')
  const { state } = useApp.getState()
  if (!state || state.workspace?.tour) return
  const { firstSteps } = state.settings
  if (firstSteps === 'show' || (firstSteps === 'hidden' && isTabOpen()))
    attempt(() => saveSettings({ firstSteps: 'done' }))
}

function record(seen: 'changed' | 'kept'): void {
  const root = currentWorkspace()?.root
  const { folders } = useFirstChanges.getState()
  if (root !== undefined && folders[root] !== 'kept' && folders[root] !== seen)
    useFirstChanges.setState({ folders: { ...folders, [root]: seen } })
}

/** Whether a tab shows the first steps, which the user can open again after hiding them. */
function isTabOpen(): boolean {
  return useTabs
    .getState()
    .groups.some(({ tabs }) => tabs.some((tab) => tab.kind === 'page' && tab.page === 'firstSteps'))
}
