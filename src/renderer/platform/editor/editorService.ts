import type { DiffTab } from './tabsState.ts'
import type { Position } from './editorViews.ts'

export interface OpenOptions {
  /** Whether the text takes the focus. Default: true. */
  focus?: boolean
  /** Whether the file uses the preview tab, like a single click in the explorer. */
  preview?: boolean
  /** Whether the file opens in the group on the right, which is created if necessary. */
  toSide?: boolean
  /** Whether a file that is open in another group only is shown there. Default: as set. */
  reveal?: boolean
}

/** Editor actions for other features. editor/ implements them and registers them when the window starts. */
export interface EditorService {
  /**
   * Shows a file in a tab and reveals the position, if any. If the file cannot be read, the tab shows the error.
   */
  openFile(path: string, position?: Position, options?: OpenOptions): Promise<void>
  /** Opens an untitled text with this content. @param language Monaco's id of its language */
  openText(text: string, language: string): Promise<void>
  /** Shows two texts side by side. `modified: null`: the current text of the open file. */
  openDiff(diff: Omit<DiffTab, 'kind' | 'id'>): void
  /** Replaces the selection in the most recently used file, or inserts at its cursor. */
  insertAtCursor(text: string): void
  /** Saves open files and shows failures as notices. @returns whether all files were saved */
  saveFiles(paths: readonly string[], options?: { force?: boolean }): Promise<boolean>
  /**
   * Asks the user to save or discard unsaved files.
   * @returns false if the user cancelled or a file could not be saved
   */
  confirmUnsaved(paths: readonly string[]): Promise<boolean>
}

let registered: EditorService | null = null

/** @returns a function that unregisters it */
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
export const openText: EditorService['openText'] = (...args) => service().openText(...args)
export const openDiff: EditorService['openDiff'] = (...args) => service().openDiff(...args)
export const insertAtCursor: EditorService['insertAtCursor'] = (...args) => service().insertAtCursor(...args)
export const saveFiles: EditorService['saveFiles'] = (...args) => service().saveFiles(...args)
export const confirmUnsaved: EditorService['confirmUnsaved'] = (...args) => service().confirmUnsaved(...args)
