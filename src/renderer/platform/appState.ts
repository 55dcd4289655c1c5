import { create } from 'zustand'
import { toFailure, type Failure } from '../../shared/errors.ts'
import type { AppState, HostFeatures, WorkspaceInfo } from '../../shared/protocol.ts'
import type { Settings } from '../../shared/settings.ts'
import { on, onConnected, request } from './bridge/bridge.ts'
import { notifyFailure } from './notices.ts'

interface AppStore {
  /** Null until main answered for the first time. */
  state: AppState | null
  /** Why the first answer did not come. Nothing but it can be drawn. */
  failure: Failure | null
}

/** What main told about itself. `settings`, `workspace` and `recents` are kept current; the rest is of the last (re)connection. */
export const useApp = create<AppStore>(() => ({ state: null, failure: null }))

const listeners = new Set<(state: AppState) => void>()

/**
 * Called with the whole state at start, after every reconnection and when another workspace is shown: a store takes its
 * part and forgets what it held. Called at once when the state is there already. @returns unsubscribe
 */
export function onAppState(listener: (state: AppState) => void): () => void {
  listeners.add(listener)
  const { state } = useApp.getState()
  if (state) listener(state)
  return () => listeners.delete(listener)
}

let asked = 0

/** Asks main for everything again. Of several answers under way only the one asked for last counts: they may arrive in another order. */
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

/** As `refreshApp`; a failure is shown: in place of the window before the first answer, as a notice later. */
export function loadApp(): void {
  refreshApp().catch((error: unknown) => {
    if (useApp.getState().state === null) useApp.setState({ failure: toFailure(error) })
    else notifyFailure(error)
  })
}

/** Starts following main. @returns stop */
export function followApp(): () => void {
  const stops = [
    onConnected(loadApp),
    on('settings.changed', (settings) => patch({ settings })),
    on('recents.changed', (recents) => patch({ recents })),
    on('workspace.changed', (workspace) => {
      const before = useApp.getState().state?.workspace
      // The same folder again is news about its branch or name; another folder is another world.
      if (workspace && before?.root === workspace.root) patch({ workspace })
      else loadApp()
    }),
  ]
  return () => stops.forEach((stop) => stop())
}

/** Saves settings; the answer is what stands now. */
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

/** Which window this is; decides about keys and dialogs. */
export function currentShell(): 'electron' | 'browser' {
  return useApp.getState().state?.shell ?? (window.tizona ? 'electron' : 'browser')
}

/** What the host can do; nothing beyond a browser until main answered. */
export function hostFeatures(): HostFeatures {
  return useApp.getState().state?.hostFeatures ?? { revealFile: false, trash: false }
}

/** The system's name as Node writes it, e.g. `darwin`. */
export function currentPlatform(): string {
  return useApp.getState().state?.platform ?? ''
}

/** A path of the machine for people: the home folder as `~`. */
export function shortPath(path: string): string {
  const home = useApp.getState().state?.home
  return home && (path === home || path.startsWith(`${home}/`)) ? `~${path.slice(home.length)}` : path
}
