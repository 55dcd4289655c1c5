/** What the command that shows a file in the system's file manager is called. @param platform as Node writes it */
export function revealLabel(platform: string): string {
  if (platform === 'darwin') return 'Reveal in Finder'
  return platform === 'win32' ? 'Reveal in File Explorer' : 'Open containing folder'
}

/** What the system's trash is called. @param platform as Node writes it */
export function trashName(platform: string): string {
  if (platform === 'darwin') return 'Trash'
  return platform === 'win32' ? 'Recycle Bin' : 'trash'
}
