import type { NotebookKernel } from '../../shared/notebook/kernels.ts'
import { plural } from '../../shared/text/plural.ts'
import { runCommand } from '../platform/commands.ts'
import { Button, IconButton } from '../ui/index.ts'
import { useKernels } from './kernelStore.ts'
import type { NotebookSession } from './notebookSession.ts'

interface NotebookToolbarProps {
  session: NotebookSession
  /** Number of selected cells. */
  selected: number
}

/** The bar above the cells. */
export function NotebookToolbar({ session, selected }: NotebookToolbarProps) {
  const kernel = useKernels(({ kernels }) => kernels[session.path])
  return (
    <div className="notebook-toolbar" role="toolbar" aria-label="Notebook">
      <Button variant="ghost" size="small" icon="run-all" onClick={() => runCommand('notebook.runAll')}>
        Run all
      </Button>
      <IconButton
        icon="debug-stop"
        label="Interrupt the kernel"
        disabled={kernel === undefined || kernel.executions.length === 0}
        onClick={() => runCommand('notebook.interrupt')}
      />
      <IconButton
        icon="debug-restart"
        label="Restart the kernel"
        disabled={kernel === undefined}
        onClick={() => runCommand('notebook.restart')}
      />
      <IconButton icon="clear-all" label="Clear all outputs" onClick={() => runCommand('notebook.clearOutputs')} />
      <IconButton icon="file-code" label="Show as text" onClick={() => runCommand('notebook.showText')} />
      <span className="notebook-selected" role="status">
        {selected > 1 && `${plural(selected, 'cell')} selected`}
      </span>
      <Button
        className="notebook-kernel"
        variant="ghost"
        size="small"
        icon="server-process"
        title={kernel?.unsandboxed && `The kernel is not in the sandbox: ${kernel.unsandboxed}.`}
        onClick={() => runCommand('notebook.selectKernel')}
      >
        {kernel ? kernelText(kernel) : 'Select kernel'}
      </Button>
    </div>
  )
}

function kernelText({ kernel, status, unsandboxed }: NotebookKernel): string {
  const text = `${kernel.title}, ${statusNames[status]}`
  return unsandboxed === undefined ? text : `${text}, not sandboxed`
}

const statusNames = { starting: 'starting', idle: 'idle', busy: 'busy', unresponsive: 'not responding' } as const
