import type { MenuItem } from '../../ui/index.ts'
import { absolutePathOf } from '../appState.ts'
import { shortcutOf } from '../commands.ts'
import { attempt, notify } from '../notices.ts'

/** Copies a file's absolute or workspace-relative path. */
export function copyPath(path: string, { relative }: { relative: boolean }): void {
  const text = relative ? path : absolutePathOf(path)
  attempt(async () => {
    await navigator.clipboard.writeText(text)
    notify('success', `Copied ${text}`)
  }, 'The path could not be copied')
}

/** Menu items that copy a file's path. */
export function copyPathItems(path: string): MenuItem[] {
  return [
    {
      id: 'copy-path',
      label: 'Copy path',
      shortcut: shortcutOf('file.copyPath'),
      run: () => copyPath(path, { relative: false }),
    },
    { id: 'copy-relative', label: 'Copy relative path', run: () => copyPath(path, { relative: true }) },
  ]
}
