import { randomInt } from 'node:crypto'
import {
  checkSteps,
  defaultCheckMinutes,
  type CheckStep,
  type ModelFacts,
  type ModelReport,
} from '../../shared/modelCheck.ts'
import { windowText } from '../../shared/modelCheckTexts.ts'
import { plural } from '../../shared/plural.ts'
import { defaultToolset } from '../../shared/toolsetSuggestion.ts'
import { log } from '../base/log/log.ts'
import type { Core } from '../coreContract.ts'
import { ModelError, type ModelErrorCode } from '../model/clients/modelClient.ts'
import { createReport, joinSpeeds } from './checkReport.ts'
import {
  endWaiting,
  isOver,
  limitsOf,
  runStep,
  update,
  type CheckDeps,
  type CheckOptions,
  type CheckState,
} from './checkSteps.ts'
import { isEmpty } from './observations.ts'
import { createProbeSender, type SendProbe } from './probes/sendProbe.ts'
import { probeAnswer, probeCache, probeCall, probeVision } from './probes/probes.ts'
import { probeWindow } from './probes/windowProbe.ts'
import { runTask } from './runTask.ts'
import { openTaskCore } from './taskCore.ts'
import { createCheckFolder } from './taskFolder.ts'
import { checkTasks } from './tasks/checkTasks.ts'
import { randomCode, randomNumbers } from './tasks/random.ts'

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
