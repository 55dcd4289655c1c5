import { monaco, uriOf } from '../platform/editor/monaco/monaco.ts'
import { raceTimeout } from '../../shared/async/raceTimeout.ts'

/** Maximum milliseconds to wait for the editor's formatter. */
const maxWait = 3000

/** Formats a visible file with Monaco's formatter for its language. @returns whether there is one */
export async function formatWithMonaco(path: string): Promise<boolean> {
  const uri = uriOf(path).toString()
  const editor = monaco.editor.getEditors().find((each) => each.getModel()?.uri.toString() === uri)
  const action = editor?.getAction('editor.action.formatDocument')
  if (!action?.isSupported()) return false
  await raceTimeout(action.run(), maxWait)
  return true
}

/** How the editor indents an open file. */
export function indentationOf(path: string): { tabSize: number; spaces: boolean } {
  const { tabSize = 4, insertSpaces = true } = monaco.editor.getModel(uriOf(path))?.getOptions() ?? {}
  return { tabSize, spaces: insertSpaces }
}

/** Lines that contain a cursor, in all editors of a file. */
export function cursorLinesOf(path: string): Set<number> {
  const uri = uriOf(path).toString()
  const editors = monaco.editor.getEditors().filter((each) => each.getModel()?.uri.toString() === uri)
  return new Set(
    editors.flatMap((each) => (each.getSelections() ?? []).map(({ positionLineNumber }) => positionLineNumber)),
  )
}
