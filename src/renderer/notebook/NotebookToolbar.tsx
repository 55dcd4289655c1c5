import { runCommand } from '../platform/commands.ts'
import { IconButton } from '../ui/index.ts'
import type { NotebookSession } from './notebookSession.ts'

/** The bar above the cells. */
export function NotebookToolbar({ session }: { session: NotebookSession }) {
  return (
    <div className="notebook-toolbar" role="toolbar" aria-label="Notebook">
      <IconButton icon="clear-all" label="Clear all outputs" onClick={() => session.clearAllOutputs()} />
      <IconButton icon="file-code" label="Show as text" onClick={() => runCommand('notebook.showText')} />
    </div>
  )
}
