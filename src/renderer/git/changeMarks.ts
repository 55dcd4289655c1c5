import type { editor } from 'monaco-editor'
import { useGit } from '../platform/git/gitStore.ts'
import type { GutterSession } from './gutterSession.ts'
import type { LineHunk } from '../../shared/diff/lineHunks.ts'

/** The change marks of a code editor, for commands. */
export interface ChangeMarks {
  session: () => GutterSession | null
  /** Starts the comparison if the file's repository was unknown before. */
  restart: () => void
  hunkAtCursor: () => LineHunk | null
  /** Shows the next (1) or previous (-1) change. */
  step: (step: 1 | -1) => void
}

/** The marks of all code editors. That of the editor that had the focus last is the first. */
const registered: { editor: editor.IStandaloneCodeEditor; marks: ChangeMarks }[] = []

useGit.subscribe(({ repositories }, before) => {
  if (repositories !== before.repositories) for (const { marks } of registered) marks.restart()
})

/** @returns a function that unregisters it */
export function registerChangeMarks(codeEditor: editor.IStandaloneCodeEditor, marks: ChangeMarks): () => void {
  const own = { editor: codeEditor, marks }
  const remove = () => registered.splice(registered.indexOf(own), 1)
  registered.push(own)
  const subscription = codeEditor.onDidFocusEditorWidget(() => {
    remove()
    registered.unshift(own)
  })
  return () => {
    remove()
    subscription.dispose()
  }
}

/** Returns the marks of the code editor that had the focus last. */
export const activeChangeMarks = () => registered[0] ?? null
