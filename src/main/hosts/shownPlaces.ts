import { isAbsolute, relative, sep } from 'node:path'
import type { WorkspaceInfo } from '../../shared/bridge/appState.ts'
import { foldersOf, workspaceFileExtension } from '../../shared/files/workspaceFolders.ts'

/** Whether a path opens what a window shows: its folder, or the file of its workspace. @param place real path */
export function isShownAt(shown: WorkspaceInfo | undefined, place: string): boolean {
  if (shown === undefined) return false
  // The file of an unsaved workspace is beside the folder with its links.
  const file = shown.multiRoot && (shown.multiRoot.file ?? `${shown.root}${workspaceFileExtension}`)
  return place === shown.root || place === file
}

/** Whether a path is in one of the folders that a window shows. @param place real path */
export function isShownIn(shown: WorkspaceInfo | undefined, place: string): boolean {
  return shown !== undefined && foldersOf(shown).some(({ path }) => isInside(path, place))
}

function isInside(folder: string, place: string): boolean {
  const way = relative(folder, place)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
