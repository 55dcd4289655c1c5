import { isWithoutFolder } from '../../../shared/files/outsideFiles.ts'
import { isUntitled } from '../../../shared/files/untitled.ts'
import type { PageName } from '../layout/pages.tsx'
import type { FileViewName } from './fileViews.tsx'
import { groupsIn, layoutOf, withSplit, type GroupLayout, type SplitDirection } from './groupLayout.ts'

// Tabs and groups as data: what they are, and pure changes of them. tabsStore.ts has the window's.

export interface FileTab {
  kind: 'file'
  id: string
  path: string
}

/** Features that open diffs and can add actions to the bar above them (diffContributions.tsx). */
export type DiffFeature = 'git' | 'gitConflict' | 'review' | 'localHistory'

/** Two texts side by side. `modified: null`: the current text of the open file `path`. */
export interface DiffTab {
  kind: 'diff'
  id: string
  path: string
  title: string
  original: string
  modified: string | null
  /** Numbers of changed lines, if the feature has counted them. */
  counts?: { added: number; removed: number }
  /** What the feature compared. Only that feature reads `detail`. */
  source?: { feature: DiffFeature; detail: unknown }
}

/** A page such as the settings. */
export interface PageTab {
  kind: 'page'
  id: string
  page: PageName
}

/** A preview of a file (fileViews.tsx). */
export interface PreviewTab {
  kind: 'preview'
  id: string
  path: string
  view: FileViewName
}

export type Tab = FileTab | DiffTab | PageTab | PreviewTab

export interface Group {
  id: number
  tabs: Tab[]
  /** Id of the active tab; null if the group has no tabs. */
  active: string | null
  /** Ids of previously active tabs, most recently used last. */
  used?: readonly string[]
  /** Id of the preview tab. The next preview replaces it. */
  preview?: string | null
  /** Ids of pinned tabs. They are first in `tabs`. */
  pinned?: readonly string[]
}

export interface TabsState {
  /** In the order of `layout`. */
  groups: Group[]
  layout: GroupLayout
  activeGroup: number
  /** Paths of closed file tabs, most recently closed last. */
  closed: string[]
}

const maxClosed = 30
export const emptyTabs: TabsState = {
  groups: [{ id: 1, tabs: [], active: null }],
  layout: 1,
  activeGroup: 1,
  closed: [],
}

export const fileTab = (path: string): FileTab => ({ kind: 'file', id: `file:${path}`, path })
export const previewTab = (path: string, view: FileViewName): PreviewTab => ({
  kind: 'preview',
  id: `preview:${view}:${path}`,
  path,
  view,
})
export const pageTab = (page: PageName): PageTab => ({ kind: 'page', id: `page:${page}`, page })

export const isPinned = ({ pinned }: Group, id: string): boolean => pinned?.includes(id) ?? false

/** How to open a tab. Without `preview`, a new tab is permanent, and an open tab keeps its state. */
export interface ShowOptions {
  /** `true`: a new tab replaces its group's preview tab. `false`: an open preview tab becomes permanent. */
  preview?: boolean
  /** Whether a file that is open in another group only is shown there, as by Back and Forward. */
  reveal?: boolean
}

/** Returns the group with a different active tab. */
export function activated(group: Group, id: string | null): Group {
  return { ...group, active: id, used: id === null ? [] : [...(group.used ?? []).filter((other) => other !== id), id] }
}

/**
 * Returns the state with the tab shown: in group `groupId` if given, else in the active group. Pages, diffs and previews
 * of files are shown where they are open.
 */
export function withTab(state: TabsState, tab: Tab, groupId?: number, options: ShowOptions = {}): TabsState {
  const { preview, reveal = tab.kind !== 'file' } = options
  const target =
    state.groups.find((group) => group.id === groupId) ??
    state.groups.find((group) => group.id === state.activeGroup && group.tabs.some((other) => other.id === tab.id)) ??
    (reveal ? state.groups.find((group) => group.tabs.some((other) => other.id === tab.id)) : undefined) ??
    state.groups.find((group) => group.id === state.activeGroup) ??
    state.groups[0]
  if (!target) return state
  const groups = state.groups.map((group) => {
    if (group.id !== target.id) return group
    if (group.tabs.some((other) => other.id === tab.id)) {
      const tabs = group.tabs.map((other) => (other.id === tab.id ? tab : other))
      const kept = preview === false && group.preview === tab.id ? null : group.preview
      return activated({ ...group, tabs, preview: kept }, tab.id)
    }
    if (!preview) return activated({ ...group, tabs: tabsWith(group, tab) }, tab.id)
    const replaced = group.tabs.findIndex((other) => other.id === group.preview)
    const used = group.used?.filter((id) => id !== group.preview)
    const tabs = replaced < 0 ? tabsWith(group, tab) : group.tabs.toSpliced(replaced, 1, tab)
    return activated({ ...group, tabs, used, preview: tab.id }, tab.id)
  })
  const closed = tab.kind === 'file' ? state.closed.filter((path) => path !== tab.path) : state.closed
  return { ...state, groups, activeGroup: target.id, closed }
}

/** Returns a group's tabs with a new one after the active tab, and after pinned ones. */
function tabsWith(group: Group, tab: Tab): Tab[] {
  const after = group.tabs.findIndex((other) => other.id === group.active) + 1
  return group.tabs.toSpliced(Math.max(after || group.tabs.length, group.pinned?.length ?? 0), 0, tab)
}

/**
 * Returns the state without the tab. Activates the most recently used tab, else the one on the right, else the one on
 * the left. Removes a group that becomes empty, unless it is the only one.
 */
export function withoutTab(state: TabsState, groupId: number, id: string): TabsState {
  const closedTab = state.groups.find((group) => group.id === groupId)?.tabs.find((tab) => tab.id === id)
  if (!closedTab) return state
  const groups = state.groups
    .map((group) => {
      if (group.id !== groupId) return group
      const index = group.tabs.findIndex((tab) => tab.id === id)
      const tabs = group.tabs.toSpliced(index, 1)
      const used = (group.used ?? []).filter((other) => other !== id)
      const preview = group.preview === id ? null : group.preview
      const pinned = group.pinned?.filter((other) => other !== id)
      if (group.active !== id) return { ...group, tabs, used, preview, pinned }
      const next = used.at(-1) ?? (tabs[index] ?? tabs[index - 1])?.id ?? null
      return activated({ ...group, tabs, used, preview, pinned }, next)
    })
    .filter((group, _index, all) => group.tabs.length > 0 || all.length === 1)
  const kept = groups.length > 0 ? groups : emptyTabs.groups
  const activeGroup = kept.some((group) => group.id === state.activeGroup) ? state.activeGroup : (kept[0]?.id ?? 1)
  const closed =
    closedTab.kind === 'file' && !isUntitled(closedTab.path)
      ? [...state.closed.filter((path) => path !== closedTab.path), closedTab.path].slice(-maxClosed)
      : state.closed
  // Groups become empty one at a time, so at least one remains.
  const layout = layoutOf(state.layout, (group) => kept.some((each) => each.id === group)) ?? emptyTabs.layout
  return { groups: kept, layout, activeGroup, closed }
}

/** Returns the state with a new group that shows a tab, beside group `at`. It does not become active. */
export function withGroup(
  state: TabsState,
  tab: Tab,
  direction: SplitDirection,
  at = state.activeGroup,
): { state: TabsState; id: number } {
  const id = Math.max(...state.groups.map((group) => group.id)) + 1
  const layout = withSplit(state.layout, at, id, direction)
  const groups = [...state.groups, { id, tabs: [tab], active: tab.id, used: [tab.id] }]
  const order = groupsIn(layout)
  return {
    id,
    state: { ...state, layout, groups: groups.toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id)) },
  }
}

/**
 * Returns the state with new paths of all files. Closes diffs, whose texts are of the old paths, and tabs of library
 * files, whose ids are those of the old session.
 * @param moved returns null for a file that the window no longer contains, whose tabs close
 */
export function withMovedPaths(state: TabsState, moved: (path: string) => string | null): TabsState {
  const movedTab = (tab: Tab): Tab | null => {
    if (tab.kind === 'page' || (tab.kind === 'preview' && tab.view === 'userFile')) return tab
    if (tab.kind === 'file' && isWithoutFolder(tab.path)) return tab
    if (tab.kind === 'diff' || (tab.kind === 'preview' && tab.view === 'library')) return null
    const path = moved(tab.path)
    if (path === null) return null
    return tab.kind === 'file' ? fileTab(path) : previewTab(path, tab.view)
  }
  const lost = state.groups.flatMap(({ id, tabs }) =>
    tabs.filter((tab) => movedTab(tab) === null).map((tab) => ({ groupId: id, id: tab.id })),
  )
  const kept = lost.reduce((next, { groupId, id }) => withoutTab(next, groupId, id), state)
  return {
    ...kept,
    groups: kept.groups.map((group) => {
      const tabs = group.tabs.map((tab) => movedTab(tab) ?? tab)
      const ids = new Map(group.tabs.map(({ id }, index) => [id, tabs[index]?.id ?? id]))
      const movedId = (id: string): string => ids.get(id) ?? id
      return {
        ...group,
        tabs,
        active: group.active && movedId(group.active),
        used: group.used?.map(movedId),
        preview: group.preview && movedId(group.preview),
        pinned: group.pinned?.map(movedId),
      }
    }),
    closed: state.closed.flatMap((path) => moved(path) ?? []),
  }
}
