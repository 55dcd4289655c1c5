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

const marks = new Map<editor.IStandaloneCodeEditor, ChangeMarks>()
let lastFocused: editor.IStandaloneCodeEditor | null = null

useGit.subscribe(({ repositories }, before) => {
  if (repositories !== before.repositories) for (const each of marks.values()) each.restart()
})

/** @returns a function that unregisters it */
export function registerChangeMarks(codeEditor: editor.IStandaloneCodeEditor, change: ChangeMarks): () => void {
  marks.set(codeEditor, change)
  const subscription = codeEditor.onDidFocusEditorWidget(() => {
    lastFocused = codeEditor
  })
  return () => {
    marks.delete(codeEditor)
    subscription.dispose()
  }
}

/** Returns the marks of the code editor that had the focus last. */
export function activeChangeMarks(): { editor: editor.IStandaloneCodeEditor; marks: ChangeMarks } | null {
  const found = lastFocused && marks.has(lastFocused) ? lastFocused : marks.keys().next().value
  const change = found && marks.get(found)
  return found && change ? { editor: found, marks: change } : null
}
