import { modelNames } from '../../shared/models/modelName.ts'
import { randomInt } from 'node:crypto'
import {
  checkSteps,
  defaultCheckMinutes,
  type CheckStep,
  type ModelFacts,
  type ModelReport,
} from '../../shared/models/modelCheck.ts'
import { windowText } from '../../shared/models/modelCheckTexts.ts'
import { plural } from '../../shared/text/plural.ts'
import { defaultToolset } from '../../shared/tools/toolsetSuggestion.ts'
import { log } from '../base/log/log.ts'
import type { Core } from '../core/coreContract.ts'
import { ModelError, type ModelErrorCode } from '../model/modelClient.ts'
import { createReport, combineSpeeds } from './checkReport.ts'
import {
  endWaitingSteps,
  isCheckOver,
  limitsOf,
  runStep,
  update,
  type CheckDeps,
  type CheckOptions,
  type CheckState,
  type StepEnd,
} from './checkSteps.ts'
import { observedNothing } from './observations.ts'
import { createProbeSender, type SendProbe } from './probes/sendProbe.ts'
import { endlessText, probeAnswer, probeCache, probeCall, probeVision } from './probes/probes.ts'
import { probeWindow } from './probes/windowProbe.ts'
import { runTask } from './runCheckTask.ts'
import { openTaskCore } from './taskCore.ts'
import { createCheckFolder, type CheckFolder } from './taskFolder.ts'
import type { CheckTask } from './tasks/checkTask.ts'
import { checkTasks } from './tasks/checkTasks.ts'
import { randomCode, randomNumbers } from './tasks/random.ts'

/**
 * Checks a model on its real server: first probes that measure the server, then tasks with the real agent loop and
 * tools in temporary folders. Failures are part of the report.
 * @throws ModelError if the model does not answer the first request
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
  return createReport(state, at)
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
  await probe(state, 'call', async () => {
    const send = await probeSender()
    const isUnsupported = state.endpoints.modelInfo(choice)?.tools === false
    // Known even if the answer does not arrive in time.
    if (isUnsupported) state.facts.toolsLost = 'template'
    return probeCall(send, isUnsupported)
  })
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
  /** False if there was nothing to measure, so that the step is skipped. Default: true. */
  isMeasured?: boolean
}

/** Runs a probe as a step, if the check includes it. */
async function probe(state: CheckState, step: CheckStep, run: () => Promise<Probed>): Promise<void> {
  await runStep(state, step, async () => {
    const { facts, problem, note, isMeasured = true } = await run()
    state.facts = { ...state.facts, ...facts, ...combineSpeeds(state.facts, facts) }
    if (problem === endlessText) state.findings.set('repeated_text', 1)
    const text = problem ?? note
    const result = problem !== undefined ? 'failed' : isMeasured ? 'passed' : 'skipped'
    return { state: result, ...(text !== undefined && { note: text }) }
  })
}

async function runTasks(state: CheckState): Promise<void> {
  const tasks = checkTasks(state.seed).filter(({ step }) => state.steps.has(step))
  if (tasks.length === 0 || isCheckOver(state)) return endWaitingSteps(state)
  const folder = await createCheckFolder()
  try {
    if (!(await runTasksIn(folder, tasks, state))) return
    state.guided = 'tried'
    await runTasksIn(folder, tasks, state)
  } finally {
    await cleanUp(folder.remove)
  }
}

/** Number of tasks without a call after which guided turns are tried. */
const maxWithoutCalls = 2

/** @returns whether to run them again in guided turns, because the model calls no tool by itself */
async function runTasksIn(folder: CheckFolder, tasks: readonly CheckTask[], state: CheckState): Promise<boolean> {
  const { choice } = state.options
  let core: Core | undefined
  let canGuide = false
  try {
    for (const [position, task] of tasks.entries()) {
      await runStep(state, task.step, async () => {
        if (!core) {
          const ready = await state.endpoints.model(choice, state.signal)
          if (ready.guided) state.guided ??= 'default'
          canGuide = ready.canGuide
        }
        core ??= await openTaskCore(state, {
          choice,
          folder,
          onFailure: (code) => (state.failure = code),
          guided: state.guided === 'tried',
        })
        return oneTask(task, core, folder, state)
      })
      const isEnough = position + 1 >= Math.min(maxWithoutCalls, tasks.length)
      if (isEnough && canGuide && !state.guided && callsNothing(state)) return true
    }
    return false
  } finally {
    // A task's process that keeps a file open must not cost the report.
    await cleanUp(() => core?.dispose())
  }
}

async function cleanUp(step: () => Promise<void> | undefined): Promise<void> {
  await step()?.catch((error: unknown) => log.warn('A task was not cleaned up completely', error))
}

function callsNothing({ facts, observations, signal, serverProblem }: CheckState): boolean {
  const isRunning = !signal.aborted && serverProblem === undefined
  const calls = observations.reduce((sum, { nativeCalls, textCalls }) => sum + nativeCalls + textCalls, 0)
  return isRunning && observations.length > 0 && calls === 0 && (facts.calls ?? 'none') === 'none'
}

async function oneTask(task: CheckTask, core: Core, folder: CheckFolder, state: CheckState): Promise<StepEnd> {
  const { choice } = state.options
  state.failure = undefined
  const { observations, finding, requestFailed, ...end } = await runTask(task, {
    core,
    folder,
    choice,
    toolset: defaultToolset(
      state.settings(),
      modelNames(choice.model, state.endpoints.modelInfo(choice)?.originalName),
    ),
    limitMs: state.limits.taskMs,
    signal: state.signal,
  })
  const serverFailed = requestFailed && isServerFailure(state.failure)
  if (observations && !(serverFailed && observedNothing(observations))) state.observations.push(observations)
  if (finding) state.findings.set(finding, 1)
  if (serverFailed) state.findings.set('failed_requests', (state.findings.get('failed_requests') ?? 0) + 1)
  if (requestFailed && !(await answers(state))) state.serverProblem = end.detail ?? 'It does not respond.'
  return { ...end, ...(serverFailed && { serverFailed }) }
}

/** Whether the server still answers. A single request may fail for other reasons. */
async function answers({ endpoints, options, signal }: CheckState): Promise<boolean> {
  try {
    await endpoints.client(options.choice.endpointId).models(signal)
    return true
  } catch (error) {
    if (error instanceof ModelError || signal.aborted) return false
    throw error
  }
}

/** Whether a request failed for a reason other than the model. */
function isServerFailure(failure: ModelErrorCode | undefined): boolean {
  return failure !== undefined && ['cut_off', 'timeout', 'unreachable', 'loading', 'unauthorised'].includes(failure)
}
