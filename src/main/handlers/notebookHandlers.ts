import type { RequestName } from '../../shared/bridge/protocol.ts'
import type { Handlers } from '../core/coreContract.ts'
import type { NotebookKernels } from '../notebook/notebookKernels.ts'

/**
 * Handles the window's requests about notebooks. A run goes on when the window that requested it is gone.
 * @param current returns the kernels of the open folder; throws ToolError no_workspace
 */
export function createNotebookHandlers(
  current: () => NotebookKernels,
): Pick<Handlers, Extract<RequestName, `notebook.${string}`>> {
  return {
    'notebook.kernels': () => current().kernels(),
    'notebook.find': () => current().find(),
    'notebook.choices': () => current().choices(),
    'notebook.start': ({ path, name }) => current().start(path, name),
    'notebook.run': ({ path, ...request }) => current().run(path, { ...request, allowsInput: true }),
    'notebook.wait': ({ path, key }) => current().wait(path, key),
    'notebook.outputs': ({ path, key }) => current().outputs(path, key),
    'notebook.input': ({ path, key, text }) => current().answer(path, key, text),
    'notebook.interrupt': ({ path }) => current().interrupt(path),
    'notebook.restart': ({ path }) => current().restart(path),
    'notebook.stop': ({ path }) => current().stop(path),
  }
}
