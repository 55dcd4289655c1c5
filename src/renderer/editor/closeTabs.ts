import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { fileTab, isPinned, type Group, type Tab } from '../platform/editor/tabsState.ts'
import { activeTab, documentPath, focusTabContent, showTab, tabPanelId, useTabs } from '../platform/editor/tabsStore.ts'
import { useUnsavedPages } from '../platform/layout/pages.tsx'
import { attempt } from '../platform/notices.ts'
import { dropTab, openFile, showAndFocus } from './openTab.ts'
import { forgetSavedPaths, savedPathOf } from './saveAs.ts'
import { confirmUnsaved } from './unsavedChanges.ts'

async function closeTabs(tabs: readonly { group: Group; tab: Tab }[]): Promise<void> {
  forgetSavedPaths()
  if (!(await confirmUnsaved(unsavedPathsLostBy(tabs)))) return
  const { activeElement } = document
  const hadFocus = tabs.some(({ group }) => document.getElementById(tabPanelId(group.id))?.contains(activeElement))
  for (const { group, tab } of tabs) dropTab(group.id, tab.kind === 'file' ? fileTab(savedPathOf(tab.path)) : tab)
  const shown = activeTab()
  if (!hadFocus || !shown) return
  // The content below a closed page takes its focus.
  if (shown.kind === 'file') attempt(() => showAndFocus(shown, useTabs.getState().activeGroup))
  else focusTabContent()
}

function tabsWhere(matches: (group: Group, tab: Tab) => boolean): { group: Group; tab: Tab }[] {
  return useTabs
    .getState()
    .groups.flatMap((group) => group.tabs.filter((tab) => matches(group, tab)).map((tab) => ({ group, tab })))
}

export function closeTab(groupId: number, id: string): Promise<void> {
  return closeTabs(tabsWhere((group, tab) => group.id === groupId && tab.id === id))
}

/** Closes the other tabs of a group. Pinned ones stay. */
export function closeOthers(groupId: number, id: string): Promise<void> {
  return closeTabs(tabsWhere((group, tab) => group.id === groupId && tab.id !== id && !isPinned(group, tab.id)))
}

/** Closes the tabs of a group behind another one. Pinned ones stay. */
export function closeRight(groupId: number, id: string): Promise<void> {
  const tabs = tabsWhere((group) => group.id === groupId)
  const from = tabs.findIndex(({ tab }) => tab.id === id) + 1
  return closeTabs(tabs.slice(from).filter(({ group, tab }) => !isPinned(group, tab.id)))
}

/** Closes the tabs of a group that have no unsaved changes. Pinned ones stay. */
export function closeSaved(groupId: number): Promise<void> {
  return closeTabs(tabsWhere((group, tab) => group.id === groupId && !isPinned(group, tab.id) && !isUnsaved(tab)))
}

function isUnsaved(tab: Tab): boolean {
  const path = documentPath(tab)
  return path === null ? tab.id in useUnsavedPages.getState() : documents.get(path)?.dirty === true
}

/** Closes the tabs of a group. Pinned ones stay. */
export function closeGroup(groupId: number): Promise<void> {
  return closeTabs(tabsWhere((group, tab) => group.id === groupId && !isPinned(group, tab.id)))
}

/** Closes all tabs of all groups. Pinned ones stay. */
export function closeAll(): Promise<void> {
  return closeTabs(tabsWhere((group, tab) => !isPinned(group, tab.id)))
}

/** Closes a tab by key or mouse. Shows the next one instead of closing a pinned tab, as VS Code does. */
export async function closeUnpinned(groupId: number, id: string): Promise<void> {
  const group = useTabs.getState().groups.find((each) => each.id === groupId)
  if (!group || !isPinned(group, id)) return closeTab(groupId, id)
  const next = group.tabs.find((tab) => !isPinned(group, tab.id))
  if (group.active === id && next) showTab(next, groupId)
}

export async function closeActiveTab(): Promise<void> {
  const tab = activeTab()
  if (tab) await closeUnpinned(useTabs.getState().activeGroup, tab.id)
}

export async function reopenClosed(): Promise<void> {
  const path = useTabs.getState().closed.at(-1)
  if (path !== undefined) await openFile(path)
}

/** Paths whose unsaved text would be lost with these tabs. A file that is open in another tab loses nothing. */
function unsavedPathsLostBy(tabs: readonly { group: Group; tab: Tab }[]): string[] {
  const closing = new Set(tabs.map(({ group, tab }) => `${group.id} ${tab.id}`))
  const kept = useTabs
    .getState()
    .groups.flatMap((group) => group.tabs.filter((tab) => !closing.has(`${group.id} ${tab.id}`)))
  const keptPaths = new Set(kept.flatMap((tab) => documentPath(tab) ?? []))
  const paths = tabs.flatMap(({ tab }) => {
    const path = documentPath(tab)
    return path !== null && documents.get(path)?.dirty && !keptPaths.has(path) ? [path] : []
  })
  return [...new Set(paths)]
}
