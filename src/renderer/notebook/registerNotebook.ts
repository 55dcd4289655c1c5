import { isNotebookPath } from '../../shared/notebook/notebookPath.ts'
import { defineCondition, handleCommand } from '../platform/commands.ts'
import { showAsText, showInEditor, useShownAsText } from '../platform/editor/fileEditors.tsx'
import { activePath } from '../platform/editor/tabsStore.ts'
import { quickPick } from '../platform/quickPick/quickPick.ts'
import { on, request } from '../platform/bridge/bridge.ts'
import { latePart } from '../platform/latePart.ts'
import { onAppState } from '../platform/appState.ts'
import { attempt } from '../platform/notices.ts'
import type { NotebookSession } from './notebookSession.ts'

/** Sessions and kernels of notebooks. They load with the first notebook or running kernel. */
export const notebooks = latePart(
  () => import('./openNotebooks.ts'),
  ({ followNotebooks }) => followNotebooks(),
)

type Notebooks = Awaited<ReturnType<typeof notebooks.load>>

/** Loads kernels that main runs already, for example for a window before this one. */
function followRunningKernels(): () => void {
  const stops = [
    on('notebook.changed', ({ kernels }) => {
      if (kernels.length > 0) attempt(notebooks.load)
    }),
    onAppState(({ workspace }) => {
      if (workspace === null) return
      attempt(async () => {
        if ((await request('notebook.kernels', {})).length > 0) await notebooks.load()
      })
    }),
    notebooks.stop,
  ]
  return () => stops.forEach((stop) => stop())
}

/** Registers the commands of notebooks. @returns a function that unregisters them */
export function registerNotebook(): () => void {
  defineCondition('notebook', () => isNotebookPath(activePath() ?? ''))
  const withNotebook = (action: (session: NotebookSession, all: Notebooks) => unknown) => async () => {
    const all = await notebooks.load()
    const session = all.openedNotebook(activePath())
    if (session?.store.getState().notebook) await action(session, all)
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
      withNotebook((session, { runCells }) => runCells(session)),
    ),
    handleCommand(
      'notebook.interrupt',
      withNotebook(({ path }, { interruptKernel }) => interruptKernel(path)),
    ),
    handleCommand(
      'notebook.restart',
      withNotebook(({ path }, { restartKernel }) => restartKernel(path)),
    ),
    handleCommand(
      'notebook.stop',
      withNotebook(({ path }, { stopKernel }) => stopKernel(path)),
    ),
    handleCommand('notebook.selectKernel', withNotebook(selectKernel)),
    handleCommand(
      'notebook.clearOutputs',
      withNotebook((session) => session.clearAllOutputs()),
    ),
    followRunningKernels(),
  ]
  return () => stops.forEach((stop) => stop())
}

/** Asks for a kernel, and starts it in place of the one that runs. */
async function selectKernel({ path }: NotebookSession, { notifyMissing, useKernels }: Notebooks): Promise<void> {
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
