import { z } from 'zod'
import { id, noParams, path, request } from '../requestType.ts'
import type { CellResult, JupyterState, KernelChoices, NotebookKernel } from './kernels.ts'
import type { RunOutputs } from './outputs.ts'

const cell = { path, key: id }

export const notebookRequests = {
  /** Returns the running kernels of the folder. */
  'notebook.kernels': request<NotebookKernel[]>()(() => noParams),
  /** Looks for a Python that has Jupyter, without starting it. */
  'notebook.find': request<JupyterState>()(() => noParams),
  /** Looks for kernels on this machine. Starts Jupyter in the sandbox. */
  'notebook.choices': request<KernelChoices>()(() => noParams),
  /** Starts the kernel of a notebook, in place of the one that it has. `name`: default as the file asks for */
  'notebook.start': request<void>()(() => z.object({ path, name: z.string().max(200).exactOptional() })),
  /** Runs a cell after those that wait. Resolves when it has ended. Starts the kernel if necessary. */
  'notebook.run': request<CellResult>()(() =>
    z.object({ ...cell, code: z.string().max(2_000_000), name: z.string().max(200).exactOptional() }),
  ),
  /** Waits for a cell that runs already. Null: it does not run. For a window that was loaded again. */
  'notebook.wait': request<CellResult | null>()(() => z.object(cell)),
  /** Returns the outputs of a running cell so far. */
  'notebook.outputs': request<RunOutputs | null>()(() => z.object(cell)),
  'notebook.input': request<void>()(() => z.object({ ...cell, text: z.string().max(100_000) })),
  'notebook.interrupt': request<void>()(() => z.object({ path })),
  'notebook.restart': request<void>()(() => z.object({ path })),
  'notebook.stop': request<void>()(() => z.object({ path })),
} as const
