import { isNotebookPath } from '../../shared/notebook/notebook.ts'
import { defineCondition, handleCommand } from '../platform/commands.ts'
import { showAsText, showInEditor, useShownAsText } from '../platform/editor/fileEditors.tsx'
import { activePath } from '../platform/editor/tabsStore.ts'
import { quickPick } from '../platform/quickPick/quickPick.ts'
import { request } from '../platform/bridge/bridge.ts'
import {
  followKernels,
  interruptKernel,
  notifyMissing,
  restartKernel,
  runCells,
  stopKernel,
  useKernels,
} from './kernelStore.ts'
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
      'notebook.runAll',
      withNotebook((session) => runCells(session)),
    ),
    handleCommand(
      'notebook.interrupt',
      withNotebook(({ path }) => interruptKernel(path)),
    ),
    handleCommand(
      'notebook.restart',
      withNotebook(({ path }) => restartKernel(path)),
    ),
    handleCommand(
      'notebook.stop',
      withNotebook(({ path }) => stopKernel(path)),
    ),
    handleCommand('notebook.selectKernel', withNotebook(selectKernel)),
    followKernels(),
    handleCommand(
      'notebook.clearOutputs',
      withNotebook((session) => session.clearAllOutputs()),
    ),
    followClosedNotebooks(),
  ]
  return () => stops.forEach((stop) => stop())
}

/** Asks for a kernel, and starts it in place of the one that runs. */
async function selectKernel({ path }: NotebookSession): Promise<void> {
  const { kernels, python, missing } = await request('notebook.choices', {})
  if (missing) return notifyMissing(missing.reason, missing.installCommand)
  const current = useKernels.getState().kernels[path]?.kernel.name
  const chosen = await quickPick({
    title: 'Select a kernel',
    placeholder: 'Kernels that Jupyter finds',
    items: kernels.map(({ name, title, language }) => ({
      id: name,
      label: title,
      description: language,
      ...(python !== undefined && { detail: python }),
      current: name === current,
    })),
  })
  if (chosen) await request('notebook.start', { path, name: chosen.id })
}
