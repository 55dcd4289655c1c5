/**
 * Returns the label of the command that shows a file in the system's file manager.
 * @param platform value of `process.platform`
 */
export function revealLabel(platform: string): string {
  if (platform === 'darwin') return 'Reveal in Finder'
  return platform === 'win32' ? 'Reveal in File Explorer' : 'Open containing folder'
}

/** Returns the name of the system's trash. @param platform value of `process.platform` */
export function trashName(platform: string): string {
  if (platform === 'darwin') return 'Trash'
  return platform === 'win32' ? 'Recycle Bin' : 'trash'
}
