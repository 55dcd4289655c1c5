import { isNotebookPath } from '../../shared/notebook/notebook.ts'
import { defineCondition, handleCommand } from '../platform/commands.ts'
import { showAsText, showInEditor, useShownAsText } from '../platform/editor/fileEditors.tsx'
import { activePath } from '../platform/editor/tabsStore.ts'
import { followClosedNotebooks, openedNotebook, type NotebookSession } from './notebookSession.ts'

/** Registers the commands of notebooks. @returns a function that unregisters them */
export function registerNotebook(): () => void {
  defineCondition('notebook', () => isNotebookPath(activePath() ?? ''))
  const withNotebook = (action: (session: NotebookSession) => unknown) => async () => {
    const session = openedNotebook(activePath())
    if (session?.store.getState().notebook) await action(session)
  }
  const stops = [
    handleCommand('notebook.showText', () => {
      const path = activePath()
      if (path === null) return
      if (useShownAsText.getState()[path]) showInEditor(path)
      else showAsText(path)
    }),
    handleCommand(
      'notebook.clearOutputs',
      withNotebook((session) => session.clearAllOutputs()),
    ),
    followClosedNotebooks(),
  ]
  return () => stops.forEach((stop) => stop())
}
