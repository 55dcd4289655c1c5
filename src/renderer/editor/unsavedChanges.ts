import { toFailure } from '../../shared/errors.ts'
import { isUntitled } from '../../shared/files/untitled.ts'
import { plural } from '../../shared/text/plural.ts'
import { useBridgeStatus } from '../platform/bridge/bridge.ts'
import { confirm } from '../platform/confirm.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { fileTab } from '../platform/editor/tabsState.ts'
import { showTab } from '../platform/editor/tabsStore.ts'
import { notifyFailure } from '../platform/notices.ts'
import { saveAs, savedPathOf } from './saveAs.ts'
import { documentName, shownPath } from './tabTitle.ts'
import { savePreparation, type SaveReason } from './savePreparation.ts'
import { create } from 'zustand'

/**
 * Prompts to save or discard unsaved files.
 * @returns false if the user cancelled, a save failed, or the user typed during the save
 */
export async function confirmUnsaved(paths: readonly string[]): Promise<boolean> {
  if (paths.length === 0) return true
  const [first = ''] = paths
  const choice = await confirm({
    title:
      paths.length === 1
        ? `Save ${documentName(first)} before closing?`
        : `Save ${plural(paths.length, 'file')} before closing?`,
    message: 'Your changes will be lost if you do not save them.',
    items: paths.length > 1 ? paths.map((path) => (isUntitled(path) ? documentName(path) : shownPath(path))) : [],
    choices: [
      { id: 'discard', label: "Don't save" },
      { id: 'save', label: paths.length === 1 ? 'Save' : 'Save all', variant: 'primary' },
    ],
  })
  if (choice === null) return false
  if (choice === 'discard') return true
  // Text that was typed during the save is unsaved.
  return (await saveFiles(paths)) && !paths.some((path) => documents.get(savedPathOf(path))?.dirty)
}

/** Whether the page loads again to show another folder. Main keeps its unsaved text. */
let isMoving = false

/** Loads the page again, because the host shows another folder in it. */
export function moveToFolder(): void {
  isMoving = true
  documents.flush()
  location.reload()
}

/** Lets the browser ask before the user leaves the page with unsaved text. */
export function confirmLeaving(event: BeforeUnloadEvent): void {
  documents.flush()
  if (isMoving) return
  // The window that replaced a detached one has the unsaved text that main received.
  const unsaved = useBridgeStatus.getState().kind === 'detached' ? documents.unsentTexts() : documents.dirtyPaths()
  if (unsaved.length > 0) event.preventDefault()
}

/**
 * Saves files, and asks for the path of untitled texts. Reports failures as notices, and conflicts with the disk in the tab of the file.
 * @returns whether all were saved
 */
export async function saveFiles(
  paths: readonly string[],
  { force, reason = 'explicit' }: { force?: boolean; reason?: SaveReason } = {},
): Promise<boolean> {
  let all = true
  const slow = new AbortController()
  for (const path of paths) {
    if (isUntitled(path)) {
      all = (await saveAs(path)) && all
      continue
    }
    try {
      const problems = await savePreparation.prepare(path, reason, slow)
      await documents.save(path, { force })
      for (const { error, context } of problems) notifyFailure(error, context)
    } catch (error) {
      all = false
      // Its permissions have changed. The bar above the file then explains how to restore them.
      if (toFailure(error).code === 'permission_denied') await documents.checkDisk(path)
      if (documents.get(path)?.disk === 'changed') {
        showTab(fileTab(path), undefined, { reveal: true })
        focusConflictBar(path)
      } else notifyFailure(error, `${path} was not saved`)
    }
  }
  return all
}

/** Path of the file whose conflict bar should take the focus; null if there is none. */
export const useConflictFocus = create<{ path: string | null }>(() => ({ path: null }))

/** Focuses and highlights the conflict bar of a file that cannot be saved until the user resolves the conflict. */
export function focusConflictBar(path: string): void {
  useConflictFocus.setState({ path })
}
