import type { DiffTab } from './tabsStore.ts'
import type { Position } from './editorViews.ts'

/** Editor actions that other features use. editor/ implements them and registers them when the window starts. */
export interface EditorService {
  /** Shows a file in a tab, at a position if there is one. A file that cannot be shown reports why in its tab. */
  openFile(path: string, position?: Position, options?: { focus?: boolean }): Promise<void>
  /** Shows two texts side by side. `modified: null` compares with the live text of the open file. */
  openDiff(diff: Omit<DiffTab, 'kind' | 'id'>): void
  /** Inserts text at the cursor of the most recently used file and replaces its selection. */
  insertAtCursor(text: string): void
  /** Saves open files. Reports failures to the user. @returns whether all files were saved */
  saveFiles(paths: readonly string[], options?: { force?: boolean }): Promise<boolean>
  /** Asks whether to save or discard unsaved files. @returns false if the user cancelled or a save failed */
  confirmUnsaved(paths: readonly string[]): Promise<boolean>
}

let registered: EditorService | null = null

/** @returns unregister */
export function registerEditorService(service: EditorService): () => void {
  registered = service
  return () => {
    if (registered === service) registered = null
  }
}

function service(): EditorService {
  if (!registered) throw new Error('No editor service is registered. Call registerEditorService() at start.')
  return registered
}

export const openFile: EditorService['openFile'] = (...args) => service().openFile(...args)
export const openDiff: EditorService['openDiff'] = (...args) => service().openDiff(...args)
export const insertAtCursor: EditorService['insertAtCursor'] = (...args) => service().insertAtCursor(...args)
export const saveFiles: EditorService['saveFiles'] = (...args) => service().saveFiles(...args)
export const confirmUnsaved: EditorService['confirmUnsaved'] = (...args) => service().confirmUnsaved(...args)
