import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { freemem } from 'node:os'
import type { CommandSandbox, ProtectedChanges } from '../../shared/commands/sandbox.ts'
import { ToolError } from '../../shared/errors.ts'
import { relativeIn } from '../base/workspaceRoots.ts'
import type { JobInfo } from '../../shared/commands/jobs.ts'
import { Job } from './job.ts'
import { withJobTagLimit } from './jobTagLimit.ts'
import type { JobOwner, JobsOptions } from './jobTypes.ts'
import { jobVariable, processUsage } from './processTree.ts'
import type { CommandLimits } from './sandbox/cgroupLimits.ts'
import type { Invocation } from './shellProgram.ts'

/** Maximum number of ended jobs kept. Each may have megabytes of output. */
const maxEndedJobs = 20

export interface JobStart {
  kind: JobInfo['kind']
  conversationId?: string
  command: string
  invocation: Invocation
  cwd: string
  environment: Record<string, string>
  columns: number
  rows: number
  marksCode?: string
  sandbox?: CommandSandbox
  release?(): Promise<ProtectedChanges | undefined>
  onChanged?: (job: JobInfo) => void
}

/** Running and recently ended jobs. */
export interface JobTable {
  /** @throws ToolError `unknown_job` */
  find(id: string, only?: JobOwner): Job
  /** @throws ToolError `cancelled` if the workspace is being closed, `io_error` */
  start(start: JobStart): Job
  /** @throws ToolError `cancelled` if the workspace is being closed */
  assertOpen(): void
  all(): Job[]
  drop(id: string): void
  /** Removes terminals and ended commands, so that closing the workspace does not end them. */
  handOver(): Job[]
  adopt(jobs: readonly Job[]): void
  /** Prevents any further job from starting. */
  close(): void
  clear(): void
}

type TableOptions = JobsOptions & { graceMs: number; instance: string }

export function createJobTable(options: TableOptions): JobTable {
  const jobs = new Map<string, Job>()
  let closed = false
  const { limits } = options
  const commands = (): Job[] => [...jobs.values()].filter(({ info }) => info.kind === 'command')
  const watchdog = limits && createLimitWatchdog(commands, limits)

  function find(id: string, only?: JobOwner): Job {
    const reached = (job: Job) =>
      only === undefined || (job.info.kind === 'command' && job.conversationId === only.conversationId)
    const job = jobs.get(id)
    if (job !== undefined && reached(job)) return job
    const commands = [...jobs.values()].filter((each) => each.info.kind === 'command' && reached(each))
    const known = commands.map(({ info }) => `${info.id} (${info.state})`)
    const next =
      known.length > 0 ? `Known jobs: ${known.join(', ')}.` : 'There are no jobs. Start one with run_command.'
    throw new ToolError('unknown_job', `There is no job \`${id}\`.`, next)
  }

  function assertOpen(): void {
    if (closed) throw new ToolError('cancelled', 'The workspace is being closed.', '')
  }

  const shownFolder = (absolute: string): string =>
    relativeIn({ root: options.workspaceRoot, folders: options.folders }, absolute) ?? absolute

  function changed(info: JobInfo): void {
    options.onChanged(info)
    if (info.endedAt !== undefined) prune()
  }

  function start({ cwd, environment, onChanged, ...rest }: JobStart): Job {
    assertOpen()
    // Random, because stored conversations refer to their jobs after a restart too.
    const id = `job-${randomBytes(3).toString('hex')}`
    const jobTag = rest.kind === 'command' ? `${options.instance}.${id}` : undefined
    const { sandbox } = rest
    if (rest.kind === 'command') watchdog?.watch()
    const job = new Job({
      ...rest,
      // In the sandbox all processes end with their PID namespace.
      invocation:
        jobTag === undefined || sandbox?.sandboxed ? rest.invocation : withJobTagLimit(rest.invocation, jobTag),
      id,
      jobTag,
      graceMs: options.graceMs,
      cwd: { absolute: cwd, relative: shownFolder(cwd) },
      environment: jobTag === undefined ? environment : { ...environment, [jobVariable]: jobTag },
      denial: sandbox && (async (output) => options.sandbox?.denial(rest.command, sandbox, output)),
      onOutput: (from, data) => options.onOutput(from, data),
      onChanged(info) {
        if (info.denial?.kind === 'listening') options.sandbox?.remember(info.command)
        onChanged?.(info)
        changed(info)
      },
    })
    jobs.set(id, job)
    onChanged?.(job.info)
    options.onChanged(job.info)
    return job
  }

  function prune(): void {
    const ended = [...jobs.values()].filter((job) => job.ended)
    for (const job of ended.slice(0, Math.max(0, ended.length - maxEndedJobs))) drop(job.info.id)
  }

  function drop(id: string): void {
    if (jobs.delete(id)) options.onForgotten?.(id)
  }

  return {
    find,
    start,
    assertOpen,
    drop,
    all: () => [...jobs.values()],
    handOver() {
      const taken = [...jobs.values()].filter((job) => job.ended || job.info.kind === 'terminal')
      for (const { info } of taken) jobs.delete(info.id)
      return taken
    },
    adopt(taken) {
      for (const job of taken) {
        job.moveTo({ cwd: shownFolder(job.folder), onChanged: changed, onOutput: options.onOutput })
        jobs.set(job.info.id, job)
      }
    },
    clear: () => jobs.clear(),
    close: () => {
      closed = true
      watchdog?.stop()
    },
  }
}

/** Milliseconds between checks while commands run. */
const interval = 400

/** Ends commands that exceed the limits. */
interface LimitWatchdog {
  /** Checks the running commands until all have ended. */
  watch(): void
  stop(): void
}

/**
 * Checks how many processes and how much memory commands use. Measures each command only after the machine's totals
 * have grown considerably since the first command started, because measuring a command takes much longer. Linux only.
 */
function createLimitWatchdog(commands: () => Job[], limits: () => CommandLimits): LimitWatchdog {
  let timer: NodeJS.Timeout | undefined
  /** Fewest processes on the machine and most free memory since the first command started. */
  let fewest = 0
  let mostFree = 0

  async function look(): Promise<void> {
    const running = commands().filter((job) => !job.ended)
    if (running.length === 0) return stop()
    const { processes, memory } = limits()
    const count = countProcesses(await readdir('/proc'))
    const free = freemem()
    fewest = Math.min(fewest, count)
    mostFree = Math.max(mostFree, free)
    if (count - fewest > processes / 2 || mostFree - free > memory / 2) {
      const usage = await processUsage(running.map(({ pid }) => pid))
      for (const job of running) {
        const used = usage.get(job.pid)
        if (used !== undefined && used.processes > processes) void job.end('processes')
        else if (used !== undefined && used.memory > memory) void job.end('memory')
      }
    }
    timer = setTimeout(next, interval).unref()
  }

  function next(): void {
    // /proc can fail briefly when the machine has too many processes. The next check tries again.
    look().catch(() => {
      timer = setTimeout(next, interval).unref()
    })
  }

  function stop(): void {
    clearTimeout(timer)
    timer = undefined
  }

  return {
    watch() {
      if (process.platform !== 'linux' || timer !== undefined) return
      // Synchronous, because a fork bomb would have started all its processes by the next tick.
      fewest = countProcesses(readdirSync('/proc'))
      mostFree = freemem()
      timer = setTimeout(next, interval).unref()
    },
    stop,
  }
}

function countProcesses(names: readonly string[]): number {
  return names.filter((name) => /^\d+$/.test(name)).length
}
