import { currentWorkspace, displayPath } from '../appState.ts'
import { quickPick } from './quickPick.ts'

/**
 * Asks for one of the folders of the workspace.
 * @returns its workspace path, which is `.` for a single folder; null if the user cancels
 */
export async function chooseFolder(title: string): Promise<string | null> {
  const folders = currentWorkspace()?.multiRoot?.folders
  if (!folders) return '.'
  const [only] = folders
  if (folders.length === 1 && only) return only.name
  const choice = await quickPick({
    title,
    placeholder: title,
    empty: 'No folder matches.',
    items: folders.map(({ name, path }) => ({
      id: name,
      label: name,
      description: displayPath(path),
      file: { path: name, kind: 'folder' },
    })),
  })
  return choice?.id ?? null
}
