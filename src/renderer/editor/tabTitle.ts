import { absoluteOfOutside, isOutsideFile } from '../../shared/files/outsideFiles.ts'
import { isUntitled, untitledName } from '../../shared/files/untitled.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import type { PageName } from '../platform/layout/pages.tsx'
import type { FileViewName } from '../platform/editor/fileViews.tsx'
import type { Tab } from '../platform/editor/tabsState.ts'

const pageTitles: Record<PageName, string> = {
  settings: 'Settings',
  console: 'Tool console',
  extensions: 'Extensions',
  firstSteps: 'First steps',
  gitLog: 'Git log',
  modelCheck: 'Check my model',
  keymap: 'Keyboard shortcuts',
  plugins: 'Plug-ins',
  preview: 'Preview',
  settingsJson: 'Settings (JSON)',
}

const previewTitles: Record<FileViewName, string> = {
  markdown: 'preview',
  csv: 'table',
  image: 'image',
  hex: 'hex',
  largeText: 'text',
  library: 'library',
  userFile: 'user',
}

/** Whether a tab shows a file outside the folder, whose path is not workspace-relative. */
export function isOutsideFolder(tab: Tab): boolean {
  return tab.kind === 'preview' && (tab.view === 'library' || tab.view === 'userFile')
}

/** Name of a file without its folder, or the title of an untitled text. */
export function documentName(path: string): string {
  if (isUntitled(path)) return documents.get(path)?.title ?? untitledName(path)
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Path as the user writes it: in the folder, or absolute. */
export const shownPath = (path: string): string => (isOutsideFile(path) ? absoluteOfOutside(path) : path)

/** Label of a tab: the file name, or the title of a page or diff. */
export function tabTitle(tab: Tab): string {
  if (tab.kind === 'page') return pageTitles[tab.page]
  if (tab.kind === 'diff') return tab.title
  const name = documentName(tab.path)
  return tab.kind === 'preview' ? `${name} (${previewTitles[tab.view]})` : name
}

/**
 * Returns the folders that tell a file's tab from others with the same title: as many of the last ones as necessary, for
 * example `api/src` if another one is in `web/src`. Null if no other tab has the title.
 */
export function distinguishingFolder(tab: Tab, tabs: readonly Tab[]): string | null {
  if (tab.kind !== 'file') return null
  const title = tabTitle(tab)
  const same = tabs.filter((other) => other !== tab && tabTitle(other) === title)
  if (same.length === 0) return null
  const folders = tab.path.split('/').slice(0, -1)
  const others = same.flatMap((other) => (other.kind === 'file' ? [other.path.split('/').slice(0, -1)] : []))
  const end = (parts: readonly string[], count: number): string => parts.slice(-count).join('/')
  let count = 1
  while (count < folders.length && others.some((other) => end(other, count) === end(folders, count))) count++
  const shown = folders.slice(-count)
  // The ones between the first and the last are the same.
  return shown.length > 3 ? `${shown[0]}/…/${shown.at(-1)}` : shown.join('/') || null
}
