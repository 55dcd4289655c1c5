import type { ModelChoice } from '../../shared/agent/conversation.ts'
import { isAbort, toFailure } from '../../shared/errors.ts'
import {
  taskSteps,
  type CheckStep,
  type CheckStepResult,
  type FindingCode,
  type ModelFacts,
} from '../../shared/models/modelCheck.ts'
import { plural } from '../../shared/text/plural.ts'
import { ModelError, type ModelErrorCode } from '../model/modelClient.ts'
import type { Observations } from './observations.ts'
import { incompleteText } from './probes/probes.ts'
import type { TaskCoreDeps } from './taskCore.ts'

// State of a running check, and how its steps end.

/** Time limits of a check in milliseconds. */
interface CheckLimits {
  /** One request of a probe. A large model on a slow disk takes minutes to load. */
  requestMs: number
  /** All prompts that measure the context window. */
  windowMs: number
  taskMs: number
  totalMs: number
}

/** Divides the time of a check between its parts, in whole milliseconds for timers. */
export function limitsOf(minutes: number): CheckLimits {
  const totalMs = minutes * 60_000
  return {
    requestMs: Math.ceil(totalMs / 10),
    windowMs: Math.ceil(totalMs / 15),
    taskMs: Math.ceil(totalMs / 6),
    totalMs: Math.ceil(totalMs),
  }
}

export type CheckDeps = TaskCoreDeps

export interface CheckOptions {
  choice: ModelChoice
  /** Default: all. */
  steps?: readonly CheckStep[]
  /** Time limit of the whole check. Default: `defaultCheckMinutes`. */
  minutes?: number
  /** Seed of names and values. Default: random, so that no model can know them. */
  seed?: number
  signal: AbortSignal
  onProgress(steps: readonly CheckStepResult[]): void
}

/** How a step ended. */
export type StepEnd = Omit<CheckStepResult, 'step' | 'ms'>

export interface CheckState extends CheckDeps {
  options: CheckOptions
  limits: CheckLimits
  seed: number
  steps: Map<CheckStep, CheckStepResult>
  facts: ModelFacts
  observations: Observations[]
  findings: Map<FindingCode, number>
  /** Whether a token has arrived. A slow model may not complete any answer in time. */
  answered: boolean
  /**
   * Why the tasks run in guided turns. `default`: conversations with this model do. `tried`: the model called no tool
   * by itself.
   */
  guided?: 'default' | 'tried'
  /** Aborted by the user or at the time limit. */
  signal: AbortSignal
  total: AbortSignal
  /** Why the last failed request of a task failed. */
  failure: ModelErrorCode | undefined
  /** Why the server failed. */
  serverProblem?: string
}

/** Runs a step and records its state. A failed server ends the check after the step. */
export async function runStep(state: CheckState, step: CheckStep, run: () => Promise<StepEnd>): Promise<void> {
  if (!state.steps.has(step)) return
  if (isCheckOver(state)) return update(state, step, ended(state))
  const started = performance.now()
  update(state, step, { state: 'running' })
  let end: StepEnd
  try {
    end = await run()
  } catch (error) {
    end = failedStep(state, error)
  }
  update(state, step, { note: undefined, ...end, ms: Math.round(performance.now() - started) })
}

function failedStep(state: CheckState, error: unknown): StepEnd {
  if (state.options.signal.aborted) return ended(state)
  const nothingKnown = !state.answered && state.observations.length === 0
  if (state.total.aborted) {
    if (nothingKnown) throw noAnswer(state, state.limits.totalMs)
    return ended(state)
  }
  if (isAbort(error)) {
    if (nothingKnown) throw noAnswer(state, state.limits.requestMs)
    return { state: 'failed', note: incompleteText(state.limits.requestMs) }
  }
  if (!(error instanceof ModelError)) {
    const { message, next } = toFailure(error)
    return { state: 'failed', note: 'The step failed.', detail: `${message} ${next}`.trim() }
  }
  const detail = `${error.message} ${error.hint}`.trim()
  // If the first request fails, there is nothing to report.
  if (nothingKnown) throw error
  if (lostServer.includes(error.code)) state.serverProblem = detail
  return { state: 'failed', note: 'The request failed.', detail }
}

function noAnswer({ options }: CheckState, limitMs: number): ModelError {
  return new ModelError(
    'timeout',
    `${options.choice.model} did not finish an answer within ${plural(Math.round(limitMs / 1000), 'second')}.`,
    'Choose a smaller model, or check the log of its server.',
  )
}

/** Errors after which further requests are pointless. */
const lostServer: readonly string[] = ['unreachable', 'no_model', 'unauthorised']

export const isCheckOver = ({ signal, serverProblem }: CheckState): boolean =>
  signal.aborted || serverProblem !== undefined

/** How the steps end that no longer run. */
function ended({ options, total }: CheckState): StepEnd {
  if (options.signal.aborted) return { state: 'cancelled' }
  return {
    state: 'skipped',
    note: total.aborted ? 'The time limit of the check was reached.' : 'The server failed earlier.',
  }
}

export function endWaitingSteps(state: CheckState): void {
  for (const { step, state: stepState } of state.steps.values())
    if (stepState === 'waiting' && taskSteps.some((task) => task === step)) update(state, step, ended(state))
}

export function update(state: CheckState, step: CheckStep, change: Partial<CheckStepResult>): void {
  const before = state.steps.get(step)
  if (!before) return
  // `update` with an undefined note removes it.
  const { note, ...after } = { ...before, ...change }
  state.steps.set(step, { ...after, ...(note !== undefined && { note }) })
  state.options.onProgress([...state.steps.values()])
}
