import { randomInt, randomUUID } from 'node:crypto'
import type { ModelChoice } from '../../shared/conversation.ts'
import { isAbort, toFailure } from '../../shared/errors.ts'
import {
  checkSteps,
  defaultCheckMinutes,
  taskSteps,
  type CheckStep,
  type CheckStepResult,
  type FindingCode,
  type ModelFacts,
  type ModelReport,
} from '../../shared/modelCheck.ts'
import { windowText } from '../../shared/modelCheckTexts.ts'
import { plural } from '../../shared/plural.ts'
import { defaultToolset } from '../../shared/toolsetSuggestion.ts'
import { log } from '../base/log/log.ts'
import type { Core } from '../coreContract.ts'
import { ModelError, type ModelErrorCode } from '../model/clients/modelClient.ts'
import { optionsOf } from '../model/clients/modelOptions.ts'
import { isEmpty, joinObservations, type Observations } from './observations.ts'
import { createProbeSender, type SendProbe } from './probes/sendProbe.ts'
import { incompleteText, probeAnswer, probeCache, probeCall, probeVision } from './probes/probes.ts'
import { probeWindow } from './probes/windowProbe.ts'
import { runTask } from './runTask.ts'
import { openTaskCore, type TaskCoreDeps } from './taskCore.ts'
import { createCheckFolder } from './taskFolder.ts'
import { checkTasks } from './tasks/checkTasks.ts'
import { randomCode, randomNumbers } from './tasks/random.ts'
import { recommend, serverFindings, verdictOf } from './verdict.ts'

/** Time limits of a check in milliseconds. */
interface CheckLimits {
  /** One request of a probe. A large model on a slow disk takes minutes to load. */
  requestMs: number
  /** All prompts that measure the context window. */
  windowMs: number
  taskMs: number
  totalMs: number
}

/** Divides the time of a check. Timers take whole milliseconds. */
function limitsOf(minutes: number): CheckLimits {
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

/** A step that has ended. */
type StepEnd = Omit<CheckStepResult, 'step' | 'ms'>

/** What is known so far. */
interface CheckState extends CheckDeps {
  options: CheckOptions
  limits: CheckLimits
  seed: number
  steps: Map<CheckStep, CheckStepResult>
  facts: ModelFacts
  observations: Observations[]
  findings: Map<FindingCode, number>
  /** Whether a token of an answer has arrived. A slow model may not complete any in time. */
  answered: boolean
  /** Ends the check: by the user, or at the time limit. */
  signal: AbortSignal
  total: AbortSignal
  /** Why the last failed request of a task failed. */
  failure: ModelErrorCode | undefined
  /** Why the server failed. */
  serverProblem?: string
}

/**
 * Checks a model on its real server: first requests that measure the server, then tasks on the real agent loop with the
 * real tools, in temporary folders. What fails is part of the report.
 * @throws ModelError if the model sends nothing in answer to the first request
 */
export async function runCheck(deps: CheckDeps, options: CheckOptions): Promise<ModelReport> {
  const at = Date.now()
  const wanted = options.steps ?? checkSteps
  const limits = limitsOf(options.minutes ?? defaultCheckMinutes)
  const total = AbortSignal.timeout(limits.totalMs)
  const state: CheckState = {
    ...deps,
    options,
    limits,
    seed: options.seed ?? randomInt(2 ** 31),
    steps: new Map(
      checkSteps.filter((step) => wanted.includes(step)).map((step) => [step, { step, state: 'waiting' }]),
    ),
    facts: {},
    observations: [],
    findings: new Map(),
    answered: false,
    failure: undefined,
    signal: AbortSignal.any([options.signal, total]),
    total,
  }
  options.onProgress([...state.steps.values()])
  await runProbes(state)
  await runTasks(state)
  return report(state, at)
}

async function runProbes(state: CheckState): Promise<void> {
  const { choice } = state.options
  const random = randomNumbers(state.seed)
  let assumed: number | undefined
  let sendProbe: SendProbe | undefined
  const probeSender = async (): Promise<SendProbe> => {
    if (sendProbe) return sendProbe
    const ready = await state.endpoints.model(choice, state.signal)
    assumed = ready.contextWindow
    sendProbe = createProbeSender(ready, choice.model, {
      limitMs: state.limits.requestMs,
      signal: state.signal,
      onFirstToken() {
        state.answered = true
      },
    })
    return sendProbe
  }
  await probe(state, 'answer', async () => probeAnswer(await probeSender()))
  await probe(state, 'call', async () => probeCall(await probeSender()))
  await probe(state, 'cache', async () => probeCache(await probeSender(), random))
  await probe(state, 'window', async () => {
    const window = await probeWindow({
      sendProbe: await probeSender(),
      assumed,
      code: randomCode(random),
      random,
      budgetMs: state.limits.windowMs,
      onProgress: (tokens) => update(state, 'window', { note: `Prompt of ${plural(tokens, 'token')}` }),
      onFacts(known) {
        state.facts.window = known
      },
    })
    const text = windowText({ window })
    return {
      facts: { window },
      ...(window.beyond === 'cut' ? { problem: text } : { note: text }),
    }
  })
  await probe(state, 'vision', async () => probeVision(await probeSender(), random))
}

interface Probed {
  facts: ModelFacts
  problem?: string | undefined
  note?: string | undefined
  /** Whether there was anything to measure. A step without it was skipped. Default: true. */
  isMeasured?: boolean
}

/** Runs a probe as a step, if the check includes it. */
async function probe(state: CheckState, step: CheckStep, run: () => Promise<Probed>): Promise<void> {
  await runStep(state, step, async () => {
    const { facts, problem, note, isMeasured = true } = await run()
    state.facts = { ...state.facts, ...facts, ...joinSpeeds(state.facts, facts) }
    const text = problem ?? note
    const result = problem !== undefined ? 'failed' : isMeasured ? 'passed' : 'skipped'
    return { state: result, ...(text !== undefined && { note: text }) }
  })
}

/** Joins the speeds of two probes. They count as reported if the server reported one of them. */
function joinSpeeds({ speed: before }: ModelFacts, { speed: now }: ModelFacts): Pick<ModelFacts, 'speed'> {
  if (!before && !now) return {}
  return { speed: { ...before, ...now, reported: now?.reported === true || before?.reported === true } }
}

async function runTasks(state: CheckState): Promise<void> {
  const tasks = checkTasks(state.seed).filter(({ step }) => state.steps.has(step))
  if (tasks.length === 0 || isOver(state)) return endWaiting(state)
  const folder = await createCheckFolder()
  let core: Core | undefined
  try {
    for (const task of tasks) {
      await runStep(state, task.step, async () => {
        const { choice } = state.options
        core ??= await openTaskCore(state, { choice, folder, onFailure: (code) => (state.failure = code) })
        state.failure = undefined
        const { observations, finding, requestFailed, ...end } = await runTask(task, {
          core,
          folder,
          choice,
          toolset: defaultToolset(state.settings(), choice.model),
          limitMs: state.limits.taskMs,
          signal: state.signal,
        })
        const serverFailed = requestFailed && isServerFailure(state.failure)
        if (observations && !(serverFailed && isEmpty(observations))) state.observations.push(observations)
        if (finding) state.findings.set(finding, 1)
        if (serverFailed) state.findings.set('failed_requests', (state.findings.get('failed_requests') ?? 0) + 1)
        if (requestFailed && !(await answers(state))) state.serverProblem = end.detail ?? 'It does not answer.'
        return { ...end, ...(serverFailed && { serverFailed }) }
      })
    }
  } finally {
    // The report must not be lost because a process of a task keeps a file.
    for (const step of [() => core?.dispose(), folder.remove])
      await Promise.resolve(step()).catch((error: unknown) => log.warn('A task was not cleaned up completely', error))
  }
}

/** Whether the server still answers. A request may fail for a reason of its own. */
async function answers({ endpoints, options, signal }: CheckState): Promise<boolean> {
  try {
    await endpoints.client(options.choice.endpointId).models(signal)
    return true
  } catch (error) {
    if (error instanceof ModelError || signal.aborted) return false
    throw error
  }
}

/** Whether a request failed for a reason that has nothing to do with the model. */
function isServerFailure(failure: ModelErrorCode | undefined): boolean {
  return failure !== undefined && ['cut_off', 'timeout', 'unreachable', 'loading', 'unauthorised'].includes(failure)
}

/** Runs a step and records its state. A failed server ends the check after the step. */
async function runStep(state: CheckState, step: CheckStep, run: () => Promise<StepEnd>): Promise<void> {
  if (!state.steps.has(step)) return
  if (isOver(state)) return update(state, step, ended(state))
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
  // Without an answer to the first request there is nothing to report.
  if (nothingKnown) throw error
  if (lostServer.includes(error.code)) state.serverProblem = detail
  return { state: 'failed', note: 'The request failed.', detail }
}

function noAnswer({ options }: CheckState, limitMs: number): ModelError {
  return new ModelError(
    'timeout',
    `${options.choice.model} gave no complete answer in ${plural(Math.round(limitMs / 1000), 'second')}.`,
    'Choose a smaller model, or check the log of its server.',
  )
}

/** Errors after which further requests are pointless. */
const lostServer: readonly string[] = ['unreachable', 'no_model', 'unauthorised']

const isOver = ({ signal, serverProblem }: CheckState): boolean => signal.aborted || serverProblem !== undefined

/** The state of steps that do not run any more. */
function ended({ options, total }: CheckState): StepEnd {
  if (options.signal.aborted) return { state: 'cancelled' }
  return {
    state: 'skipped',
    note: total.aborted ? 'The time limit of the check was reached.' : 'The server failed earlier.',
  }
}

function endWaiting(state: CheckState): void {
  for (const { step, state: stepState } of state.steps.values())
    if (stepState === 'waiting' && taskSteps.some((task) => task === step)) update(state, step, ended(state))
}

function update(state: CheckState, step: CheckStep, change: Partial<CheckStepResult>): void {
  const before = state.steps.get(step)
  if (!before) return
  // `update` with an undefined note removes it.
  const { note, ...after } = { ...before, ...change }
  state.steps.set(step, { ...after, ...(note !== undefined && { note }) })
  state.options.onProgress([...state.steps.values()])
}

function report(state: CheckState, at: number): ModelReport {
  const { choice } = state.options
  const { endpoints, platform, settings, options, total, serverProblem } = state
  const joined = joinObservations(state.observations)
  const facts: ModelFacts = {
    ...state.facts,
    ...joined.facts,
    ...(joined.speed !== undefined &&
      state.facts.speed?.generation === undefined &&
      joinSpeeds(state.facts, { speed: { generation: joined.speed, reported: false } })),
    // A model that calls tools in the probe and not in a task can still call them.
    ...(joined.facts.calls === 'none' && state.facts.calls !== undefined && { calls: state.facts.calls }),
  }
  const findings = new Map([...joined.findings, ...state.findings, ...serverFindings(facts)])
  const steps = [...state.steps.values()]
  const ending: ModelReport['ended'] = options.signal.aborted
    ? 'cancelled'
    : serverProblem !== undefined
      ? 'server_failed'
      : total.aborted
        ? 'time_limit'
        : 'complete'
  const status = endpoints.cachedStatuses().find(({ endpoint }) => endpoint.id === choice.endpointId)
  const endpoint = endpoints.get(choice.endpointId)
  const general = settings()
  const { temperature = general.temperature } = endpoint ? optionsOf(endpoint, choice.model) : {}
  return {
    id: randomUUID(),
    at,
    ms: Date.now() - at,
    endpointId: choice.endpointId,
    model: choice.model,
    api: endpoint?.kind ?? 'openai',
    ...(status?.server !== undefined && { server: status.server }),
    version: platform.version,
    ended: ending,
    ...(serverProblem !== undefined && { problem: serverProblem }),
    steps,
    facts,
    findings: [...findings].map(([code, count]) => ({ code, count })),
    verdict: verdictOf(steps, findings, ending),
    recommendation: recommend(facts, findings, steps, { model: choice.model, settings: { ...general, temperature } }),
  }
}
