import { ToolError } from '../../shared/errors.ts'
import type { CommandOutcome } from '../command/commandTypes.ts'
import type { Jobs } from '../command/jobTypes.ts'
import type { BackgroundPatterns } from './editorTasks.ts'
import { createLineMatcher } from './lineMatcher.ts'
import type { TaskPlan } from './taskPlan.ts'

export interface RunTaskDeps {
  jobs: Pick<Jobs, 'run' | 'readOutput' | 'stop' | 'list'>
  /** Real path of the workspace. */
  root: string
  /** Jobs of background tasks that were ready, by command line. One that still runs is not started again. */
  background?: Map<string, string>
  /** Milliseconds until a background task must be ready. */
  readyMs?: number
}

/** Milliseconds of one read. The job is read again until it ends. */
const readMs = 60_000
const defaultReadyMs = 5 * 60_000
/** Characters kept of a line that has no end yet. The matcher reads no more of a line. */
const maxRest = 10_000
/** Characters of the output in an error. */
const maxDetail = 4000

/**
 * Runs a task as a command, after those that it depends on. Background tasks keep running when they are ready.
 * @throws ToolError `server_error` that names the failed task, with its output; `timeout`
 */
export async function runTask(plan: TaskPlan, deps: RunTaskDeps, signal: AbortSignal): Promise<void> {
  if (plan.inSequence) for (const each of plan.before) await runTask(each, deps, signal)
  else await runTogether(plan.before, deps, signal)
  if (plan.command === undefined) return
  if (plan.background) await runUntilReady(plan.name, plan.command, plan.background, deps, signal)
  else await runToEnd(plan.name, plan.command, deps, signal)
}

/** The first failure ends the others. */
async function runTogether(plans: readonly TaskPlan[], deps: RunTaskDeps, signal: AbortSignal): Promise<void> {
  const failed = new AbortController()
  const both = AbortSignal.any([signal, failed.signal])
  const results = await Promise.allSettled(
    plans.map(async (each) => {
      try {
        await runTask(each, deps, both)
      } catch (error) {
        if (!failed.signal.aborted) failed.abort(error)
        throw error
      }
    }),
  )
  signal.throwIfAborted()
  if (failed.signal.aborted) throw failed.signal.reason
  const rejected = results.find((result) => result.status === 'rejected')
  if (rejected) throw rejected.reason
}

async function runToEnd(
  name: string,
  command: string,
  { jobs, root }: RunTaskDeps,
  signal: AbortSignal,
): Promise<void> {
  let outcome = await jobs.run({ run: { command }, cwd: root }, signal)
  let output = outcome.output
  try {
    while (!hasEnded(outcome)) {
      outcome = await jobs.readOutput(outcome.job.id, { waitMs: readMs, signal })
      output = (output + outcome.output).slice(-maxDetail)
    }
  } catch (error) {
    await jobs.stop(outcome.job.id)
    throw error
  }
  if (outcome.job.exitCode !== 0) throw failure(name, outcome, output)
}

async function runUntilReady(
  name: string,
  command: string,
  patterns: BackgroundPatterns,
  { jobs, root, background, readyMs = defaultReadyMs }: RunTaskDeps,
  signal: AbortSignal,
): Promise<void> {
  const ready = background?.get(command)
  if (jobs.list().some((job) => job.id === ready && job.endedAt === undefined)) return
  const matcher = createLineMatcher([patterns.begins ?? null, patterns.ends])
  const late = AbortSignal.timeout(readyMs)
  const both = AbortSignal.any([signal, late])
  let id: string | undefined
  try {
    let outcome = await jobs.run({ run: { command }, cwd: root, waitMs: 0 }, both)
    id = outcome.job.id
    let output = ''
    let rest = ''
    let isWorking = patterns.activeOnStart
    for (;;) {
      output = (output + outcome.output).slice(-maxDetail)
      const lines = (rest + outcome.output).split('\n')
      rest = (lines.pop() ?? '').slice(0, maxRest)
      // The last line has no end yet, but can be all that a program prints.
      for (const [begins, ends] of await matcher.match([...lines, ...(rest === '' ? [] : [rest])], both)) {
        isWorking ||= begins === true
        if (isWorking && ends === true) return void background?.set(command, id)
      }
      if (hasEnded(outcome)) throw failure(name, outcome, output)
      outcome = await jobs.readOutput(id, { waitMs: readMs, signal: both })
    }
  } catch (error) {
    if (id !== undefined) await jobs.stop(id)
    if (!late.aborted || signal.aborted) throw error
    throw new ToolError(
      'timeout',
      `The task "${name}" was not ready after ${readyMs / 1000} s: no line matched its endsPattern.`,
      'Check the pattern in .vscode/tasks.json, then start again.',
    )
  } finally {
    await matcher.dispose()
  }
}

const hasEnded = ({ job }: CommandOutcome): boolean => job.endedAt !== undefined

function failure(name: string, { job }: CommandOutcome, output: string): ToolError {
  let message = `The task "${name}" was ended.`
  if (job.exitCode !== undefined) message = `The task "${name}" failed with exit code ${job.exitCode}.`
  else if (job.signal !== undefined) message = `The task "${name}" was ended by ${job.signal}.`
  return new ToolError('server_error', message, 'Correct it, then start again.', {
    detail: output.trim().slice(-maxDetail),
  })
}
