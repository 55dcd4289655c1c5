import { create } from 'zustand'
import { toFailure } from '../../shared/errors.ts'
import type { CellExecution, CellResult, NotebookKernel } from '../../shared/notebook/kernels.ts'
import { addOutput, noOutputs, type RunOutputs } from '../../shared/notebook/outputs.ts'
import { onAppState } from '../platform/appState.ts'
import { on, request } from '../platform/bridge/bridge.ts'
import { attempt, notify, notifyFailure } from '../platform/notices.ts'
import { findRanCell, type RanCell } from './ranCell.ts'
import { openedNotebook, type NotebookSession } from './notebookSession.ts'

/** How the last run of a cell ended, in this window. */
export interface LastRun {
  outcome: CellResult['outcome']
  durationMs: number
}

interface KernelStore {
  /** Running kernels by notebook. */
  kernels: Readonly<Record<string, NotebookKernel>>
  /** Outputs of running cells so far, by notebook and cell (`cellId`). */
  progress: Readonly<Record<string, RunOutputs>>
  lastRuns: Readonly<Record<string, LastRun>>
  /** Cells that this window has sent, and that main does not list yet. */
  sent: Readonly<Record<string, CellExecution>>
}

/** Kernels and runs, mirrored from main. */
export const useKernels = create<KernelStore>(() => ({ kernels: {}, progress: {}, lastRuns: {}, sent: {} }))

export const cellId = (path: string, key: string): string => `${path}\n${key}`

/** Returns the state of a cell that runs or waits. */
export function executionOf({ kernels, sent }: KernelStore, path: string, key: string): CellExecution | undefined {
  return kernels[path]?.executions.find((each) => each.key === key) ?? sent[cellId(path, key)]
}

/** Cells whose end this window waits for. */
const awaited = new Set<string>()

/** Runs a code cell. For another cell, does nothing. @returns false if the cells behind it must not run */
async function run(session: NotebookSession, key: string): Promise<boolean> {
  const { path } = session
  const id = cellId(path, key)
  const cell = session.cell(key)
  if (cell?.type !== 'code' || cell.source.trim() === '' || awaited.has(id)) return true
  const name = session.store.getState().notebook?.kernelName
  mark(id, key, true)
  useKernels.setState(({ progress: { [id]: _earlier, ...progress } }) => ({ progress }))
  try {
    const params = { path, key, code: cell.source, ...(name !== undefined && { name }) }
    return await finish(path, key, request('notebook.run', params), session.indexOf(key))
  } finally {
    mark(id, key, false)
  }
}

function mark(id: string, key: string, isSent: boolean): void {
  useKernels.setState(({ sent: { [id]: _known, ...others } }) => ({
    sent: isSent ? { ...others, [id]: { key, state: 'queued' } } : others,
  }))
}

/** Runs a cell, and reports a failure. */
export function runCell(session: NotebookSession, key: string): void {
  attempt(() => run(session, key), 'The cell was not run')
}

/** Runs code cells in this order, by default all. A cell that fails ends it. */
export async function runCells(session: NotebookSession, keys?: readonly string[]): Promise<void> {
  const all = keys ?? session.store.getState().notebook?.cells.map(({ key }) => key) ?? []
  // Main runs them in this order, and drops the others after a failure.
  const outcomes = await Promise.allSettled(all.map((key) => run(session, key)))
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed) notifyFailure(failed.reason, 'The cells were not run')
}

/** Waits for the end of a run, and stores its outputs in the text of the notebook. */
async function finish(path: string, key: string, ended: Promise<CellResult | null>, index?: number): Promise<boolean> {
  const id = cellId(path, key)
  awaited.add(id)
  try {
    const result = await ended
    if (result === null) return true
    const { outcome, durationMs, outputs, code } = result
    // A cell that never started keeps its outputs.
    if (outcome !== 'aborted' || outputs.length > 0) storeResult(path, { key, code, index, result })
    useKernels.setState(({ lastRuns, progress: { [id]: _ended, ...progress } }) => ({
      progress,
      lastRuns: { ...lastRuns, [id]: { outcome, durationMs } },
    }))
    return outcome === 'ok'
  } finally {
    awaited.delete(id)
  }
}

type UnstoredResult = RanCell & { result: CellResult }

/** Results of notebooks that were closed before they arrived. */
const unstored = new Map<string, UnstoredResult[]>()
const maxUnstored = 50

/** Stores outputs in the text of the notebook, or keeps them until it is opened. */
function storeResult(path: string, ran: UnstoredResult): void {
  const session = openedNotebook(path)
  if (!session?.store.getState().notebook) {
    const kept = unstored.get(path) ?? []
    unstored.set(path, [...kept, ran].slice(-maxUnstored))
    if (kept.length === 0)
      notify('info', `Cells of ${path} have ended.`, { detail: 'Their outputs are added when you open the notebook.' })
    return
  }
  const cell = findRanCell(session.store.getState().notebook?.cells ?? [], ran)
  if (cell) session.setOutputs(cell.key, ran.result.outputs, ran.result.executionCount)
  else
    notify('warning', `Outputs of a cell of ${path} were not stored.`, {
      detail: 'The cell was removed or changed while it ran. Run it again.',
    })
}

/** Stores the outputs that arrived while a notebook was not open. */
export function storeKeptResults({ path, store }: NotebookSession): void {
  if (!store.getState().notebook) return
  const kept = unstored.get(path) ?? []
  unstored.delete(path)
  kept.forEach((ran) => storeResult(path, ran))
}

export const interruptKernel = (path: string): void =>
  attempt(() => request('notebook.interrupt', { path }), 'The kernel was not interrupted')

export const restartKernel = (path: string): void =>
  attempt(() => request('notebook.restart', { path }), 'The kernel was not restarted')

export const stopKernel = (path: string): void =>
  attempt(() => request('notebook.stop', { path }), 'The kernel was not stopped')

export const answerInput = (path: string, key: string, text: string): void =>
  attempt(() => request('notebook.input', { path, key, text }), 'The input was not sent')

/** Follows the kernels of main. @returns a function that stops it */
export function followKernels(): () => void {
  const stops = [
    on('notebook.changed', ({ kernels }) => setKernels(kernels)),
    on('notebook.output', ({ path, key, messages }) =>
      useKernels.setState(({ progress }) => {
        const id = cellId(path, key)
        return { progress: { ...progress, [id]: messages.reduce(addOutput, progress[id] ?? noOutputs) } }
      }),
    ),
    onAppState(() => attempt(attachToRuns)),
  ]
  return () => stops.forEach((stop) => stop())
}

function setKernels(list: readonly NotebookKernel[]): void {
  useKernels.setState({ kernels: Object.fromEntries(list.map((kernel) => [kernel.path, kernel])) })
}

/** Waits for cells that main runs for a window before this one, or before a lost connection. */
async function attachToRuns(): Promise<void> {
  let kernels: NotebookKernel[]
  try {
    kernels = await request('notebook.kernels', {})
  } catch (error) {
    if (toFailure(error).code === 'no_workspace') return setKernels([])
    throw error
  }
  setKernels(kernels)
  for (const { path, executions } of kernels)
    for (const { key } of executions) {
      const id = cellId(path, key)
      if (awaited.has(id)) continue
      attempt(async () => {
        const outputs = await request('notebook.outputs', { path, key })
        if (outputs) useKernels.setState(({ progress }) => ({ progress: { ...progress, [id]: outputs } }))
        await finish(path, key, request('notebook.wait', { path, key }))
      })
    }
}

/** Shows a notice with the command that installs what is missing. */
export function notifyMissing(reason: string, installCommand?: string): void {
  notify('warning', 'There is no kernel to run notebooks.', {
    detail: installCommand === undefined ? reason : `${reason} Install it with: ${installCommand}`,
  })
}
