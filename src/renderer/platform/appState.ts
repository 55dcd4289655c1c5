import { create } from 'zustand'
import { toFailure, type Failure } from '../../shared/errors.ts'
import type { AppState, HostFeatures, WorkspaceInfo } from '../../shared/protocol.ts'
import type { Settings } from '../../shared/settings.ts'
import { on, onConnected, request } from './bridge/bridge.ts'
import { notifyFailure } from './notices.ts'

interface AppStore {
  /** Null until main has answered. */
  state: AppState | null
  /** Why the first request for the state failed. The window shows only this. */
  failure: Failure | null
}

/**
 * The state of the main process. `settings`, `workspace` and `recents` are kept in sync with main; the other fields are from the last (re)connection.
 */
export const useApp = create<AppStore>(() => ({ state: null, failure: null }))

const listeners = new Set<(state: AppState) => void>()

/**
 * Calls the listener with the whole state at start, after each reconnection and after a change of workspace. Stores
 * replace their content with it. If the state is already loaded, the listener is called immediately.
 * @returns unsubscribe
 */
export function onAppState(listener: (state: AppState) => void): () => void {
  listeners.add(listener)
  const { state } = useApp.getState()
  if (state) listener(state)
  return () => listeners.delete(listener)
}

let asked = 0

/**
 * Loads the whole state from main. Of several pending requests only the latest counts, because answers can arrive in
 * any order.
 */
export async function refreshApp(): Promise<void> {
  const mine = ++asked
  const state = await request('app.state', {})
  if (mine !== asked) return
  useApp.setState({ state, failure: null })
  for (const listener of listeners) listener(state)
}

function patch(part: Partial<AppState>): void {
  useApp.setState(({ state }) => ({ state: state && { ...state, ...part } }))
}

/**
 * Same as `refreshApp`, but shows a failure: in place of the window before the first answer, as a notice afterwards.
 */
export function loadApp(): void {
  refreshApp().catch((error: unknown) => {
    if (useApp.getState().state === null) useApp.setState({ failure: toFailure(error) })
    else notifyFailure(error)
  })
}

/** Subscribes to changes of the state. @returns stop */
export function followApp(): () => void {
  const stops = [
    onConnected(loadApp),
    on('settings.changed', (settings) => patch({ settings })),
    on('recents.changed', (recents) => patch({ recents })),
    on('workspace.changed', (workspace) => {
      const before = useApp.getState().state?.workspace
      // The same folder means that its branch or name changed. Another folder needs the whole state.
      if (workspace && before?.root === workspace.root) patch({ workspace })
      else loadApp()
    }),
  ]
  return () => stops.forEach((stop) => stop())
}

/** Saves settings and takes over the settings that main returns. */
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

/** The host of this window. Keys and dialogs depend on it. */
export function currentHost(): 'electron' | 'browser' {
  return useApp.getState().state?.shell ?? (window.tizona ? 'electron' : 'browser')
}

/** Features of the host; those of a browser until main has answered. */
export function hostFeatures(): HostFeatures {
  return useApp.getState().state?.hostFeatures ?? { revealFile: false, trash: false }
}

/** The platform as Node names it, for example `darwin`. */
export function currentPlatform(): string {
  return useApp.getState().state?.platform ?? ''
}

/** Formats an absolute path for display, with `~` for the home folder. */
export function displayPath(path: string): string {
  const home = useApp.getState().state?.home
  return home && (path === home || path.startsWith(`${home}/`)) ? `~${path.slice(home.length)}` : path
}
