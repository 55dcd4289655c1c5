import type { editor } from 'monaco-editor'

type CellEditor = editor.IStandaloneCodeEditor

const editors = new Map<string, Set<CellEditor>>()

/** Editors of cells that are visible, by key. Copies of a notebook, and views of one, have cells with the same keys. */
export const cellEditors = {
  /** @param view element of the view that contains the editor */
  get: (key: string, view: Element | null): CellEditor | undefined =>
    [...(editors.get(key) ?? [])].find((each) => view?.contains(each.getContainerDomNode())),
  add: (key: string, cellEditor: CellEditor): void =>
    void editors.set(key, new Set([...(editors.get(key) ?? []), cellEditor])),
  delete(key: string, cellEditor: CellEditor): void {
    const others = [...(editors.get(key) ?? [])].filter((each) => each !== cellEditor)
    if (others.length > 0) editors.set(key, new Set(others))
    else editors.delete(key)
  },
}
