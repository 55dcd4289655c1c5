// Notices about files that are open in a tab with unsaved changes.

/** Notice above a text with unsaved changes, so that a model does not take it for the saved file. */
export const unsavedNotice =
  "[This is the text in the editor with the user's unsaved changes. The file on disk differs.]\n"

/** Sentence, after a space, for an edit of the open tab only. Empty if the file on disk was edited. */
export function tabOnlyNote(unsaved: boolean): string {
  return unsaved
    ? ' Only the open tab was edited, because it has unsaved changes by the user. Nothing was written to disk.'
    : ''
}

/** Reports which files of a patch were edited only in their tabs. Empty if there are none. */
export function tabsOnlyNote(paths: readonly string[]): string {
  return paths.length === 0
    ? ''
    : `Changed only in the open tab, which has unsaved changes by the user: ${paths.join(', ')}.`
}
