import { create } from 'zustand'
import { focusAfterRender } from '../layout/focusRegions.ts'
import type { PageName } from '../layout/pages.tsx'
import type { FileViewName } from './fileViews.tsx'
import { neighborOf, type SplitDirection } from './groupLayout.ts'
import {
  activated,
  emptyTabs,
  fileTab,
  isPinned,
  pageTab,
  previewTab,
  withGroup,
  withoutTab,
  withTab,
  type DiffFeature,
  type DiffTab,
  type Group,
  type PageTab,
  type ShowOptions,
  type Tab,
  type TabsState,
} from './tabsState.ts'

export const useTabs = create<TabsState>(() => emptyTabs)

export function showTab(tab: Tab, groupId?: number, options?: ShowOptions): void {
  useTabs.setState((state) => withTab(state, tab, groupId, options))
}

/** Makes a preview tab permanent, so that the next preview opens beside it. */
export function keepTab(id: string): void {
  if (!useTabs.getState().groups.some((group) => group.preview === id)) return
  useTabs.setState(({ groups }) => ({
    groups: groups.map((group) => (group.preview === id ? { ...group, preview: null } : group)),
  }))
}

/** Updates an open diff in place, for example after its file changed. Does not activate it. */
export function updateDiff(diff: DiffTab): void {
  useTabs.setState((state) => ({
    groups: state.groups.map((group) =>
      group.tabs.some(({ id }) => id === diff.id)
        ? { ...group, tabs: group.tabs.map((tab) => (tab.id === diff.id ? diff : tab)) }
        : group,
    ),
  }))
}

export function listOpenDiffs(feature: DiffFeature): DiffTab[] {
  const diffs = useTabs
    .getState()
    .groups.flatMap(({ tabs }) =>
      tabs.flatMap((tab) => (tab.kind === 'diff' && tab.source?.feature === feature ? [tab] : [])),
    )
  return [...new Map(diffs.map((diff) => [diff.id, diff])).values()]
}

export function removeTab(groupId: number, id: string): void {
  useTabs.setState((state) => withoutTab(state, groupId, id))
}

/** Shows a page of the workbench and focuses it. */
export function openPage(page: PageName): void {
  showTab(pageTab(page))
  focusTabContent()
}

/** Shows a preview of a file in the active group and focuses it. */
export function showPreview(path: string, view: FileViewName): void {
  showTab(previewTab(path, view))
  focusTabContent()
}

/**
 * Focuses the active tab's panel once it is rendered, so that Tab continues inside it, or its `data-autofocus` control
 * if that already exists. For tabs without a text editor, which takes the focus itself.
 */
export function focusTabContent(): void {
  focusAfterRender(() => {
    const panel = document.getElementById(tabPanelId(useTabs.getState().activeGroup))
    if (!panel || panel.contains(document.activeElement)) return
    const control = panel.querySelector<HTMLElement>('[data-autofocus]') ?? panel
    control.focus({ preventScroll: true })
  })
}

export function focusGroup(groupId: number): void {
  if (useTabs.getState().activeGroup !== groupId) useTabs.setState({ activeGroup: groupId })
}

/** Pins a tab, which moves it behind the group's pinned ones, or unpins it. A pinned tab is no preview. */
export function setPinned(groupId: number, id: string, pinned: boolean): void {
  useTabs.setState((state) => ({
    groups: state.groups.map((group) => {
      const tab = group.tabs.find((other) => other.id === id)
      if (group.id !== groupId || !tab || isPinned(group, id) === pinned) return group
      const others = (group.pinned ?? []).filter((other) => other !== id)
      return {
        ...group,
        tabs: group.tabs.filter((other) => other !== tab).toSpliced(others.length, 0, tab),
        pinned: pinned ? [...others, id] : others,
        preview: group.preview === id ? null : group.preview,
      }
    }),
  }))
}

/**
 * Moves a tab to group `to`, before the tab `before` or to the end. For drag and drop. Pinned tabs stay first, and a
 * pinned tab loses its pin in another group.
 */
export function moveTab(from: number, id: string, to: number, before?: string): void {
  const tab = useTabs
    .getState()
    .groups.find((group) => group.id === from)
    ?.tabs.find((other) => other.id === id)
  if (!tab || before === id) return
  useTabs.setState((state) => {
    const removed =
      from === to
        ? {
            ...state,
            groups: state.groups.map((group) =>
              group.id === from
                ? {
                    ...group,
                    tabs: group.tabs.filter((other) => other.id !== id),
                    preview: group.preview === id ? null : group.preview,
                  }
                : group,
            ),
          }
        : withoutTab(state, from, id)
    const groups = removed.groups.map((group) => {
      if (group.id !== to) return group
      const others = group.tabs.filter((other) => other.id !== id)
      const index = others.findIndex((other) => other.id === before)
      const pins = (group.pinned ?? []).filter((other) => other !== id).length
      const wanted = index < 0 ? others.length : index
      const position = isPinned(group, id) ? Math.min(wanted, pins) : Math.max(wanted, pins)
      return activated({ ...group, tabs: others.toSpliced(position, 0, tab) }, id)
    })
    return { ...removed, groups, activeGroup: to, closed: state.closed }
  })
}

/** Shows the active tab in a new group too, on the right or below. */
export function splitEditor(direction: SplitDirection): void {
  useTabs.setState((state) => {
    const tab = activeTab(state)
    if (!tab) return state
    const { state: split, id } = withGroup(state, tab, direction)
    return { ...split, activeGroup: id }
  })
}

/** Shows a tab in a new group beside group `at`, which becomes active. */
export function showInNewGroup(tab: Tab, at: number, direction: SplitDirection): void {
  useTabs.setState((state) => {
    const { state: split, id } = withGroup(state, tab, direction, at)
    return { ...split, activeGroup: id }
  })
}

/** Moves or copies a tab to a new group beside group `at`. The only tab of `at` stays there. */
export function moveToNewGroup(from: number, id: string, at: number, direction: SplitDirection, copies: boolean): void {
  const state = useTabs.getState()
  const group = state.groups.find((each) => each.id === from)
  const tab = group?.tabs.find((other) => other.id === id)
  if (!group || !tab || (!copies && from === at && group.tabs.length === 1)) return
  showInNewGroup(tab, at, direction)
  if (copies) return
  const split = useTabs.getState()
  useTabs.setState({ ...withoutTab(split, from, id), activeGroup: split.activeGroup, closed: state.closed })
}

/** Returns the group after the active one, or else the one before; undefined if there is only one. */
function groupBeside({ groups, activeGroup }: TabsState): Group | undefined {
  const index = groups.findIndex(({ id }) => id === activeGroup)
  return groups[index + 1] ?? groups[index - 1]
}

/** Shows a tab in the group beside the active one, creating it if necessary. The active group stays active. */
export function showBeside(tab: Tab): void {
  const { activeGroup } = useTabs.getState()
  useTabs.setState((state) => {
    const beside = groupBeside(state)
    return beside ? withTab(state, tab, beside.id) : withGroup(state, tab, 'right').state
  })
  focusGroup(activeGroup)
}

/** Shows a tab in the group on the right of the active one, creating it if necessary, and makes this group active. */
export function showToSide(tab: Tab): void {
  useTabs.setState((state) => {
    const active = state.groups.find(({ id }) => id === state.activeGroup)
    const beside = active?.tabs.length === 0 ? active.id : neighborOf(state.layout, state.activeGroup, 'right')
    if (beside !== undefined) return withTab(state, tab, beside)
    const { state: split, id } = withGroup(state, tab, 'right')
    return { ...split, activeGroup: id }
  })
}

/** Moves the active tab to the next (1) or previous (-1) group. A new group is created after the last one. */
export function moveToGroup(step: 1 | -1): void {
  const state = useTabs.getState()
  const tab = activeTab(state)
  const index = state.groups.findIndex(({ id }) => id === state.activeGroup)
  const target = state.groups[index + step]
  if (!tab || (!target && (step < 0 || (state.groups[index]?.tabs.length ?? 0) < 2))) return
  if (target) return moveTab(state.activeGroup, tab.id, target.id)
  const { state: split, id } = withGroup(state, tab, 'right')
  useTabs.setState({ ...withoutTab(split, state.activeGroup, tab.id), activeGroup: id, closed: state.closed })
}

/** Activates the next (1) or previous (-1) tab of the active group. */
export function stepTab(step: 1 | -1): void {
  useTabs.setState((state) => ({
    groups: state.groups.map((group) => {
      if (group.id !== state.activeGroup || group.tabs.length === 0) return group
      const index = group.tabs.findIndex((tab) => tab.id === group.active)
      return activated(group, group.tabs[(index + step + group.tabs.length) % group.tabs.length]?.id ?? group.active)
    }),
  }))
}

/**
 * Renames a file in all tabs. If a group already has a tab with the new path, that tab replaces the renamed one.
 * @param onlyGroup renames only the file's tab in this group
 */
export function renameTabs(from: string, to: string, onlyGroup?: number): void {
  const isTabOf = (tab: Tab): tab is Exclude<Tab, PageTab> =>
    (onlyGroup === undefined ? tab.kind !== 'page' : tab.kind === 'file') && 'path' in tab && tab.path === from
  useTabs.setState((state) => ({
    groups: state.groups.map((group) => {
      if (onlyGroup !== undefined && group.id !== onlyGroup) return group
      const all = group.tabs.map((tab) => (isTabOf(tab) ? tabOfPath(tab, to) : tab))
      const ids = new Map(group.tabs.map(({ id }, index) => [id, all[index]?.id ?? id]))
      const renamed = (id: string) => ids.get(id) ?? id
      const isNew = (tab: Tab, index: number) => tab === group.tabs[index] || !ids.has(tab.id)
      const tabs = all.filter((tab, index) => isNew(tab, index) || tab.kind === 'diff')
      const preview = group.preview && renamed(group.preview)
      const pinned = group.pinned?.map(renamed).filter((id) => tabs.some((tab) => tab.id === id))
      return {
        ...group,
        // An open tab with the new path that the pinned one becomes can be behind others.
        tabs: tabs.toSorted(
          (a, b) => Number(pinned?.includes(b.id) ?? false) - Number(pinned?.includes(a.id) ?? false),
        ),
        active: group.active && renamed(group.active),
        used: group.used && [...new Set(group.used.map(renamed).toReversed())].toReversed(),
        pinned,
        // A tab that was already open is not a preview.
        preview: preview !== group.preview && ids.has(preview ?? '') ? null : preview,
      }
    }),
  }))
}

/** Returns a tab with another path. A diff keeps its id, which its feature chose. */
function tabOfPath(tab: Exclude<Tab, PageTab>, path: string): Tab {
  if (tab.kind === 'file') return fileTab(path)
  return tab.kind === 'preview' ? previewTab(path, tab.view) : { ...tab, path }
}

/** Returns the distinct paths of files in all tabs, loaded or not. */
export function listTabPaths(): string[] {
  return [
    ...new Set(
      useTabs
        .getState()
        .groups.flatMap((group) => group.tabs.flatMap((tab) => (tab.kind === 'page' ? [] : [tab.path]))),
    ),
  ]
}

export function activeTab(state: TabsState = useTabs.getState()): Tab | null {
  const group = state.groups.find(({ id }) => id === state.activeGroup)
  return group?.tabs.find((tab) => tab.id === group.active) ?? null
}

/** Returns the path of the active file; null if the active tab is a page or a diff. */
export function activePath(state: TabsState = useTabs.getState()): string | null {
  const tab = activeTab(state)
  return tab?.kind === 'file' ? tab.path : null
}

/** Returns the path of the file whose current text a tab shows, as a file or as one side of a diff. */
export function documentPath(tab: Tab | null): string | null {
  if (tab === null || tab.kind === 'page' || tab.kind === 'preview') return null
  return tab.kind === 'file' || tab.modified === null ? tab.path : null
}

/** A file and the editor group of its tab. */
export interface FileInGroup {
  groupId: number
  path: string
}

/**
 * Returns the active group's visible file, or the other group's if the active one shows a page or diff; null if no file
 * is visible.
 */
export function visibleFile(state: TabsState = useTabs.getState()): FileInGroup | null {
  for (const group of activeGroupFirst(state)) {
    const tab = group.tabs.find(({ id }) => id === group.active)
    if (tab?.kind === 'file') return { groupId: group.id, path: tab.path }
  }
  return null
}

/** Returns the visible file, or else the most recently used file in a hidden tab. */
export function lastUsedFile(): FileInGroup | null {
  const state = useTabs.getState()
  const shown = visibleFile(state)
  if (shown) return shown
  for (const group of activeGroupFirst(state)) {
    const used = [...(group.used ?? [])].reverse().map((id) => group.tabs.find((tab) => tab.id === id))
    const tab = [...used, ...group.tabs].find((other) => other?.kind === 'file')
    if (tab?.kind === 'file') return { groupId: group.id, path: tab.path }
  }
  return null
}

function activeGroupFirst(state: TabsState): Group[] {
  return state.groups.toSorted((a, b) => Number(b.id === state.activeGroup) - Number(a.id === state.activeGroup))
}

/** Returns the distinct paths of all file tabs, in order. */
export function listOpenPaths(state: TabsState = useTabs.getState()): string[] {
  return [
    ...new Set(state.groups.flatMap((group) => group.tabs.flatMap((tab) => (tab.kind === 'file' ? [tab.path] : [])))),
  ]
}

/** Whether a file tab or diff shows the current text of this file. */
export function isOpenInTab(path: string): boolean {
  return useTabs.getState().groups.some((group) => group.tabs.some((tab) => documentPath(tab) === path))
}

/** Returns the DOM id of the panel that shows the active tab of a group. */
export const tabPanelId = (groupId: number): string => `tabpanel-${groupId}`

/** Returns the DOM id of a tab. Encodes spaces, because `aria-controls` is a space-separated list. */
export function tabElementId(groupId: number, tabId: string): string {
  return `tab-${groupId}-${tabId.replaceAll(/[\s%]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)}`
}
