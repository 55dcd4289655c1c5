import { create } from 'zustand'
import type { ModelChoice } from '../../shared/agent/conversation.ts'
import type { ModelChecksState, ModelReport, ModelReportFormat } from '../../shared/models/modelCheck.ts'
import { on, onConnected, request } from '../platform/bridge/bridge.ts'
import { handleCommand } from '../platform/commands.ts'
import { downloadFile } from '../platform/files/downloadFile.ts'
import { openPage } from '../platform/editor/tabsStore.ts'
import { attempt, notify } from '../platform/notices.ts'

interface ModelCheckStore {
  /** Null until main has responded. */
  checks: ModelChecksState | null
  /** The model that the page suggests to check. Null: the current one. */
  choice: ModelChoice | null
  /** Id of the shown report. Null: the latest one. */
  shown: string | null
}

export const useModelCheck = create<ModelCheckStore>(() => ({ checks: null, choice: null, shown: null }))

/** Loads the running check and the stored reports. */
export function loadModelChecks(): void {
  attempt(async () => follow(await request('modelCheck.state', {})), 'The model checks could not be loaded')
}

function follow(checks: ModelChecksState): void {
  const { checks: before } = useModelCheck.getState()
  // Show a new report as soon as its check ends.
  const hasEnded = before !== null && before.running !== null && checks.running === null
  useModelCheck.setState({ checks, ...(hasEnded && { shown: null }) })
}

export function startCheck(choice: ModelChoice): void {
  useModelCheck.setState({ shown: null })
  attempt(async () => request('modelCheck.start', choice), 'The check could not be started')
}

export function cancelCheck(): void {
  attempt(async () => request('modelCheck.cancel', {}), 'The check could not be cancelled')
}

/** Saves the recommended settings of a report. */
export function applyReport({ id, model }: ModelReport): void {
  attempt(async () => {
    await request('modelCheck.apply', { id })
    notify('success', `Saved the recommended settings for ${model}.`)
  }, 'The recommended settings could not be saved')
}

export function exportReport({ id }: ModelReport, format: ModelReportFormat): void {
  attempt(async () => {
    const { name, text } = await request('modelCheck.export', { id, format })
    downloadFile(name, text, format === 'json' ? 'application/json' : 'text/markdown')
  }, 'The result could not be exported')
}

export function removeReport({ id }: ModelReport): void {
  attempt(async () => request('modelCheck.remove', { id }), 'The result could not be removed')
}

function isChoice(value: unknown): value is ModelChoice {
  return typeof value === 'object' && value !== null && 'endpointId' in value && 'model' in value
}

/** Registers the command and keeps the checks current. @returns a function that stops it */
export function registerModelCheck(): () => void {
  const stops = [
    handleCommand('help.checkModel', (argument) => {
      if (isChoice(argument)) useModelCheck.setState({ choice: argument })
      openPage('modelCheck')
    }),
    on('modelCheck.changed', follow),
    onConnected(() => {
      if (useModelCheck.getState().checks !== null) loadModelChecks()
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
