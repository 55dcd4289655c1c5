/** Put before a text that is not what stands on disk, so that a model does not take it for the saved file. */
export const unsavedNotice =
  '[This is the text in the editor, with unsaved changes of the user; the file on disk differs.]\n'

/** The lines of a text with `\n` line ends; a final line end closes the last line and begins no other. */
export function textLines(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}
