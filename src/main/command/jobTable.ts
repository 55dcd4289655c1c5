import { randomBytes } from 'node:crypto'
import { relative, sep } from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import type { CommandSandbox, ProtectedChanges } from '../../shared/commands/sandbox.ts'
import type { JobInfo } from '../../shared/tools/tool.ts'
import { Job } from './job.ts'
import type { JobOwner, JobsOptions } from './jobTypes.ts'
import { withJobTagLimit } from './jobTagLimit.ts'
import { createLimitWatchdog } from './limitWatchdog.ts'
import { jobVariable } from './processTree.ts'
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
  /** From now on no job starts. */
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
      cwd: { absolute: cwd, relative: relative(options.workspaceRoot, cwd).split(sep).join('/') || '.' },
      environment: jobTag === undefined ? environment : { ...environment, [jobVariable]: jobTag },
      denial: sandbox && (async (output) => options.sandbox?.denial(rest.command, sandbox, output)),
      onOutput: (from, data) => options.onOutput(from, data),
      onChanged(info) {
        if (info.denial?.kind === 'listening') options.sandbox?.remember(info.command)
        onChanged?.(info)
        options.onChanged(info)
        if (info.endedAt !== undefined) prune()
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
    clear: () => jobs.clear(),
    close: () => {
      closed = true
      watchdog?.stop()
    },
  }
}
