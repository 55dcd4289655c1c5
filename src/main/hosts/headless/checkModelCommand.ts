import {
  checkStepTexts,
  defaultCheckMinutes,
  type CheckStep,
  type ModelChecksState,
  type ModelReport,
} from '../../../shared/models/modelCheck.ts'
import { unfinishedCheck, stepStateText } from '../../../shared/models/modelCheckTexts.ts'
import { plural } from '../../../shared/text/plural.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import type { Endpoint } from '../../../shared/settings/settings.ts'
import type { Core } from '../../core.ts'
import { serverRoot } from '../../handlers/endpointKind.ts'
import { commandLineEndpoint } from './commandLineEndpoint.ts'
import { openCore, type CommandContext } from './commandContext.ts'
import { parseCheckModel } from './commandOptions.ts'
import { exitCodes } from './commandHelp.ts'

const never = new AbortController().signal

/**
 * `tizona check-model`: checks a model on its server. Prints progress to standard error and the report to standard
 * output, as Markdown or JSON.
 * @returns `failed` if the model is limited or unsuitable, `endpoint` if its server does not respond
 * @throws UsageError
 */
export async function checkModelCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const options = parseCheckModel(args)
  const limitMs = Math.ceil((options.minutes ?? defaultCheckMinutes) * 60_000)
  const limit = AbortSignal.timeout(limitMs)
  const started = performance.now()
  const configured = await commandLineEndpoint(options, AbortSignal.any([context.interrupted, limit])).catch(
    (error: unknown) => {
      if (limit.aborted && !context.interrupted.aborted) return undefined
      throw error
    },
  )
  // The limit includes the time to detect the server.
  const minutes = (limitMs - (performance.now() - started)) / 60_000
  if (!configured || minutes <= 0) {
    console.error(
      `${options.endpoint} did not respond within ${plural(Math.round(limitMs / 1000), 'second')}. Check the log of the server, then try again.`,
    )
    return exitCodes.endpoint
  }
  const { endpoints, model, keys } = configured
  const [endpoint] = endpoints
  const core = await openCore(context, { endpoints, model }, { keys })
  let report: ModelReport | undefined
  try {
    report = await check(
      core,
      {
        ...model,
        ...(options.tasks && { steps: options.tasks }),
        minutes,
      },
      context.interrupted,
    )
    if (!report) return context.interrupted.aborted ? exitCodes.cancelled : exitCodes.endpoint
    const { text } = await core.handlers['modelCheck.export'](
      { id: report.id, format: options.json ? 'json' : 'markdown' },
      never,
    )
    context.output.write(text)
  } finally {
    await core.dispose()
  }
  if (options.apply) {
    if (report.ended === 'complete') await applyReport(report, endpoint, context)
    else console.error(`${unfinishedCheck.message} ${unfinishedCheck.hint}`)
  }
  return exitCodeOf(report)
}

function exitCodeOf({ ended, verdict, steps }: ModelReport): number {
  const isUnclear = verdict === 'unfinished' && steps.some(({ serverFailed }) => serverFailed)
  if (ended === 'cancelled') return exitCodes.cancelled
  if (ended === 'server_failed' || isUnclear) return exitCodes.endpoint
  // Without tasks there is no verdict.
  const isChosen = ended === 'complete' && verdict === 'unfinished'
  return verdict === 'good' || verdict === 'usable' || isChosen ? exitCodes.done : exitCodes.failed
}

/** Runs the check and prints each finished step. @returns undefined if the check could not run */
async function check(
  { handlers, subscribe }: Core,
  params: { endpointId: string; model: string; steps?: CheckStep[]; minutes: number },
  interrupted: AbortSignal,
): Promise<ModelReport | undefined> {
  const before = (await handlers['modelCheck.state']({}, never)).reports[0]?.id
  const { promise, resolve } = Promise.withResolvers<ModelReport | undefined>()
  const printed = new Set<CheckStep>()
  const follow = ({ running, problem, reports: [latest] }: ModelChecksState): void => {
    const ended = latest !== undefined && latest.id !== before ? latest : undefined
    for (const { step, state, note, detail } of running?.steps ?? ended?.steps ?? []) {
      if (printed.has(step) || state === 'waiting' || state === 'running') continue
      printed.add(step)
      const text = [note, detail].filter((part) => part !== undefined).join(' ')
      console.error(
        `${stepStateText(step, state)}: ${checkStepTexts[step]}${text === '' ? '' : `. ${visibleText(text)}`}`,
      )
    }
    if (running) return
    if (problem !== null) console.error(visibleText(problem))
    resolve(ended)
  }
  const unsubscribe = subscribe((name, payload) => {
    // The payload of this event has this type.
    if (name === 'modelCheck.changed') follow(payload as ModelChecksState)
  })
  const cancel = (): void => void handlers['modelCheck.cancel']({}, never)
  interrupted.addEventListener('abort', cancel, { once: true })
  try {
    await handlers['modelCheck.start'](params, never)
    if (interrupted.aborted) cancel()
    return await promise
  } finally {
    interrupted.removeEventListener('abort', cancel)
    unsubscribe()
  }
}

/** Stores the recommended settings for the application, which finds the report in the same user data. */
async function applyReport({ id }: ModelReport, endpoint: Endpoint, context: CommandContext): Promise<void> {
  const core = await openCore(context)
  try {
    const { id: _, hasKey, ...draft } = endpoint
    const statuses = await core.handlers['endpoints.list']({ probe: false }, never)
    const stored = statuses.find(({ endpoint: other }) => isSameServer(other, endpoint))
    const target =
      stored ??
      (await core.handlers['endpoints.save']({ endpoint: { ...draft, hasKey: false }, unlessKnown: true }, never))
    await core.handlers['modelCheck.apply']({ id, endpointId: target.endpoint.id }, never)
    console.error(
      `The recommended settings were stored.${hasKey && !stored ? ' The API key was not stored: enter it in Settings.' : ''}`,
    )
  } finally {
    await core.dispose()
  }
}

function isSameServer(one: Endpoint, other: Endpoint): boolean {
  return one.kind === other.kind && serverRoot(one) === serverRoot(other)
}
