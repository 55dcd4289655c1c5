import type { App } from 'electron'

/**
 * Mirrors the recent folders in the system's list (Dock, jump list). Electron can only append to that list or clear it.
 * @returns a function to call with the folders, latest first, at start and after each change
 */
export function followRecents(
  app: Pick<App, 'addRecentDocument' | 'clearRecentDocuments'>,
): (folders: readonly string[]) => void {
  let known: readonly string[] | null = null
  return (folders) => {
    const before = known
    known = [...folders]
    // At start the system already has the list.
    if (before === null || same(before, folders)) return
    const [latest, ...rest] = folders
    const opened =
      latest !== undefined && same(rest, before.filter((folder) => folder !== latest).slice(0, rest.length))
    if (opened && rest.length >= before.length - 1) return app.addRecentDocument(latest)
    app.clearRecentDocuments()
    for (const folder of folders.toReversed()) app.addRecentDocument(folder)
  }
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((folder, index) => folder === b[index])
}
