import { isWithoutFolder } from '../../shared/files/outsideFiles.ts'
import { create } from 'zustand'
import type { RequestResult } from '../../shared/bridge/protocol.ts'
import type { AppState, WorkspaceInfo } from '../../shared/bridge/appState.ts'
import { isUntitled } from '../../shared/files/untitled.ts'
import { foldersOf, movedPath, type WorkspaceFolder } from '../../shared/files/workspaceFolders.ts'
import { on, request } from '../platform/bridge/bridge.ts'
import { cursorOf, forgetCursors, moveCursors, rememberCursor } from '../editor/cursors.ts'
import { chosenLanguages } from '../platform/editor/documents/chosenLanguages.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import {
  emptyTabs,
  fileTab,
  isPinned,
  pageTab,
  previewTab,
  withMovedPaths,
  type Group,
  type Tab,
  type TabsState,
} from '../platform/editor/tabsState.ts'
import { isOpenInTab, useTabs } from '../platform/editor/tabsStore.ts'
import { checkedLayout, groupsIn, withGroupIds, type GroupLayout } from '../platform/editor/groupLayout.ts'
import { clearNavigationHistory, moveNavigationHistory } from '../editor/navigationHistory.ts'
import type { FileViewName } from '../platform/editor/fileViews.tsx'
import type { PageName } from '../platform/layout/pages.tsx'
import type { Position } from '../platform/editor/editorViews.ts'
import { subscribeToDrafts, restoreDrafts, storedDrafts, type StoredDrafts } from '../chat/draftStorage.ts'
import { tree, rootPath, useTree } from '../explorer/fileTree.ts'
import { search, useSearch, type SearchOptions } from '../search/searchStore.ts'
import { currentWorkspace, folderChange, onAppState, showsSameFolders } from '../platform/appState.ts'
import {
  defaultLayout,
  initialLayout,
  showSideBar,
  useLayout,
  type LayoutState,
} from '../platform/layout/layoutStore.ts'
import { notifyFailure } from '../platform/notices.ts'
import { Delayer } from '../../shared/async/delayer.ts'
import { Latest } from '../../shared/async/latest.ts'

type SavedTab =
  | { file: string; cursor?: Position; stamp?: string; preview?: true; pinned?: true; language?: string }
  | { page: PageName; pinned?: true }
  | { view: FileViewName; path: string; preview?: true; pinned?: true }

/** Stored window state of a workspace. Diff tabs are not stored, because their texts become outdated. */
interface SavedLayout {
  version: 1
  layout: LayoutState
  groups: { tabs: SavedTab[]; active: number }[]
  /** Arrangement of the groups, whose ids are their positions in `groups`, from 1. Absent in older layouts: a row. */
  arrangement?: GroupLayout
  activeGroup: number
  expanded: string[]
  /** Options of the last search. */
  search?: SearchOptions
  drafts?: StoredDrafts
}

/**
 * Milliseconds between a change and saving it. Later changes do not extend the delay, because a page that unloads may
 * be unable to save.
 */
const saveDelayMs = 100

function savedTab(tab: Tab, group: Group): SavedTab[] {
  const preview = tab.id === group.preview || undefined
  const pinned = isPinned(group, tab.id) || undefined
  if (tab.kind === 'page') return [{ page: tab.page, pinned }]
  if (tab.kind === 'preview') return [{ view: tab.view, path: tab.path, preview, pinned }]
  if (tab.kind !== 'file') return []
  const dirty = documents.get(tab.path)?.dirty
  return [
    {
      file: tab.path,
      cursor: cursorOf(tab.path) ?? undefined,
      stamp: dirty ? documents.stamp(tab.path) : undefined,
      preview,
      pinned,
      language: chosenLanguages.getState()[tab.path],
    },
  ]
}

/** Serializes the window for `layout.save`. */
function serializeLayout(): string {
  const { groups, layout, activeGroup } = useTabs.getState()
  const saved: SavedLayout = {
    version: 1,
    layout: useLayout.getState(),
    groups: groups.map((group) => {
      const kept = group.tabs.filter((tab) => tab.kind !== 'diff')
      return {
        tabs: kept.flatMap((tab) => savedTab(tab, group)),
        active: kept.findIndex(({ id }) => id === group.active),
      }
    }),
    arrangement: withGroupIds(layout, (group) => groups.findIndex(({ id }) => id === group) + 1),
    activeGroup: groups.findIndex(({ id }) => id === activeGroup),
    expanded: [...useTree.getState().expanded],
    search: useSearch.getState().options,
    drafts: storedDrafts(),
  }
  return JSON.stringify(saved)
}

/** Parses a stored layout; null if it is invalid or from another version. */
function parseLayout(text: string | null): SavedLayout | null {
  if (text === null) return null
  try {
    const saved = JSON.parse(text) as SavedLayout // Written by serializeLayout. Other versions are rejected below.
    return saved.version === 1 && Array.isArray(saved.groups) ? saved : null
  } catch {
    return null
  }
}

function restoredTab(tab: SavedTab): Tab {
  if ('file' in tab) return fileTab(tab.file)
  return 'view' in tab ? previewTab(tab.path, tab.view) : pageTab(tab.page)
}

function tabsOf(saved: SavedLayout): TabsState {
  const groups = saved.groups.map(({ tabs, active }, index) => {
    const restored = tabs.map(restoredTab)
    const preview = restored[tabs.findIndex((tab) => 'preview' in tab && tab.preview)]?.id ?? null
    const pinned = restored.filter((_tab, position) => tabs[position]?.pinned).map(({ id }) => id)
    return { id: index + 1, tabs: restored, active: (restored[active] ?? restored[0])?.id ?? null, preview, pinned }
  })
  const filled = groups.filter(({ tabs }, index) => tabs.length > 0 || index === 0)
  if (filled.length === 0) return emptyTabs
  const layout = checkedLayout(
    saved.arrangement,
    filled.map(({ id }) => id),
  )
  const order = groupsIn(layout)
  return {
    groups: filled.toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id)),
    layout,
    activeGroup: filled.find(({ id }) => id === saved.activeGroup + 1)?.id ?? order[0] ?? 1,
    closed: [],
  }
}

/**
 * Restores unsaved text that main kept while the page was reloaded. Called before tabs are shown, because main deletes
 * its copy when a tab is loaded without it.
 */
async function restoreBuffers(saved: SavedLayout | null, buffers: RequestResult<'buffers.list'>): Promise<void> {
  const stamps = new Map(savedFiles(saved).map(({ file, stamp }) => [file, stamp]))
  await Promise.all(
    buffers.map(async ({ path, dirty, text, stamp, format }) => {
      if (dirty && text !== null) await documents.restore(path, { text, stamp: stamp ?? stamps.get(path), format })
    }),
  )
}

function savedFiles(saved: SavedLayout | null): Extract<SavedTab, { file: string }>[] {
  return saved?.groups.flatMap(({ tabs }) => tabs.flatMap((tab) => ('file' in tab ? [tab] : []))) ?? []
}

/** Opens tabs for files with unsaved text that have none. */
function showUnsaved(): void {
  for (const path of documents.dirtyPaths()) {
    if (isOpenInTab(path)) continue
    useTabs.setState((state) => ({
      groups: state.groups.map((group, index) =>
        index === 0
          ? { ...group, tabs: [...group.tabs, fileTab(path)], active: group.active ?? fileTab(path).id }
          : group,
      ),
    }))
  }
}

/**
 * Folder whose layout has been restored. The workbench renders only then, because panels read their size on mount.
 * `layout` identifies what was restored: it stays the same if the folder became one of several.
 */
export const useRestoredFolder = create<{ root: string | null; layout: number }>(() => ({ root: null, layout: 0 }))

function showRestored(root: string | null): void {
  useRestoredFolder.setState(({ root: before, layout }) => ({ root, layout: root === before ? layout : layout + 1 }))
}

/** Waits until the layout of the open folder is restored, which replaces all tabs. */
export function layoutRestored(): Promise<void> {
  const isRestored = () => useRestoredFolder.getState().root === (currentWorkspace()?.root ?? null)
  if (isRestored() && currentWorkspace()) return Promise.resolve()
  return new Promise((resolve) => {
    const stop = useRestoredFolder.subscribe(({ root }) => {
      if (root === null || !isRestored()) return
      stop()
      resolve()
    })
  })
}

/** The open folder, and whether its layout is being restored. Nothing is saved in the meantime. */
const folder = { root: null as string | null, shown: null as AppState['workspace'], restoring: false }
/** Another folder can be opened while one is restored. */
const restores = new Latest()

/** Clears the window and restores the stored state of the open folder. */
async function restoreFolder(): Promise<void> {
  const isLatest = restores.begin()
  folder.restoring = true
  try {
    documents.reset()
    forgetCursors()
    chosenLanguages.setState({}, true)
    clearNavigationHistory()
    search.reset()
    useTabs.setState(emptyTabs, true)
    tree.reset()
    if (folder.root === null) return showRestored(null)
    // List the folder while the layout loads.
    const listed = tree.read(rootPath)
    const [layout, buffers] = await Promise.all([request('layout.load', {}), request('buffers.list', {})])
    const saved = parseLayout(layout)
    if (!isLatest()) return
    const expanded = saved?.expanded ?? firstExpanded(folder.shown)
    useLayout.setState(saved ? { ...defaultLayout, ...saved.layout } : initialLayout(innerWidth), true)
    showKeptSessions()
    useTree.setState({ expanded: new Set(expanded) })
    if (saved?.search) search.restore(saved.search)
    restoreDrafts(saved?.drafts)
    for (const { file, cursor, language } of savedFiles(saved)) {
      if (cursor) rememberCursor(file, cursor)
      if (language !== undefined) chosenLanguages.setState({ [file]: language })
    }
    const restored = restoreBuffers(saved, buffers)
    if (saved) useTabs.setState(tabsOf(saved), true)
    showUnsaved()
    showRestored(folder.root)
    await Promise.all([listed, ...expanded.map((path) => tree.read(path)), restored])
  } finally {
    if (isLatest()) {
      showRestored(folder.root)
      folder.restoring = false
    }
  }
}

/** Maximum number of folders of a workspace that are expanded at first, as in VS Code. */
const maxFirstExpanded = 5

/** Returns what the explorer expands in a workspace without a stored layout. */
function firstExpanded(workspace: AppState['workspace']): string[] {
  return workspace?.multiRoot?.folders.slice(0, maxFirstExpanded).map(({ name }) => name) ?? []
}

/**
 * Keeps what the window shows after the user added or removed folders of the workspace or saved it: tabs with their
 * unsaved text and scroll positions, expanded folders, search and drafts. Files get their new paths.
 */
async function keepFolder(from: WorkspaceInfo, to: WorkspaceInfo): Promise<void> {
  restores.begin()
  folder.restoring = false
  const moved = (path: string): string | null => movedPath(from, to, path)
  const languages = Object.entries(chosenLanguages.getState()).flatMap(([path, language]) => {
    const target = isWithoutFolder(path) ? path : moved(path)
    return target === null ? [] : [[target, language] as const]
  })
  // Before the texts, whose models read it.
  chosenLanguages.setState(Object.fromEntries(languages), true)
  moveCursors((path) => (isWithoutFolder(path) ? path : moved(path)))
  const lost = documents.paths().filter((path) => !isWithoutFolder(path) && moved(path) === null)
  documents.moveAll(moved)
  useTabs.setState((state) => withMovedPaths(state, moved))
  for (const path of lost) documents.close(path)
  moveNavigationHistory(moved)
  const { options } = useSearch.getState()
  search.reset()
  search.restore(options)
  const { expanded, selected } = useTree.getState()
  const isAdded = ({ path }: WorkspaceFolder) => !foldersOf(from).some((each) => each.path === path)
  const added = foldersOf(to).filter(isAdded)
  const top = from.multiRoot ? added : foldersOf(to)
  tree.reset([...[...expanded].flatMap((path) => moved(path) ?? []), ...top.map(({ name }) => name)])
  tree.select(selected === null ? null : moved(selected))
  useRestoredFolder.setState({ root: to.root })
  // The services of main are new ones.
  documents.syncAll()
  // Unsaved text of a folder that is no longer shown goes on as an untitled one.
  const buffers = await request('buffers.list', {})
  await restoreBuffers(
    null,
    buffers.filter(({ path }) => isUntitled(path) && !documents.get(path)),
  )
  showUnsaved()
  await tree.refresh()
}

/** Key in the tab's sessionStorage: the user chose another folder in the sessions view. */
const keptSessions = 'tizona.sessions'

/** Keeps the sessions view visible when the page loads again to show the folder of another session. */
function keepSessions(): void {
  const { sideBar } = useLayout.getState()
  if (sideBar.visible && sideBar.view === 'sessions') sessionStorage.setItem(keptSessions, '')
}

function showKeptSessions(): void {
  if (sessionStorage.getItem(keptSessions) === null) return
  sessionStorage.removeItem(keptSessions)
  showSideBar('sessions')
}

/** Saves the layout when it changes, and restores it when a folder is opened. @returns a function that stops it */
export function followLayout(): () => void {
  let lastSaved = ''
  const saveLayout = () => {
    saving.cancel()
    if (folder.restoring || folder.root === null) return
    const layout = serializeLayout()
    if (layout === lastSaved) return
    lastSaved = layout
    // The request fails while disconnected. The next change saves again.
    request('layout.save', { layout }).catch(() => {
      lastSaved = ''
    })
  }
  const saving = new Delayer(saveLayout, saveDelayMs)
  const save = () => {
    if (!folder.restoring && folder.root !== null) saving.start()
  }
  const onWorkspace = ({ workspace, remote }: AppState) => {
    const before = folder.shown
    folder.shown = workspace
    document.title = titleOf(workspace, remote)
    const isSame = (workspace?.root ?? null) === folder.root
    const isChanged = before !== null && workspace !== null && !showsSameFolders(before, workspace)
    folder.root = workspace?.root ?? null
    if (isChanged && (isSame || folderChange.from?.root === before.root)) {
      lastSaved = ''
      keepFolder(before, workspace).catch((error: unknown) => notifyFailure(error, 'The explorer could not be updated'))
      return save()
    }
    if (isSame) return
    lastSaved = ''
    restoreFolder().catch((error: unknown) => notifyFailure(error, 'The layout could not be restored'))
  }
  const stops = [
    onAppState(onWorkspace),
    on('app.moved', keepSessions),
    useTabs.subscribe(save),
    useLayout.subscribe(save),
    useTree.subscribe(save),
    useSearch.subscribe(save),
    subscribeToDrafts(save),
    documents.store.subscribe(save),
    chosenLanguages.subscribe(save),
  ]
  // Cursor moves alone trigger no save, so save them before the page unloads.
  addEventListener('beforeunload', saveLayout)
  addEventListener('pagehide', saveLayout)
  return () => {
    removeEventListener('beforeunload', saveLayout)
    removeEventListener('pagehide', saveLayout)
    saving.cancel()
    stops.forEach((stop) => stop())
  }
}

/** Title of the window: its folder, and the host if that is another machine. */
function titleOf(workspace: AppState['workspace'], remote: AppState['remote']): string {
  const parts = [workspace?.name, remote && `[${remote.host.label}]`].filter(Boolean)
  return parts.length === 0 ? 'Tizona' : `${parts.join(' ')} — Tizona`
}
