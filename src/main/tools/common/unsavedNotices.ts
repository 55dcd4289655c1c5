// Notices about files that are open in a tab with unsaved changes.

/** Notice above a text with unsaved changes, so that a model does not take it for the saved file. */
export const unsavedNotice =
  '[This is the text in the editor with unsaved changes by the user; the file on disk differs.]\n'

/** Suffix after the path in "Changed …" if only the open tab was edited. Empty if the file on disk was edited. */
export function tabOnlyNote(unsaved: boolean): string {
  return unsaved ? ' in the open tab only, because it has unsaved changes by the user; nothing was written to disk' : ''
}

/** Reports which files of a patch were edited only in their tabs. Empty if there are none. */
export function tabsOnlyNote(paths: readonly string[]): string {
  return paths.length === 0
    ? ''
    : `Changed only in the open tab, which has unsaved changes by the user: ${paths.join(', ')}.`
}
