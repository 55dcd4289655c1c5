import { followKernels } from './kernelStore.ts'
import { followClosedNotebooks } from './notebookSession.ts'

export { interruptKernel, notifyMissing, restartKernel, runCells, stopKernel, useKernels } from './kernelStore.ts'
export { fillNotebook, openedNotebook } from './notebookSession.ts'

/** Mirrors kernels, and ends the sessions of closed notebooks. @returns a function that stops it */
export function followNotebooks(): () => void {
  const stops = [followKernels(), followClosedNotebooks()]
  return () => stops.forEach((stop) => stop())
}
