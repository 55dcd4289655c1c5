import type { editor } from 'monaco-editor'

const editors = new Map<string, editor.IStandaloneCodeEditor>()

/** Editors of cells that are visible, by key. */
export const cellEditors = {
  get: (key: string): editor.IStandaloneCodeEditor | undefined => editors.get(key),
  set: (key: string, cellEditor: editor.IStandaloneCodeEditor): void => void editors.set(key, cellEditor),
  delete(key: string, cellEditor: editor.IStandaloneCodeEditor): void {
    if (editors.get(key) === cellEditor) editors.delete(key)
  },
}
