import { create } from 'zustand'
import type { Machine, ModelCheck, ModelDownload } from '../../../shared/models/firstSteps.ts'
import { toFailure } from '../../../shared/errors.ts'
import { on, request } from '../../platform/bridge/bridge.ts'
import { handleCommand } from '../../platform/commands.ts'

/** State of a check: running, its result, or why it failed. */
export type CheckState = { running: true } | { result: ModelCheck } | { failure: string }

interface FirstStepsState {
  open: boolean
  machine: Machine | null
  /** Running downloads by model. */
  downloads: Readonly<Record<string, ModelDownload>>
  /** Why the last download of a model failed. */
  failures: Readonly<Record<string, string>>
  /** Checks by endpoint and model (`checkKey`). */
  checks: Readonly<Record<string, CheckState>>
}

export const useFirstSteps = create<FirstStepsState>(() => ({
  open: false,
  machine: null,
  downloads: {},
  failures: {},
  checks: {},
}))

export const checkKey = (endpointId: string, model: string): string => JSON.stringify([endpointId, model])

/** Closes the dialog if it shows the steps, and opens something that it would cover. */
export function leaveDialog(open: () => void): void {
  useFirstSteps.setState({ open: false })
  open()
}

/** Requests the machine's memory, once. */
export async function loadMachine(): Promise<void> {
  if (useFirstSteps.getState().machine === null) useFirstSteps.setState({ machine: await request('machine.get', {}) })
}

/** Returns the record without a key. */
function without<T>(record: Readonly<Record<string, T>>, key: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([each]) => each !== key))
}

/** Starts the download of a model. Progress, end and failure arrive as events, even in a reloaded window. */
export async function downloadModel(endpointId: string, model: string): Promise<void> {
  const start = { endpointId, model, status: 'starting', completed: 0, total: 0 }
  followDownload(start)
  try {
    await request('models.download', { endpointId, model })
  } catch (error) {
    const { code, message, next } = toFailure(error)
    // Usually the last report has the failure, but there is none if the request did not reach main. A conflict means
    // that it is already running.
    if (code !== 'conflict' && useFirstSteps.getState().downloads[model])
      followDownload({ ...start, ended: code === 'cancelled' ? {} : { failure: `${message} ${next}`.trim() } })
  }
}

function followDownload(progress: ModelDownload): void {
  const { model, ended } = progress
  useFirstSteps.setState(({ downloads, failures }) => ({
    downloads: ended ? without(downloads, model) : { ...downloads, [model]: progress },
    failures: ended?.failure === undefined ? without(failures, model) : { ...failures, [model]: ended.failure },
  }))
}

export async function cancelDownload({ endpointId, model }: ModelDownload): Promise<void> {
  await request('models.cancelDownload', { endpointId, model })
}

/** Checks whether a model calls tools. The result or failure is shown next to it. */
export async function checkModel(endpointId: string, model: string): Promise<void> {
  const set = (state: CheckState) =>
    useFirstSteps.setState(({ checks }) => ({ checks: { ...checks, [checkKey(endpointId, model)]: state } }))
  set({ running: true })
  try {
    set({ result: await request('models.check', { endpointId, model }) })
  } catch (error) {
    const { message, next } = toFailure(error)
    set({ failure: `${message} ${next}`.trim() })
  }
}

/** Registers the command and keeps downloads current. @returns a function that stops it */
export function registerFirstSteps(): () => void {
  const stops = [
    handleCommand('help.firstSteps', () => useFirstSteps.setState({ open: true })),
    on('models.downloadProgress', followDownload),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
