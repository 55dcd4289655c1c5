import { followMenu, handleCommand } from '../platform/commands.ts'
import { saveSettings } from '../platform/appState.ts'
import { showOutline, showSideBar, showPanel, toggleChat, togglePanel, toggleSideBar } from '../platform/layoutStore.ts'
import { listenToKeys } from '../platform/keyboardListener.ts'
import { followNotices, showNoticeList, useNotices } from '../platform/notices.ts'
import { goToLine, showCommands } from './commandPalette.ts'
import { quickOpen } from './quickOpen.ts'
import { cycleRegions, followFocus, focusRegionNamed } from '../platform/focusRegions.ts'
import { copyDiagnostics, openLog } from './LogDialog.tsx'
import { useHelp } from './KeyboardHelp.tsx'
import { toggleTheme } from '../platform/theme.ts'

/** Focuses a region after the next paint, when it is rendered. */
function focusSoon(region: string): void {
  requestAnimationFrame(() => requestAnimationFrame(() => focusRegionNamed(region)))
}

/** Registers the commands of the workbench, the keyboard listener and the desktop menu. @returns unregister */
export function registerWorkbench(): () => void {
  const stops = [
    listenToKeys(),
    followFocus(),
    followMenu(),
    followNotices(),
    handleCommand('palette.show', showCommands),
    handleCommand('palette.files', () => quickOpen()),
    handleCommand('symbols.inFile', () => quickOpen('@')),
    handleCommand('symbols.inFolder', () => quickOpen('#')),
    handleCommand('palette.line', goToLine),
    handleCommand('view.explorer', () => {
      showSideBar('explorer')
      focusSoon('side-bar')
    }),
    handleCommand('view.outline', () => {
      showOutline()
      requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById('outline-tree')?.focus()))
    }),
    handleCommand('view.search', () => {
      showSideBar('search')
      focusSoon('side-bar')
    }),
    handleCommand('view.toggleSideBar', toggleSideBar),
    handleCommand('view.togglePanel', togglePanel),
    handleCommand('view.toggleChat', toggleChat),
    handleCommand('jobs.show', () => {
      showPanel()
      focusSoon('panel')
    }),
    handleCommand('region.next', () => cycleRegions(1)),
    handleCommand('region.previous', () => cycleRegions(-1)),
    handleCommand('theme.toggle', toggleTheme),
    handleCommand('theme.system', () => saveSettings({ theme: 'system' })),
    handleCommand('notices.show', () => {
      const open = !useNotices.getState().listOpen
      showNoticeList(open)
      if (open) focusSoon('notices')
    }),
    handleCommand('help.keys', () => useHelp.setState({ open: true })),
    handleCommand('help.openLog', openLog),
    handleCommand('help.copyDiagnostics', copyDiagnostics),
  ]
  return () => stops.forEach((stop) => stop())
}
