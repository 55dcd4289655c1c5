import { flushSync } from 'react-dom'
import { registerOpenFile } from './openWithFolder.ts'
import { registerRequestedFiles } from './showRequestedFile.ts'
import { followMenu, handleCommand, runCommand } from '../platform/commands.ts'
import { saveSettings } from '../platform/appState.ts'
import {
  followWindowWidth,
  showOutline,
  showTimeline,
  showSideBar,
  showPanel,
  toggleChat,
  togglePanel,
  toggleZenMode,
  useLayout,
  isPanelVisible,
  toggleSideBar,
} from '../platform/layout/layoutStore.ts'
import { openPage } from '../platform/editor/tabsStore.ts'
import { listenToKeys } from '../platform/keymap/keyboardListener.ts'
import { search } from '../search/searchStore.ts'
import { followZenKeys } from './zenKeys.ts'
import { contributeLanguageFeatures } from '../platform/editor/languageFeatures.ts'
import { followNotices, showNoticeList, useNotices } from '../platform/notices.ts'
import { goToLine, showCommands } from './commandPalette.ts'
import { quickOpen } from './quickOpen.ts'
import {
  cycleRegions,
  focusAfterRender,
  focusChangeCount,
  followFocus,
  focusRegionNamed,
  holdFocusIn,
} from '../platform/layout/focusRegions.ts'
import { openAudit } from './auditStore.ts'
import { reviewFolder } from '../platform/folderTrust.ts'
import { LazySearchPanel, LazyTimeline } from './lazyViews.tsx'
import { openLog } from './logStore.ts'
import { followLinkTargets } from '../platform/textLinks/linkTargets.ts'
import { toggleTheme } from '../platform/theme/theme.ts'

function focusRegionAfterRender(region: string): void {
  focusAfterRender(() => focusRegionNamed(region))
}

/**
 * Shows a view of the side bar and focuses a part of it once it has loaded. Until then, the side bar has the focus,
 * because the next keys are for the view.
 */
async function showLoaded(show: () => void, { preload }: { preload(): Promise<void> }, focus: () => void) {
  flushSync(show)
  holdFocusIn('side-bar')
  const moves = focusChangeCount()
  await preload()
  focusAfterRender(focus, moves)
}

const showSearch = (): Promise<void> =>
  showLoaded(
    () => showSideBar('search'),
    LazySearchPanel,
    () => focusRegionNamed('side-bar'),
  )

/**
 * Registers the workbench commands, the keyboard listener and the handlers of the desktop menu.
 * @returns a function that unregisters them
 */
export function registerWorkbench(): () => void {
  const stops = [
    listenToKeys(),
    followFocus(),
    followMenu(),
    followNotices(),
    followWindowWidth(),
    followLinkTargets(),
    registerOpenFile(),
    registerRequestedFiles(),
    handleCommand('palette.show', showCommands),
    handleCommand('palette.files', () => quickOpen()),
    handleCommand('symbols.inFile', () => quickOpen('@')),
    handleCommand('symbols.inFolder', (name) => quickOpen(typeof name === 'string' ? `#${name}` : '#')),
    handleCommand('palette.line', goToLine),
    handleCommand('view.explorer', () => {
      showSideBar('explorer')
      focusRegionAfterRender('side-bar')
    }),
    handleCommand('view.outline', () => {
      showOutline()
      focusAfterRender(() => document.getElementById('outline-tree')?.focus())
    }),
    handleCommand('view.timeline', () =>
      showLoaded(showTimeline, LazyTimeline, () => {
        // Without versions there is no list.
        const list = document.getElementById('timeline-list')
        if (list) list.focus()
        else runCommand('editor.focus')
      }),
    ),
    handleCommand('view.search', () => {
      // Another search than that of the folder that is shown.
      if (!isPanelVisible('sideBar') || useLayout.getState().sideBar.view !== 'search') search.endFolderSearch()
      return showSearch()
    }),
    handleCommand('search.replace', () => {
      search.change({ replacing: true })
      return showSearch()
    }),
    handleCommand('search.inFolder', (folder) => {
      search.searchFolder(String(folder))
      return showSearch()
    }),
    handleCommand('search.openInEditor', async () => (await import('../search/resultsDocument.ts')).openResults()),
    contributeLanguageFeatures(async () => (await import('../search/resultsEditor.ts')).registerResultsLanguage()),
    handleCommand('view.toggleSideBar', toggleSideBar),
    handleCommand('view.togglePanel', togglePanel),
    handleCommand('view.toggleChat', toggleChat),
    handleCommand('jobs.show', () => {
      showPanel('jobs')
      focusRegionAfterRender('panel')
    }),
    handleCommand('region.next', () => {
      // As in VS Code, F6 pauses a running program.
      if (!runCommand('debug.pause')) cycleRegions(1)
    }),
    handleCommand('region.previous', () => cycleRegions(-1)),
    handleCommand('theme.toggle', toggleTheme),
    handleCommand('theme.choose', async () => (await import('../settings/themePicker.ts')).chooseTheme()),
    handleCommand('view.toggleZenMode', toggleZenMode),
    followZenKeys(),
    handleCommand('theme.system', () => saveSettings({ theme: 'system' })),
    handleCommand('notices.show', () => {
      const open = !useNotices.getState().listOpen
      showNoticeList(open)
      if (open) focusRegionAfterRender('notices')
    }),
    handleCommand('help.keys', () => openPage('keymap')),
    handleCommand('trust.manage', reviewFolder),
    handleCommand('audit.show', openAudit),
    handleCommand('help.openLog', openLog),
    handleCommand('help.copyDiagnostics', async () => (await import('./LogDialog.tsx')).copyDiagnostics()),
  ]
  return () => stops.forEach((stop) => stop())
}
