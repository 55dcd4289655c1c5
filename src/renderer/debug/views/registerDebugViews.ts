import { handleCommand } from '../../platform/commands.ts'
import { focusAfterRender, focusRegionNamed } from '../../platform/layout/focusRegions.ts'
import { showPanel, showSideBar } from '../../platform/layout/layoutStore.ts'
import { followDebugOutput } from '../console/debugConsoleStore.ts'
import { followStops } from './callStack.ts'
import { followFrame } from '../values/frameValues.ts'
import { followLaunchFile } from './startDebugging.ts'

/**
 * Registers the commands that show the Run view and the debug console, and collects what they show. Called once at
 * start.
 * @returns a function that unregisters them
 */
export function registerDebugViews(): () => void {
  const stops = [
    followLaunchFile(),
    followFrame(),
    followStops(),
    followDebugOutput(),
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
