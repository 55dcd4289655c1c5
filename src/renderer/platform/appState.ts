import { create } from 'zustand'
import { toFailure, type Failure } from '../../shared/errors.ts'
import type { AppState, HostFeatures, WorkspaceInfo } from '../../shared/bridge/appState.ts'
import { absolutePath } from '../../shared/files/workspaceFolders.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import { on, onConnected, request } from './bridge/bridge.ts'
import { notifyFailure } from './notices.ts'
import { Latest } from '../../shared/async/latest.ts'

interface AppStore {
  /** Null until main has responded. */
  state: AppState | null
  /** Why the first request for the state failed. Shown instead of the window. */
  failure: Failure | null
}

/**
 * State of the main process. `settings`, `workspace`, `sandbox` and `recents` stay current; other fields are from the
 * last (re)connection.
 */
export const useApp = create<AppStore>(() => ({ state: null, failure: null }))

const listeners = new Set<(state: AppState) => void>()

/**
 * Calls the listener with the whole state at start, after each reconnection and when another folder is opened, so that
 * stores can replace their data. If the state is already loaded, calls the listener immediately.
 * @returns a function that unsubscribes
 */
export function onAppState(listener: (state: AppState) => void): () => void {
  listeners.add(listener)
  const { state } = useApp.getState()
  if (state) listener(state)
  return () => listeners.delete(listener)
}

const requests = new Latest()

/**
 * Loads the whole state from main. Ignores responses to earlier requests, because responses can arrive in any order.
 */
export async function refreshApp(): Promise<void> {
  const isLatest = requests.begin()
  const state = await request('app.state', {})
  if (!isLatest()) return
  useApp.setState({ state, failure: null })
  for (const listener of listeners) listener(state)
}

function patch(changes: Partial<AppState>): void {
  useApp.setState(({ state }) => ({ state: state && { ...state, ...changes } }))
}

/** Like `refreshApp`, but shows a failure: instead of the window if there is no state yet, otherwise as a notice. */
export function loadApp(): void {
  refreshApp().catch((error: unknown) => {
    if (useApp.getState().state === null) useApp.setState({ failure: toFailure(error) })
    else notifyFailure(error)
  })
}

/** Subscribes to changes of the state. @returns a function that unsubscribes */
export function followAppState(): () => void {
  const stops = [
    onConnected(loadApp),
    on('settings.changed', (settings) => patch({ settings })),
    on('keybindings.changed', ({ keybindings }) => patch({ keybindings })),
    on('sandbox.changed', ({ state }) => patch({ sandbox: state })),
    on('remote.changed', (remote) => patch({ remote })),
    on('recents.changed', (recents) => patch({ recents })),
    on('workspace.changed', (workspace) => {
      const before = useApp.getState().state?.workspace
      // The same folders: only a branch or name changed. Others need the whole state.
      if (workspace && before && showsSameFolders(before, workspace)) patch({ workspace })
      else loadApp()
    }),
  ]
  return () => stops.forEach((stop) => stop())
}

/** Whether two states of a window have the same services in main. */
export function showsSameFolders(one: WorkspaceInfo, other: WorkspaceInfo): boolean {
  return one.root === other.root && JSON.stringify(one.multiRoot) === JSON.stringify(other.multiRoot)
}

/**
 * The folders of this window while the user adds some, removes one or saves the workspace. What the window shows then
 * stays, with new paths.
 */
export const folderChange: { from: WorkspaceInfo | null } = { from: null }

/** Saves settings, and updates the state with the settings that main returns. */
export async function saveSettings(settings: Partial<Settings>): Promise<void> {
  patch({ settings: await request('settings.set', settings) })
}

export async function forgetRecent(path: string): Promise<void> {
  await request('workspace.forgetRecent', { path })
}

export function currentWorkspace(): WorkspaceInfo | null {
  return useApp.getState().state?.workspace ?? null
}

export function useWorkspace(): WorkspaceInfo | null {
  return useApp((store) => store.state?.workspace ?? null)
}

export function useSettings(): Settings | null {
  return useApp((store) => store.state?.settings ?? null)
}

/** Returns the host of this window, which determines keys and dialogs. */
export function currentHost(): 'electron' | 'browser' {
  return useApp.getState().state?.shell ?? (window.tizona ? 'electron' : 'browser')
}

/** Whether the folder is on another machine than the window. */
export function isRemote(): boolean {
  return Boolean(useApp.getState().state?.remote)
}

/** Returns the host's features. Before the state is loaded, assumes a browser's. */
export function hostFeatures(): HostFeatures {
  return useApp.getState().state?.hostFeatures ?? { revealFile: false, trash: false }
}

/** Returns main's `process.platform`, for example `darwin`; '' before the state is loaded. */
export function currentPlatform(): string {
  return useApp.getState().state?.platform ?? ''
}

/** Returns the absolute path of a workspace path. */
export function absolutePathOf(path: string): string {
  const workspace = currentWorkspace()
  return workspace ? absolutePath(workspace, path) : path
}

/** What the user knows an open folder by: its path, or that of the workspace's file, or the folders of an unsaved one. */
export function displayPlace({ root, multiRoot }: WorkspaceInfo): string {
  if (!multiRoot) return displayPath(root)
  return multiRoot.file === null ? multiRoot.folders.map(({ name }) => name).join(', ') : displayPath(multiRoot.file)
}

/** Formats an absolute path for display, with `~` for the home folder. */
export function displayPath(path: string): string {
  const home = useApp.getState().state?.home
  return home && (path === home || path.startsWith(`${home}/`)) ? `~${path.slice(home.length)}` : path
}
