import { toFailure } from '../../shared/errors.ts'
import { isUntitled, nextUntitledPath } from '../../shared/files/untitled.ts'
import { absolutePathOf, currentWorkspace } from '../platform/appState.ts'
import { confirm } from '../platform/confirm.ts'
import { promptText } from '../platform/conversation/promptText.ts'
import { chosenLanguages } from '../platform/editor/documents/chosenLanguages.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { isOpenInTab, listTabPaths, renameTabs, useTabs } from '../platform/editor/tabsStore.ts'
import { notifyFailure } from '../platform/notices.ts'
import { cursorOf, rememberCursor } from './cursors.ts'
import { locateFile } from './openOutside.ts'
import { savePreparation } from './savePreparation.ts'
import { documentName, shownPath } from './tabTitle.ts'

/** Files that untitled texts became, so that closing a tab that is saved first closes the tab of its file. */
const savedPaths = new Map<string, string>()

/** Returns the path that a tab has after it was saved. */
export const savedPathOf = (path: string): string => savedPaths.get(path) ?? path

/** Forgets which files were saved, because another text may have the path of an untitled one since. */
export const forgetSavedPaths = (): void => savedPaths.clear()

/** Returns a path for a new untitled text. After a reload, the texts of hidden tabs are not loaded yet. */
export function newUntitledPath(): string {
  const path = nextUntitledPath([...documents.paths(), ...listTabPaths()])
  chosenLanguages.setState(({ [path]: _reused, ...others }) => others, true)
  return path
}

/** A file name for an untitled text: its title with the extension of its language. */
async function suggestedName(path: string): Promise<string> {
  const { extensionOf } = await import('./languagePicker.ts')
  const name = documentName(path)
    .replaceAll(/[^\p{L}\p{N} ._-]/gu, '')
    .trim()
  return `${name}${extensionOf(path)}`
}

function pathProblem(path: string): string | null {
  if (path.trim() === '') return 'Enter a path.'
  return /[\\/]$/.test(path) ? 'Enter a file name after the folder.' : null
}

/**
 * Asks for a path and writes a tab's text there. The tab continues as that file.
 * @returns whether the text was saved
 */
export async function saveAs(path: string): Promise<boolean> {
  const answer = await promptText({
    title: `Save ${documentName(path)} as`,
    label: `Path in ${currentWorkspace()?.name ?? 'the folder'}, or absolute path`,
    button: 'Save',
    initial: isUntitled(path) ? await suggestedName(path) : shownPath(path),
    problem: pathProblem,
  })
  if (answer === null) return false
  try {
    const saved = await write(path, await tabPathOf(answer.trim()))
    if (saved === null) return false
    if (isUntitled(path)) savedPaths.set(path, saved)
    // The rules of the new path apply: formatter and `.editorconfig`.
    for (const { error, context } of await savePreparation.prepare(saved, 'explicit')) notifyFailure(error, context)
    if (documents.get(saved)?.dirty) await documents.save(saved)
    return true
  } catch (error) {
    notifyFailure(error, `${documentName(path)} was not saved`)
    return false
  }
}

/** Returns the tab's path of a typed path, which can lead to a file outside the folder. */
async function tabPathOf(typed: string): Promise<string> {
  if (/^(?:[\\/]|~[\\/]|[A-Za-z]:[\\/])/.test(typed)) return locateFile(typed)
  return /^\.\.[\\/]/.test(typed) ? locateFile(absolutePathOf(typed)) : plainPath(typed)
}

/** Removes empty and `.` parts, so that a tab of the same file is found by its path. */
function plainPath(path: string): string {
  const parts = path.split('/')
  return parts.filter((part, index) => part !== '.' && (part !== '' || index === 0)).join('/')
}

/** @returns the path of the file; null if the user does not replace an existing one */
async function write(path: string, to: string): Promise<string | null> {
  const { activeGroup } = useTabs.getState()
  const moveTabs = (real: string) => {
    const cursor = cursorOf(path)
    if (cursor) rememberCursor(real, cursor)
    renameTabs(path, real, isUntitled(path) ? undefined : activeGroup)
    // Another group, or a diff, still shows the old file.
    if (isOpenInTab(path)) void documents.open(path)
  }
  if (to === path) {
    await documents.save(path)
    return path
  }
  try {
    return await documents.saveAs(path, to, { overwrite: false, moveTabs })
  } catch (error) {
    if (toFailure(error).code !== 'changed_on_disk') throw error
  }
  const choice = await confirm({
    title: `Replace ${shownPath(to)}?`,
    message: documents.get(to)?.dirty
      ? 'A file with this path exists and has unsaved changes in a tab. Both will be lost.'
      : 'A file with this path exists. Its content will be lost.',
    choices: [{ id: 'replace', label: 'Replace', variant: 'danger' }],
  })
  return choice === null ? null : documents.saveAs(path, to, { overwrite: true, moveTabs })
}
