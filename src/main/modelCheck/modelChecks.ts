import { toFailure, ToolError } from '../../shared/errors.ts'
import type {
  CheckStepResult,
  ModelChecksState,
  ModelReport,
  ModelReportFormat,
  RunningCheck,
} from '../../shared/models/modelCheck.ts'
import { unfinishedCheck } from '../../shared/models/modelCheckTexts.ts'
import { log } from '../base/log/log.ts'
import { ModelError } from '../model/modelClient.ts'
import type { JsonFile } from '../settings/jsonFile.ts'
import { applyRecommendation } from './applyRecommendation.ts'
import type { CheckDeps, CheckOptions } from './checkSteps.ts'
import { exportName, reportJson, reportMarkdown } from './exportReport.ts'
import { runCheck } from './runCheck.ts'
import { Delayer } from '../../shared/async/delayer.ts'

/** Checks models one at a time, and keeps their reports. */
export interface ModelChecks {
  /** Starts a check and returns. @throws ToolError `conflict` if one is running, `not_found` without the endpoint */
  start(options: StartOptions): void
  /** Cancels the running check, which ends its request at the server. */
  cancel(): void
  state(): ModelChecksState
  /**
   * Stores the recommended settings of a report.
   * @param endpointId the endpoint to change. Default: the checked one
   * @throws ToolError `not_found`, `conflict` if the check ended early
   */
  apply(id: string, endpointId: string | undefined, signal: AbortSignal): Promise<void>
  /** Returns a report as a file to share, without anything about this machine. @throws ToolError `not_found` */
  export(id: string, format: ModelReportFormat): { name: string; text: string }
  remove(id: string): Promise<void>
  /** Cancels the running check and waits for its end. */
  dispose(): Promise<void>
}

type StartOptions = Pick<CheckOptions, 'choice' | 'steps' | 'minutes'>

interface ModelChecksDeps extends CheckDeps {
  reports: JsonFile<ModelReport[]>
  onChanged(state: ModelChecksState): void
}

/** Number of reports to keep. Older ones are removed. */
const maxReports = 100
/** Minimum time between two events about progress, in milliseconds. */
const progressMs = 100

interface ActiveCheck {
  running: RunningCheck
  controller: AbortController
  ended: Promise<void>
}

export function createModelChecks(deps: ModelChecksDeps): ModelChecks {
  const { endpoints, reports, onChanged } = deps
  let active: ActiveCheck | undefined
  let problem: string | null = null
  const announcing = new Delayer(announce, progressMs)
  /** Results that could not be written. They are lost when the process ends. */
  let unstored: ModelReport[] = []

  const allReports = (): ModelReport[] => [...unstored, ...reports.value]
  const state = (): ModelChecksState => ({ running: active?.running ?? null, problem, reports: allReports() })
  function announce(): void {
    announcing.cancel()
    onChanged(state())
  }
  const find = (id: string): ModelReport => {
    const found = allReports().find((report) => report.id === id)
    if (!found) throw new ToolError('not_found', 'This result no longer exists.', 'Check the model again.')
    return found
  }

  async function run(options: StartOptions, running: RunningCheck, signal: AbortSignal): Promise<void> {
    const onProgress = (steps: readonly CheckStepResult[]): void => {
      running.steps = [...steps]
      announcing.start()
    }
    try {
      const report = await runCheck(deps, { ...options, signal, onProgress })
      // A check that was cancelled before its first result leaves nothing to compare.
      if (report.steps.some((step) => step.state === 'passed' || step.state === 'failed'))
        await reports
          .update((stored) => [report, ...stored].slice(0, maxReports))
          .catch((error: unknown) => {
            unstored = [report, ...unstored]
            problem = `The result of the check could not be stored. ${problemText(error)}`
          })
    } catch (error) {
      if (signal.aborted) return
      problem = problemText(error)
      if (!(error instanceof ModelError)) log.error('The check of a model failed', error)
    } finally {
      active = undefined
      announce()
    }
  }

  return {
    start(options) {
      const { endpointId, model } = options.choice
      if (active)
        throw new ToolError(
          'conflict',
          `${active.running.model} is being checked.`,
          'Wait until it finishes, or cancel it, then start again.',
        )
      if (!endpoints.get(endpointId))
        throw new ToolError('not_found', 'This model server no longer exists.', 'Choose another model.')
      if (endpoints.get(endpointId)?.kind === 'tour')
        throw new ToolError(
          'invalid_arguments',
          'The tour is scripted and has no model to check.',
          'Choose another model.',
        )
      problem = null
      const running: RunningCheck = { endpointId, model, startedAt: Date.now(), steps: [], cancelling: false }
      const controller = new AbortController()
      // Yields first, so that `active` is set before the check can end.
      const ended = Promise.resolve().then(() => run(options, running, controller.signal))
      active = { running, controller, ended }
      announce()
    },
    cancel() {
      if (!active || active.running.cancelling) return
      active.running.cancelling = true
      active.controller.abort()
      announce()
    },
    state,
    async apply(id, endpointId, signal) {
      const report = find(id)
      if (report.ended !== 'complete') throw new ToolError('conflict', unfinishedCheck.message, unfinishedCheck.hint)
      await applyRecommendation(report, endpointId ?? report.endpointId, endpoints, signal)
    },
    export(id, format) {
      const report = find(id)
      return {
        name: exportName(report, format),
        text: format === 'json' ? reportJson(report) : reportMarkdown(report),
      }
    },
    async remove(id) {
      const isOther = (report: ModelReport): boolean => report.id !== id
      if (unstored.every(isOther)) await reports.update((stored) => stored.filter(isOther))
      else unstored = unstored.filter(isOther)
      announce()
    },
    async dispose() {
      announcing.cancel()
      active?.controller.abort()
      await active?.ended
      announcing.cancel()
    },
  }
}

/** Describes why a check could not run. */
function problemText(error: unknown): string {
  if (error instanceof ModelError) return `${error.message} ${error.hint}`.trim()
  const { message, next } = toFailure(error)
  return `${message} ${next}`.trim()
}
