import { handleCommand } from '../../platform/commands.ts'
import { focusAfterRender, focusRegionNamed } from '../../platform/layout/focusRegions.ts'
import { showPanel, showSideBar } from '../../platform/layout/layoutStore.ts'
import { useDebug } from '../../platform/debug/debugStore.ts'
import { attempt } from '../../platform/notices.ts'
import { debugSessions } from '../debugSessions.ts'
import { followLaunchFile } from './startDebugging.ts'

/** Loads what follows sessions once there is one. */
function followFirstSession(): () => void {
  const load = ({ sessions } = useDebug.getState()): void => {
    if (sessions.length > 0) attempt(debugSessions.load)
  }
  load()
  const stop = useDebug.subscribe(load)
  return () => {
    stop()
    debugSessions.stop()
  }
}

/**
 * Registers the commands that show the Run view and the debug console, and collects what they show. Called once at
 * start.
 * @returns a function that unregisters them
 */
export function registerDebugViews(): () => void {
  const stops = [
    followLaunchFile(),
    followFirstSession(),
    handleCommand('view.debug', () => {
      showSideBar('debug')
      focusAfterRender(() => focusRegionNamed('side-bar'))
    }),
    handleCommand('view.debugConsole', () => {
      showPanel('debug')
      focusAfterRender(() => focusRegionNamed('panel'))
    }),
  ]
  return () => stops.forEach((stop) => stop())
}
