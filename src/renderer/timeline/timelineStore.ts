import { isWithoutFolder } from '../../shared/files/outsideFiles.ts'
import { create } from 'zustand'
import { toFailure, type Failure } from '../../shared/errors.ts'
import type { FileVersion } from '../../shared/files/localHistory.ts'
import { Throttler } from '../../shared/async/throttler.ts'
import { on, onConnected, request } from '../platform/bridge/bridge.ts'
import { activeTab, useTabs, visibleFile } from '../platform/editor/tabsStore.ts'

export interface TimelineState {
  /** Path of the file whose versions are listed; null for none. */
  path: string | null
  /** Newest first; null until they are loaded. */
  versions: readonly FileVersion[] | null
  failure: Failure | null
  /** Id of the selected version. */
  chosen: string | null
}

const emptyTimeline: TimelineState = { path: null, versions: null, failure: null, chosen: null }

export const useTimeline = create<TimelineState>(() => emptyTimeline)

const loads = new Throttler()

/** Loads the versions of the listed file again. */
export function loadVersions(): Promise<void> {
  return loads.queue(async () => {
    const { path } = useTimeline.getState()
    if (path === null) return
    const loaded = await request('localHistory.list', { path }).then(
      (versions) => ({ versions, failure: null }),
      (error: unknown) => ({ versions: null, failure: toFailure(error) }),
    )
    if (useTimeline.getState().path === path) useTimeline.setState(loaded)
  })
}

/** Path of the file in the active tab, also in a diff of it. */
function shownPath(): string | null {
  const tab = activeTab()
  const path = tab === null || tab.kind === 'page' ? visibleFile()?.path : tab.path
  return path === undefined || isWithoutFolder(path) ? null : path
}

/** Lists the versions of the active file. @returns a function that stops it */
export function followActiveFile(): () => void {
  function follow(): void {
    const path = shownPath()
    if (path === useTimeline.getState().path) return
    useTimeline.setState({ ...emptyTimeline, path })
    void loadVersions()
  }
  const stops = [
    useTabs.subscribe(follow),
    on('localHistory.changed', ({ paths }) => {
      const { path } = useTimeline.getState()
      if (path !== null && paths.includes(path)) void loadVersions()
    }),
    onConnected(() => void loadVersions()),
  ]
  follow()
  // Versions may have been recorded while the section was collapsed.
  void loadVersions()
  return () => stops.forEach((stop) => stop())
}
