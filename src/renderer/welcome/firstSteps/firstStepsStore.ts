import { create } from 'zustand'
import type { Machine, ModelCheck, ModelDownload } from '../../../shared/models/firstSteps.ts'
import { toFailure } from '../../../shared/errors.ts'
import { on, request } from '../../platform/bridge/bridge.ts'
import { currentWorkspace, refreshApp, saveSettings, useApp } from '../../platform/appState.ts'
import { handleCommand } from '../../platform/commands.ts'
import { attempt } from '../../platform/notices.ts'
import { openPage, removeTab, useTabs } from '../../platform/editor/tabsStore.ts'
import { recordChangeSeen } from '../../platform/firstKept.ts'
import { useReview } from '../../platform/review/reviewStore.ts'
import { focusAfterRender } from '../../platform/layout/focusRegions.ts'

/** State of a check: running, its result, or why it failed. */
export type CheckState = { running: true } | { result: ModelCheck } | { failure: string }

interface FirstStepsState {
  machine: Machine | null
  /** Running downloads by model. */
  downloads: Readonly<Record<string, ModelDownload>>
  /** Why the last download of a model failed. */
  failures: Readonly<Record<string, string>>
  /** Checks by endpoint and model (`checkKey`). */
  checks: Readonly<Record<string, CheckState>>
  /** Whether the user asked for the steps in this window, which shows them also after they are done. */
  asked: boolean
}

export const useFirstSteps = create<FirstStepsState>(() => ({
  machine: null,
  downloads: {},
  failures: {},
  checks: {},
  asked: false,
}))

export const checkKey = (endpointId: string, model: string): string => JSON.stringify([endpointId, model])

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

/** Shows the steps: in a tab, or on the welcome page of a window without a folder. */
async function showFirstSteps(): Promise<void> {
  if (currentWorkspace()) return openPage('firstSteps')
  if (useApp.getState().state?.settings.firstSteps === 'hidden') await saveSettings({ firstSteps: 'show' })
  // The welcome page is below the pages of such a window.
  for (const { id: group, tabs } of useTabs.getState().groups)
    for (const { id, kind } of tabs) if (kind === 'page') removeTab(group, id)
  useFirstSteps.setState({ asked: true })
  focusAfterRender(() => document.querySelector<HTMLElement>('#first-steps-title')?.focus())
}

/** Returns a function that shows the steps in the folder that is opened next, if this is the user's first one. */
export function followToFirstFolder(): () => Promise<void> {
  const { state } = useApp.getState()
  const isFirst = state?.workspace === null && state.recents.length === 0 && state.settings.firstSteps === 'show'
  return async () => {
    if (!isFirst) return
    // The layout of the folder, which replaces all tabs, is restored first.
    await refreshApp()
    if (currentWorkspace()) openPage('firstSteps')
  }
}

/** Registers the command, keeps downloads current and notices changes. @returns a function that stops it */
export function registerFirstSteps(): () => void {
  const stops = [
    handleCommand('help.firstSteps', showFirstSteps),
    on('models.downloadProgress', followDownload),
    useReview.subscribe(({ pending }) => {
      if (pending.files.length > 0) recordChangeSeen()
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

/** Removes the first steps from the welcome page for good. */
export function hideFirstSteps(): void {
  attempt(() => saveSettings({ firstSteps: 'hidden' }), 'The setting could not be saved')
}
