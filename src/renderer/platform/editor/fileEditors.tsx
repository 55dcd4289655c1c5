import type { ComponentType } from 'react'
import { create } from 'zustand'

export interface FileEditorProps {
  groupId: number
  /** A file that is ready. */
  path: string
  /** Whether this is the active group. */
  active: boolean
  onFocus: () => void
}

/** An editor that shows the text of some files in another form. Tab, undo steps, saving and conflicts stay the same. */
export interface FileEditor {
  /** Kind of file, as in "Show as notebook". */
  kind: string
  matches(path: string): boolean
  View: ComponentType<FileEditorProps>
  /** Fills an empty file, so that it can be shown. */
  fill(path: string): Promise<void>
}

/** Why a file is shown as text instead. */
interface ShownAsText {
  /** Empty: the user chose it. */
  reason: string
  /** Whether the file is empty. */
  empty: boolean
}

const editors: FileEditor[] = []

/** Files that are shown as text, although another editor shows such files. */
export const useShownAsText = create<Readonly<Record<string, ShownAsText>>>(() => ({}))

/** Registers an editor. app/lazyViews.tsx registers all editors at start. */
export function contributeFileEditor(editor: FileEditor): void {
  editors.push(editor)
}

/** Returns the editor for a file; undefined if the text editor shows it. */
export function fileEditorOf(path: string): FileEditor | undefined {
  return editors.find((editor) => editor.matches(path))
}

/** Shows a file as text. @param reason why it cannot be shown otherwise */
export function showAsText(path: string, { reason = '', empty = false } = {}): void {
  useShownAsText.setState({ [path]: { reason, empty } })
}

/** Shows a file in its editor again. */
export function showInEditor(path: string): void {
  useShownAsText.setState(({ [path]: _shown, ...others }) => others, true)
}
