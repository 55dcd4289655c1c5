import type { Tab } from '../platform/editor/tabsStore.ts'

/** Text of a tab: the file name, or the title of a page or diff. */
export function tabTitle(tab: Tab): string {
  if (tab.kind === 'page') return tab.page === 'settings' ? 'Settings' : 'Tool console'
  return tab.kind === 'diff' ? tab.title : tab.path.slice(tab.path.lastIndexOf('/') + 1)
}
