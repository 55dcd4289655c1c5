import type { PageName } from '../platform/pages.tsx'
import type { Tab } from '../platform/editor/tabsStore.ts'

const pageTitles: Record<PageName, string> = {
  settings: 'Settings',
  console: 'Tool console',
  gitLog: 'Git log',
  keymap: 'Keyboard shortcuts',
  settingsJson: 'Settings (JSON)',
}

/** Text of a tab: the file name, or the title of a page or diff. */
export function tabTitle(tab: Tab): string {
  if (tab.kind === 'page') return pageTitles[tab.page]
  return tab.kind === 'diff' ? tab.title : tab.path.slice(tab.path.lastIndexOf('/') + 1)
}
